# SPDX-License-Identifier: MIT
"""--timeout takes seconds in which a driver can answer, and nothing else."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from clprobe.cli.main import cli

COMMANDS = ("doctor", "info", "check", "env", "snapshot")


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e300", "-5", "0", "0.09", "3601", "ten"])
@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_no_time_to_wait_is_a_usage_error(command: str, value: str) -> None:
    result = CliRunner().invoke(cli, [command, "--timeout", value])

    assert result.exit_code == 2
    assert f"{value} is no number of seconds from 0.1 to 3600." in result.output


def test_a_second_and_a_half_is_a_time_to_wait(tmp_path: Path) -> None:
    facts = tmp_path / "facts.yaml"
    facts.write_text("gpus: []\n")

    result = CliRunner().invoke(cli, ["info", "--from", str(facts), "--timeout", "1.5"], obj={})

    assert "--timeout" not in result.output
    assert result.exit_code == 0
