# SPDX-License-Identifier: MIT
"""The README and the help pages tell the truth."""

import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from recording import ReplayedHost

from clprobe.cli.main import cli
from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.install.advised import with_routes
from clprobe.model.codec import snapshot_from_text
from clprobe.model.hardware import Gpu
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Group
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
    snapshot = _laptop_without_device()
    knowledge = Knowledge.load()
    diagnosis = with_routes(diagnose(snapshot, knowledge), snapshot, knowledge.tables)

    DoctorText(make_console("never", 80), verbosity=0).show(
        diagnosis, checks=len(knowledge.rules), elapsed_ms=230
    )

    sample = re.search(r"\$ clprobe doctor\n(.*?)```", README, re.DOTALL)
    assert sample is not None
    assert capsys.readouterr().out == sample.group(1)


def _laptop_without_device() -> Snapshot:
    """Return a host whose render node is closed, on bare metal, with one GPU and one driver."""
    closed = collect(ReplayedHost(HOSTS / "debian-12-render-node-closed.yaml").as_host())
    render = Group(gid=108, name="render")
    address = "0000:00:02.0"
    gpu = Gpu(
        pci_address=address,
        pci_id="8086:5916",
        pci_class="0x030000",
        name="HD Graphics 620",
        kernel_driver="i915",
        kernel_modules=("i915",),
        render_node="/dev/dri/renderD128",
        card_node="/dev/dri/card0",
        memory_bar_bytes=256 << 20,
        power_state="active",
    )
    return replace(
        closed,
        system=replace(
            closed.system,
            virtualization=replace(closed.system.virtualization, container=None, machine=None),
            gpu_groups=(*closed.system.gpu_groups, render),
        ),
        gpus=(gpu,),
        device_nodes=tuple(
            replace(node, pci_address=address, gid=108, group="render")
            if node.kind == "render"
            else replace(node, pci_address=address)
            for node in closed.device_nodes
        ),
        packages=tuple(
            package
            for package in closed.packages
            if package.name not in {"mesa-opencl-icd", "pocl-opencl-icd", "libpocl2", "pyopencl"}
        ),
        icds=tuple(icd for icd in closed.icds if icd.path == "/etc/OpenCL/vendors/intel.icd"),
        views=tuple(
            # As clinfo, which prints "Number of platforms 0".
            replace(
                view,
                answer=replace(
                    view.answer,
                    stage="platforms",
                    outcome="error",
                    error_code=-1001,
                    message=None,
                    printed=None,
                    platforms=(),
                ),
            )
            for view in closed.views
            if view.viewer == "system-loader"
        ),
    )


def test_the_plan_in_the_readme_is_what_install_plan_prints() -> None:
    sample = re.search(r"\$ clprobe (install-plan .*)\n((?s:.*?))```", README)
    assert sample is not None

    result = CliRunner().invoke(cli, shlex.split(sample.group(1)))

    assert (result.exit_code, result.output) == (0, sample.group(2))


def test_the_headline_in_the_readme_is_one_that_bench_prints() -> None:
    sample = re.search(r"```text\n(Yes: .*)\n```", README)
    assert sample is not None

    assert f'"{sample.group(1)}"' in (ROOT / "tests/bench/test_headline.py").read_text()
