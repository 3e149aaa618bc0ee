# SPDX-License-Identifier: MIT
"""The README and the help pages tell the truth."""

import re
from pathlib import Path

import click
import pytest

from clprobe.cli.main import cli
from clprobe.engine.diagnose import Knowledge, diagnose
from clprobe.model.codec import snapshot_from_text

ROOT = Path(__file__).resolve().parent.parent
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
    text = re.search(r"```yaml\n(.*?)```", README, re.DOTALL)
    assert text is not None

    diagnosis = diagnose(snapshot_from_text(text.group(1), name="README.md"), Knowledge.load())

    assert diagnosis.root_cause == "group-needs-new-session"
