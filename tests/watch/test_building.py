# SPDX-License-Identifier: MIT
"""Where the counter comes from, and which one is believed."""

import os
import shutil
import stat
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from clprobe.model.unknown import Unknown
from clprobe.watch.counting import building, compiling, library


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the counter in an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir(mode=0o700)
    return tmp_path / "cache" / "clprobe" / building.FOLDER


@pytest.fixture
def compiler(counter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler that is faster than any, for it has compiled all this before."""
    (tmp_path / "cc").write_text(f'#!/bin/sh\nfor last; do :; done\ncp {counter} "$last"\n')
    (tmp_path / "cc").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")


def made() -> Path:
    """Return the counter."""
    found = library()
    assert isinstance(found, Path), found
    return found


@pytest.mark.usefixtures("compiler")
def test_it_is_made_once(cache: Path) -> None:
    first = made()
    written = first.stat().st_mtime_ns

    assert first.parent == cache
    assert made() == first
    assert first.stat().st_mtime_ns == written
    assert stat.S_IMODE(first.stat().st_mode) == 0o600


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("spoil", ["change", "cut", "link", "folder", "others", "no sum"])
def test_one_that_is_not_as_it_was_made_is_made_anew(cache: Path, spoil: str) -> None:
    path = made()
    right = path.read_bytes()
    if spoil == "change":
        path.write_bytes(right.replace(b"CLPROBE_WATCH", b"CLPROBE_WHICH"))
    elif spoil == "cut":
        path.write_bytes(right[:-1])
    elif spoil == "others":
        path.chmod(0o666)
    elif spoil == "no sum":
        next(cache.glob("*.sum")).unlink()
    else:
        path.unlink()
        if spoil == "link":
            (cache.parent / "another").write_bytes(right)
            path.symlink_to(cache.parent / "another")
        else:
            path.mkdir()

    assert made() == path
    assert path.read_bytes() == right
    assert not path.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.usefixtures("compiler")
def test_none_is_kept_where_others_can_write(cache: Path) -> None:
    made()
    cache.chmod(0o777)

    found = library()
    assert isinstance(found, Unknown)
    assert "others can write" in found.unknown


@pytest.mark.usefixtures("compiler")
def test_those_of_other_versions_are_removed(cache: Path) -> None:
    cache.mkdir(parents=True, mode=0o700)
    (cache / "count-0000000000000000.so").touch()

    made()
    assert len(list(cache.iterdir())) == 2


def test_without_a_compiler_the_reason_is_told(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    found = library()
    assert isinstance(found, Unknown)
    assert found.unknown.startswith("there is no C compiler")
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("echo 'x.c:1: fatal error: link.h: No such file' >&2; exit 1", "link.h: No such file"),
        ("exit 0", "it said nothing"),
        ("exec sleep 60", "was not done after"),
    ],
    ids=["no headers", "nothing made", "slow"],
)
def test_a_compiler_that_fails_is_told(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, reason: str
) -> None:
    monkeypatch.setattr(compiling, "TIME_LIMIT_S", 1.0)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (tmp_path / "cc").write_text(f"#!/bin/sh\n{code}\n")
    (tmp_path / "cc").chmod(0o755)

    found = library()
    assert isinstance(found, Unknown)
    assert reason in found.unknown
    assert list(cache.iterdir()) == []


@pytest.mark.usefixtures("compiler")
def test_a_path_that_the_dynamic_linker_would_take_for_two_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a:b").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a:b"))

    found = library()
    assert isinstance(found, Unknown)
    assert "holds : or $" in found.unknown


def test_another_c_library_and_other_processors_are_told(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling.os, "confstr", lambda _: None)
    assert "musl" in str(library())
    monkeypatch.undo()
    monkeypatch.setattr(compiling.platform, "machine", lambda: "riscv64")
    assert "riscv64" in str(library())
    assert not cache.exists()


def test_a_wheel_waits_longer_for_a_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "TIME_LIMIT_S", 0.1)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (tmp_path / "cc").write_text('#!/bin/sh\nsleep 0.5\nfor last; do :; done\n: > "$last"\n')
    (tmp_path / "cc").chmod(0o755)

    with pytest.raises(compiling.NotMadeError, match="not done after"):
        compiling.compile_library(tmp_path / "counter.so")
    compiling.compile_library(tmp_path / "counter.so", 60)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_it_needs_nothing_of_the_program_that_it_is_loaded_into(
    compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler}")
    monkeypatch.setattr(compiling, "_COMPILERS", (compiler,))
    compiling.compile_library(tmp_path / "counter.so")

    with (tmp_path / "counter.so").open("rb") as file:
        elf = ELFFile(file)
        needed = [tag.needed for tag in elf.get_section_by_name(".dynamic").iter_tags("DT_NEEDED")]
        symbols = list(elf.get_section_by_name(".dynsym").iter_symbols())
    exported = {one.name for one in symbols if one["st_shndx"] != "SHN_UNDEF"}
    wanted = {one.name for one in symbols if one["st_shndx"] == "SHN_UNDEF" and one.name}

    assert (needed, wanted) == ([], set())
    assert exported == {"la_version", "la_objopen", "la_objclose", "la_objsearch", "la_preinit"}
