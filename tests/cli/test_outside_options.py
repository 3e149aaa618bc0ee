# SPDX-License-Identifier: MIT
"""The options that look from outside, and what they do not go with."""

import pytest
from click.testing import CliRunner

from clprobe.cli.main import cli


@pytest.mark.parametrize(
    "words",
    [
        "--container web --snap x",
        "--container web --pid 1",
        "--flatpak org.x.App --service x",
        "--container web --from snapshot.json",
        "--container web --as nobody",
        "--container web --fix",
        "--snap x --undo",
    ],
)
def test_two_things_at_once_are_a_usage_error(words: str) -> None:
    done = CliRunner().invoke(cli, ["doctor", *words.split()])

    assert done.exit_code == 2


def test_help_names_them() -> None:
    text = CliRunner().invoke(cli, ["doctor", "--help"]).output

    assert all(option in text for option in ("--container", "--flatpak", "--snap"))
