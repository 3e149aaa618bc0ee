# SPDX-License-Identifier: MIT
"""A file or folder as an argument is read as --from reads it; a folder counts as one report."""

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from clprobe.cli.folder import MOST_FILES
from clprobe.cli.main import cli
from clprobe.cli.sources import read_snapshot
from clprobe.model.errors import ClprobeError

CLINFO = "$ clinfo\nNumber of platforms                               0\n"
LSPCI = (
    "$ lspci -nnk\n00:02.0 VGA compatible controller [0300]: Intel Corporation HD Graphics 620 "
    "[8086:5916] (rev 02)\n\tKernel driver in use: i915\n"
)


def _doctor(*arguments: object) -> dict[str, Any]:
    words = ["doctor", *map(str, arguments), "--json"]
    document: dict[str, Any] = json.loads(CliRunner().invoke(cli, words).stdout)
    return {**document, "elapsed_ms": 0}


def test_a_file_as_an_argument_is_the_same_as_from(tmp_path: Path) -> None:
    path = tmp_path / "paste.txt"
    path.write_text(CLINFO + LSPCI)
    assert _doctor(path) == _doctor("--from", path)


def test_all_files_of_a_folder_tell_together(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "clinfo.txt").write_text(CLINFO)
    (tmp_path / "more" / "lspci.log").write_text(LSPCI)
    (tmp_path / "host.yaml").write_text("user: {uid: 1000, groups: [{name: audio}]}\n")
    (tmp_path / ".hidden").write_text("uid=0(root) gid=0(root)\n")
    (tmp_path / "screen.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    snapshot = read_snapshot(str(tmp_path))
    assert [gpu.pci_id for gpu in snapshot.gpus] == ["8086:5916"]
    assert [view.answer.platforms for view in snapshot.views] == [()]
    assert snapshot.user.uid == 1000
    assert snapshot.unread == ("screen.png: this file is no text",)


def test_a_folder_without_files_or_with_too_many_says_so(tmp_path: Path) -> None:
    with pytest.raises(ClprobeError, match="no file"):
        read_snapshot(str(tmp_path))
    for number in range(MOST_FILES + 1):
        (tmp_path / f"{number}.txt").write_text(CLINFO)
    with pytest.raises(ClprobeError, match=f"more than {MOST_FILES} files"):
        read_snapshot(str(tmp_path))


def test_texts_that_are_too_much_together_name_the_folder(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text("word\n" * 400_000)
    with pytest.raises(ClprobeError, match="MiB") as told:
        read_snapshot(str(tmp_path))
    assert told.value.message.startswith(str(tmp_path))


def test_an_argument_and_from_do_not_go_together() -> None:
    result = CliRunner().invoke(cli, ["doctor", "a.txt", "--from", "b.txt"], standalone_mode=False)
    assert isinstance(result.exception, click.UsageError)
