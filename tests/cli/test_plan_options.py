# SPDX-License-Identifier: MIT
"""The command line that people are told to run under sudo is the one that they ran."""

from pathlib import Path

import pytest

from clprobe.cli.acting import own_command
from clprobe.cli.install_plan import command


def _told(*options: str) -> tuple[str, ...]:
    with command.make_context("install-plan", list(options)):
        words = own_command()
    return words[words.index("install-plan") + 1 :]


@pytest.mark.parametrize(
    "options",
    [
        ("--want", "cpu"),
        ("--no-root", "--no-third-party"),
        ("--gpu", "GTX 1650", "--gpu", "UHD 630"),
        ("--container", "docker"),
        ("--gpu", "HD 4600", "--want", "gpu", "--backend", "beignet:container", "--apply"),
        (),
    ],
)
def test_every_option_is_repeated_with_what_it_was_given(options: tuple[str, ...]) -> None:
    assert _told(*options) == options


def test_a_folder_of_wheels_is_named_by_its_full_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root has another home, and whoever copies the line may stand elsewhere."""
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / "a-1-py3-none-any.whl").touch()
    monkeypatch.chdir(tmp_path)
    assert _told("--offline-wheels", "wheels") == ("--offline-wheels", str(tmp_path / "wheels"))
