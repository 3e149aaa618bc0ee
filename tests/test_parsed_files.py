# SPDX-License-Identifier: MIT
"""What is kept of the rules database from run to run is never stale, and never in the way."""

import os
from pathlib import Path
from typing import Any

import pytest

from clprobe.parsed_files import ParsedFiles


class _Parser:
    """Counts how often it was asked."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, path: Path) -> Any:
        self.calls += 1
        return {"text": path.read_text("utf-8")}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "one.yaml").write_text("first", "utf-8")
    (tmp_path / "cache").mkdir()
    return folder


def _run(root: Path, parser: _Parser) -> Any:
    """Ask as one process of its own would."""
    files = ParsedFiles(root, root.parent / "cache" / "clprobe" / "rules.msgpack")
    content = files.parsed(root / "one.yaml", parser)
    files.save()
    return content["text"]


def test_a_second_run_parses_nothing(root: Path) -> None:
    parser = _Parser()
    assert [_run(root, parser), _run(root, parser)] == ["first", "first"]
    assert parser.calls == 1


def test_a_change_is_noticed_even_if_size_and_time_stay(root: Path) -> None:
    parser = _Parser()
    _run(root, parser)
    file = root / "one.yaml"
    before = file.stat()
    file.write_text("other", "utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_size == before.st_size
    assert _run(root, parser) == "other"


def test_a_file_that_takes_its_place_is_noticed(root: Path) -> None:
    parser = _Parser()
    _run(root, parser)
    other = root / "other"
    other.write_text("place", "utf-8")
    other.replace(root / "one.yaml")
    assert _run(root, parser) == "place"


def test_what_one_caller_changes_no_other_sees(root: Path) -> None:
    files = ParsedFiles(root, root.parent / "cache" / "clprobe" / "rules.msgpack")
    files.parsed(root / "one.yaml", _Parser())["text"] = "spoilt"
    assert files.parsed(root / "one.yaml", _Parser()) == {"text": "first"}


@pytest.mark.parametrize("content", [b"", b"\xc1", b"{}", b"\x82\xa7clprobe\xa3old\xa5files\x80"])
def test_a_damaged_or_foreign_cache_is_done_without(root: Path, content: bytes) -> None:
    parser = _Parser()
    _run(root, parser)
    (root.parent / "cache" / "clprobe" / "rules.msgpack").write_bytes(content)
    assert [_run(root, parser), _run(root, parser)] == ["first", "first"]
    assert parser.calls == 2


def test_without_a_cache_folder_every_run_parses(root: Path) -> None:
    (root.parent / "cache").rmdir()
    parser = _Parser()
    assert [_run(root, parser), _run(root, parser)] == ["first", "first"]
    assert parser.calls == 2
    assert sorted(p.name for p in root.parent.iterdir()) == ["rules"]


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give files away")
def test_what_belongs_to_somebody_else_is_neither_believed_nor_written(root: Path) -> None:
    parser = _Parser()
    _run(root, parser)
    store = root.parent / "cache" / "clprobe" / "rules.msgpack"
    os.chown(store, 1000, 1000)
    os.chown(store.parent, 1000, 1000)
    before = store.stat()
    assert _run(root, parser) == "first"
    assert parser.calls == 2
    assert store.stat() == before


def test_other_folders_are_not_kept(root: Path, tmp_path: Path) -> None:
    file = tmp_path / "author.yaml"
    file.write_text("draft", "utf-8")
    files = ParsedFiles(root, tmp_path / "cache" / "clprobe" / "rules.msgpack")
    files.parsed(file, _Parser())
    files.save()
    assert not (tmp_path / "cache" / "clprobe").exists()
