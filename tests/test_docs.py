# SPDX-License-Identifier: MIT
"""The README and the help pages tell the truth."""

import re
from pathlib import Path

import click
import pytest
from msgspec.structs import replace
from recording import ReplayedHost

from clprobe.cli.main import cli
from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.install.advised import with_routes
from clprobe.model.codec import snapshot_from_text
from clprobe.probe.collect import collect
from clprobe.report.doctor_text import DoctorText
from clprobe.report.terminal import make_console

ROOT = Path(__file__).resolve().parent.parent
HOSTS = ROOT / "tests" / "hosts"
README = (ROOT / "README.md").read_text()
COMMANDS = cli.list_commands(click.Context(cli))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_in_the_readme_and_explains_each_option(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)

    assert f"`clprobe {name}" in README
    assert command is not None
    assert command.help
    helpless = [
        parameter.name
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.help
    ]
    assert helpless == []


def test_the_readme_names_no_command_that_does_not_exist() -> None:
    named = set(re.findall(r"`clprobe ([a-z-]+)", README))

    assert named <= set(COMMANDS)


def test_the_readme_links_to_files_that_exist() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)

    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_continuous_integration_runs_the_command_of_the_readme() -> None:
    command = "python3 .ci/bootstrap.py test"

    assert command in README
    assert command in (ROOT / ".ci" / "run").read_text()


def test_the_snapshot_in_the_readme_gets_the_finding_that_it_is_about() -> None:
    text = re.search(r"```yaml\n(gpus:.*?)```", README, re.DOTALL)
    assert text is not None

    diagnosis = diagnose(snapshot_from_text(text.group(1), name="README.md"), Knowledge.load())

    assert diagnosis.root_cause == "group-needs-new-session"


def test_the_screen_in_the_readme_is_what_doctor_prints(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A host whose render node is closed, but for the group's name and PoCL: those of another."""
    closed, working = (
        collect(ReplayedHost(HOSTS / f"debian-12-{name}.yaml").as_host())
        for name in ("render-node-closed", "cpu-only")
    )
    of_system = {icd.path: icd for icd in working.icds if icd.path.startswith("/etc/")}
    snapshot = replace(
        closed,
        system=replace(
            closed.system, virtualization=replace(closed.system.virtualization, container=None)
        ),
        device_nodes=tuple(
            replace(node, gid=108, group="render") if node.gid == 109 else node
            for node in closed.device_nodes
        ),
        icds=tuple(
            of_system[icd.path] if "pocl" in icd.path else icd
            for icd in closed.icds
            if icd.path in of_system
        ),
        views=working.views,
    )
    knowledge = Knowledge.load()
    diagnosis = with_routes(diagnose(snapshot, knowledge), snapshot, knowledge.tables)

    DoctorText(make_console("never", 80), verbosity=0).show(
        diagnosis, checks=len(knowledge.rules), elapsed_ms=230
    )

    sample = re.search(r"\$ clprobe doctor\n(.*?)```", README, re.DOTALL)
    assert sample is not None
    assert capsys.readouterr().out == sample.group(1)
