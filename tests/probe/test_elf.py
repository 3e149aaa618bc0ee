# SPDX-License-Identifier: MIT
"""ELF headers, read from whole, cut and damaged files."""

import ctypes
import struct
from pathlib import Path

import pytest
from asking import Build
from elftools.elf.elffile import ELFFile
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clprobe.probe.elf import read_elf
from clprobe.probe.host import ElfFile

_LIBRARIES = sorted(Path("/usr/lib/x86_64-linux-gnu").glob("lib[a-g]*.so.?"))[:40]


def _read(raw: bytes) -> ElfFile:
    return read_elf(lambda offset, count: raw[offset : offset + count], len(raw))


@pytest.mark.parametrize("path", _LIBRARIES, ids=lambda path: path.name)
def test_the_headers_are_those_that_pyelftools_reads(path: Path) -> None:
    found = _read(path.read_bytes())
    with path.open("rb") as file:
        elf = ELFFile(file)
        tags = list(elf.get_section_by_name(".dynamic").iter_tags())
        needed = tuple(tag.needed for tag in tags if tag.entry.d_tag == "DT_NEEDED")
        assert (found.format, found.elf_class) == ("elf", elf.elfclass)
    assert found.needed == needed
    assert found.required_bytes <= found.size_bytes


def test_every_cut_of_what_is_loaded_is_noticed(build: Build) -> None:
    whole = build("healthy").read_bytes()
    for size in range(64, _read(whole).required_bytes, 997):
        cut = _read(whole[:size])
        assert cut.required_bytes > cut.size_bytes, size


def test_a_library_without_its_sections_is_whole_and_loads(build: Build, tmp_path: Path) -> None:
    whole = build("healthy").read_bytes()
    required = _read(whole).required_bytes
    assert required < len(whole)
    stripped = tmp_path / "libstripped.so"
    stripped.write_bytes(whole[:required])
    assert _read(whole[:required]) == replace(_read(whole), size_bytes=required)
    ctypes.CDLL(str(stripped))


@pytest.mark.parametrize(("number", "abi"), [(62, "x32"), (183, "aarch64_ilp32"), (3, "i386")])
def test_an_abi_of_narrow_pointers_has_a_name_of_its_own(number: int, abi: str) -> None:
    header = b"\x7fELF\1\1\1" + bytes(9) + struct.pack("<HH", 3, number) + bytes(44)
    assert (_read(header).elf_class, _read(header).machine) == (32, abi)


def test_an_empty_and_a_foreign_file() -> None:
    assert _read(b"").format == "empty"
    assert _read(b"#!/bin/sh\n").format == "not-elf"


@given(st.data())
def test_damaged_headers_never_raise(data: st.DataObject) -> None:
    raw = bytearray(Path("/bin/true").read_bytes()[:4096])
    for _ in range(data.draw(st.integers(1, 12))):
        raw[data.draw(st.integers(4, 1023))] = data.draw(st.integers(0, 255))
    assert _read(bytes(raw)).format == "elf"


@given(st.binary(max_size=200))
def test_any_bytes_after_the_magic_never_raise(raw: bytes) -> None:
    assert _read(b"\x7fELF" + raw).format in {"elf", "not-elf"}
