# SPDX-License-Identifier: MIT
"""What is kept of the rules database from run to run is never stale, and never in the way."""

import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clprobe.parsed_files import ParsedFiles
from clprobe.private_files import UNUSED_DAYS, private_folder, read


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


def test_rules_of_an_installation_that_is_gone_are_removed_and_others_stay(
    root: Path, tmp_path: Path
) -> None:
    gone, there = tmp_path / "gone", tmp_path / "there"
    folder = tmp_path / "cache" / "clprobe"
    for other in (gone, there):
        other.mkdir()
        (other / "one.yaml").write_text("other", "utf-8")
        files = ParsedFiles(other, folder / f"rules-{other.name}.msgpack")
        files.parsed(other / "one.yaml", _Parser())
        files.save()
    shutil.rmtree(gone)
    (folder / "rules-damaged.msgpack").write_bytes(b"damaged")

    _run(root, _Parser())

    assert {path.name for path in folder.iterdir()} == {"rules.msgpack", "rules-there.msgpack"}


def test_what_was_not_used_for_long_is_removed_and_what_is_used_stays(root: Path) -> None:
    folder = root.parent / "cache" / "clprobe"
    _run(root, _Parser())
    long_ago = time.time() - (UNUSED_DAYS + 1) * 86400
    for name in ("rules.msgpack", "old"):
        (folder / name).touch()
        os.utime(folder / name, (long_ago, long_ago))
    _run(root, _Parser())  # reads it, which counts as use
    (root / "two.yaml").write_text("second", "utf-8")
    files = ParsedFiles(root, folder / "rules.msgpack")
    files.parsed(root / "two.yaml", _Parser())
    files.save()

    assert [path.name for path in folder.iterdir()] == ["rules.msgpack"]


def test_a_full_disk_leaves_the_old_file_and_no_part_of_the_new_one(root: Path) -> None:
    folder = root.parent / "cache" / "clprobe"
    _run(root, _Parser())
    before = (folder / "rules.msgpack").read_bytes()
    (root / "one.yaml").write_text("x" * 100_000, "utf-8")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))  # ends a write as a full disk
    try:
        assert _run(root, _Parser()) == "x" * 100_000
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert [path.name for path in folder.iterdir()] == ["rules.msgpack"]
    assert (folder / "rules.msgpack").read_bytes() == before


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give folders away")
def test_root_makes_no_folder_in_the_cache_of_somebody_else(root: Path) -> None:
    cache = root.parent / "cache"
    os.chown(cache, 65534, 65534)
    kernels = private_folder(cache / "clprobe" / "kernels", may_make=3)
    with pytest.raises(PermissionError, match="belongs to user 65534"), kernels:
        pass
    _run(root, _Parser())
    assert list(cache.iterdir()) == []


def _explained(cache: Path) -> str:
    return subprocess.run(
        [sys.executable, "-m", "clprobe", "explain", "no gpu"],
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(
            path.read_bytes().replace(b"usermod", bytes([ord("u") ^ 128]) + b"sermod", 1)
        ),
        lambda path: (path.unlink(), path.symlink_to("/dev/zero")),
        lambda path: (path.unlink(), os.mkfifo(path)),
    ],
    ids=["flipped bit", "link to /dev/zero", "fifo"],
)
def test_a_command_says_the_same_with_a_spoilt_cache_and_mends_it(
    tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    right = _explained(tmp_path)
    sizes = {path: path.stat().st_size for path in (tmp_path / "clprobe").iterdir()}
    assert len({path.name.partition("-")[0] for path in sizes}) == 3
    for path in sizes:
        spoil(path)
    assert _explained(tmp_path) == right
    assert not any(path.is_symlink() for path in sizes)
    assert {path: path.stat().st_size for path in (tmp_path / "clprobe").iterdir()} == sizes
    assert all(read(path) is not None for path in sizes)
