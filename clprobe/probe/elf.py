# SPDX-License-Identifier: MIT
"""Reads the headers of a shared library: enough to tell what would happen before it is loaded.

A loader that maps a truncated library dies of SIGBUS, so this must be known from the file alone.
"""

import struct
from collections.abc import Callable, Iterator
from typing import NamedTuple

from clprobe.probe.host import ElfFile

# e_machine values that OpenCL libraries are built for (elf.h); others are shown by number.
MACHINES = {3: "i386", 40: "arm", 62: "x86_64", 183: "aarch64", 21: "ppc64", 243: "riscv64",
            258: "loongarch64", 22: "s390x"}  # fmt: skip

_PT_LOAD, _PT_DYNAMIC = 1, 2
_DT_NEEDED, _DT_STRTAB, _DT_RPATH, _DT_RUNPATH = 1, 5, 15, 29
_MOST_HEADERS = 4096
_LONGEST_NAME = 4096

ReadAt = Callable[[int, int], bytes]


class _Segment(NamedTuple):
    kind: int
    offset: int
    address: int
    size: int


class _Layout(NamedTuple):
    """Field formats of one ELF class in one byte order."""

    order: str
    wide: bool

    def unpack(self, narrow: str, wide: str, raw: bytes) -> tuple[int, ...]:
        form = self.order + (wide if self.wide else narrow)
        return struct.unpack(form, raw[: struct.calcsize(form)])


def read_elf(read_at: ReadAt, size_bytes: int) -> ElfFile:
    """Return what the headers say; `read_at(offset, count)` gives bytes, fewer at the end."""
    start = read_at(0, 64)
    if not start:
        return ElfFile(format="empty", size_bytes=size_bytes)
    if start[:4] != b"\x7fELF" or len(start) < 20:
        return ElfFile(format="not-elf", size_bytes=size_bytes)
    layout = _Layout("<" if start[5] == 1 else ">", start[4] == 2)
    elf_class = 64 if layout.wide else 32
    number = struct.unpack(layout.order + "H", start[18:20])[0]
    machine = MACHINES.get(number, f"e_machine {number}")
    try:
        required, segments = _extent(layout, read_at, start)
        needed, run_path = _dependencies(layout, read_at, segments)
        problem = ""
    except (struct.error, ValueError) as error:
        # Headers beyond the end of the file: it is cut off at the latest where it ends.
        required, needed, run_path = size_bytes + 1, (), ()
        problem = f"headers end early: {error}"
    return ElfFile(
        format="elf",
        size_bytes=size_bytes,
        elf_class=elf_class,
        machine=machine,
        required_bytes=required,
        needed=needed,
        run_path=run_path,
        problem=problem if required > size_bytes else "",
    )


def _extent(layout: _Layout, read_at: ReadAt, start: bytes) -> tuple[int, list[_Segment]]:
    """Return where the file must end at the earliest, and its segments."""
    fields = layout.unpack("IIIIHHHHHH", "QQQIHHHHHH", start[24:])
    _, programs_at, sections_at, _, header_size, entry, count, section_entry, sections, _ = fields
    ends = [header_size, programs_at + entry * count]
    if sections_at:
        ends.append(sections_at + section_entry * sections)
    segments = []
    for index in range(min(count, _MOST_HEADERS)):
        raw = read_at(programs_at + index * entry, entry)
        if layout.wide:
            kind, _, offset, address, _, size = struct.unpack(layout.order + "IIQQQQ", raw[:40])
        else:
            kind, offset, address, _, size = struct.unpack(layout.order + "IIIII", raw[:20])
        segments.append(_Segment(kind, offset, address, size))
        if kind == _PT_LOAD:
            ends.append(offset + size)
    return max(ends), segments


def _dependencies(
    layout: _Layout, read_at: ReadAt, segments: list[_Segment]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    entries = list(_dynamic_entries(layout, read_at, segments))
    texts = next((value for tag, value in entries if tag == _DT_STRTAB), None)
    if texts is None:
        return (), ()
    texts_at = _file_offset(segments, texts)

    def text(offset: int) -> str:
        return read_at(texts_at + offset, _LONGEST_NAME).split(b"\0")[0].decode("utf-8", "replace")

    needed = tuple(text(value) for tag, value in entries if tag == _DT_NEEDED)
    # Where both are given, DT_RUNPATH makes the linker ignore DT_RPATH (ld.so(8)).
    paths = [text(value) for tag, value in entries if tag == _DT_RUNPATH] or [
        text(value) for tag, value in entries if tag == _DT_RPATH
    ]
    return needed, tuple(folder for path in paths for folder in path.split(":") if folder)


def _dynamic_entries(
    layout: _Layout, read_at: ReadAt, segments: list[_Segment]
) -> Iterator[tuple[int, int]]:
    dynamic = next((segment for segment in segments if segment.kind == _PT_DYNAMIC), None)
    if dynamic is None:
        return
    raw = read_at(dynamic.offset, min(dynamic.size, 65536))
    step = 16 if layout.wide else 8
    for at in range(0, len(raw) - step + 1, step):
        tag, value = layout.unpack("II", "QQ", raw[at:])
        if tag == 0:
            return
        yield tag, value


def _file_offset(segments: list[_Segment], address: int) -> int:
    for segment in segments:
        if segment.kind == _PT_LOAD and 0 <= address - segment.address < segment.size:
            return segment.offset + address - segment.address
    raise ValueError(f"address {address:#x} is in no segment")
