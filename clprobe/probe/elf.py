# SPDX-License-Identifier: MIT
"""Reads what the dynamic linker reads: the headers of a shared library, and its cache.

A loader that maps a truncated library dies of SIGBUS, so this must be known from the file alone.
"""

import os
import struct
from collections.abc import Callable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from clprobe.probe.host import CachedLibrary, ElfFile

# e_machine values that OpenCL libraries are built for (elf.h); others are shown by number.
MACHINES = {3: "i386", 40: "arm", 62: "x86_64", 183: "aarch64", 21: "ppc64", 243: "riscv64",
            258: "loongarch64", 22: "s390x"}  # fmt: skip
# ABIs of 64-bit processors with pointers of 32 bits: no other program can load their libraries.
_NARROW_ABIS = {62: "x32", 183: "aarch64_ilp32"}

_PT_LOAD, _PT_DYNAMIC = 1, 2
_DT_NEEDED, _DT_STRTAB, _DT_RPATH, _DT_RUNPATH = 1, 5, 15, 29
_MOST_HEADERS = 4096
_LONGEST_NAME = 4096
# No library comes near it: an offset beyond is no sign of a file that was cut off.
_LARGEST_CREDIBLE = 1 << 40

ReadAt = Callable[[int, int], bytes]


class _CutOffError(Exception):
    """The headers lead beyond the end; `required_bytes` is where the file had to reach."""

    def __init__(self, required_bytes: int) -> None:
        super().__init__()
        self.required_bytes = required_bytes


class _DamagedError(Exception):
    """The headers contradict themselves or what every loader asks of them."""


class _Segment(NamedTuple):
    kind: int
    offset: int
    address: int
    size: int


class _File(NamedTuple):
    """A file of one ELF class in one byte order."""

    read_at: ReadAt
    size_bytes: int
    order: str
    wide: bool

    def take(self, offset: int, count: int) -> bytes:
        """Return these bytes.

        Raises: _CutOffError, or _DamagedError where no file could be so long.
        """
        self.check(offset + count)
        raw = self.read_at(offset, count)
        if len(raw) < count:  # it became shorter meanwhile
            raise _CutOffError(offset + count)
        return raw

    def check(self, end: int) -> None:
        """Raise the error of `take` if the file ends before `end`."""
        if end > _LARGEST_CREDIBLE:
            raise _DamagedError(f"its headers lead to byte {end}")
        if end > self.size_bytes:
            raise _CutOffError(end)

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
    told = ElfFile(format="elf", size_bytes=size_bytes)
    if start[4] not in (1, 2) or start[5] not in (1, 2):
        words = f"its ELF class is {start[4]} and its byte order {start[5]}, each should be 1 or 2"
        return replace(told, problem=words)
    file = _File(read_at, size_bytes, "<" if start[5] == 1 else ">", start[4] == 2)
    number = struct.unpack(file.order + "H", start[18:20])[0]
    machines = MACHINES if file.wide else MACHINES | _NARROW_ABIS
    told = replace(
        told,
        elf_class=64 if file.wide else 32,
        machine=machines.get(number, f"e_machine {number}"),
    )
    try:
        return _with_contents(told, file, start)
    except _CutOffError as error:
        return replace(told, required_bytes=error.required_bytes)
    except _DamagedError as error:
        return replace(told, problem=str(error))


def elf_at(path: str) -> ElfFile:
    """Return what the headers of the file at `path` say. Raises: OSError if it does not open."""
    # Opening must neither wait for a fifo's other end, nor make a terminal ours.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        size = os.fstat(descriptor).st_size
        return read_elf(lambda offset, count: os.pread(descriptor, count, offset), size)
    finally:
        os.close(descriptor)


def _with_contents(told: ElfFile, file: _File, start: bytes) -> ElfFile:
    required, segments = _extent(file, start)
    if required > file.size_bytes:
        raise _CutOffError(required)
    needed, run_path = _dependencies(file, segments)
    return replace(told, required_bytes=required, needed=needed, run_path=run_path)


def _extent(file: _File, start: bytes) -> tuple[int, list[_Segment]]:
    """Return where the file must end at the earliest, and its segments.

    Linkers map segments and never look at sections, whose table `strip` and `sstrip` may take away.
    """
    if len(start) < (64 if file.wide else 52):
        raise _CutOffError(64 if file.wide else 52)
    fields = file.unpack("IIIIHHHHHH", "QQQIHHHHHH", start[24:])
    _, programs_at, _, _, _, entry, count, *_ = fields
    if entry != (56 if file.wide else 32):  # the dynamic linker refuses any other size
        raise _DamagedError(f"its program headers have {entry} bytes each")
    ends = [programs_at + entry * count]
    segments = []
    for index in range(min(count, _MOST_HEADERS)):
        raw = file.take(programs_at + index * entry, entry)
        if file.wide:
            kind, _, offset, address, _, size = struct.unpack(file.order + "IIQQQQ", raw[:40])
        else:
            kind, offset, address, _, size = struct.unpack(file.order + "IIIII", raw[:20])
        segments.append(_Segment(kind, offset, address, size))
        if kind == _PT_LOAD:
            ends.append(offset + size)
    if max(ends) > _LARGEST_CREDIBLE:
        raise _DamagedError(f"its headers lead to byte {max(ends)}")
    if all(segment.kind != _PT_LOAD for segment in segments):
        raise _DamagedError("it has no segment to load")
    return max(ends), segments


def _dependencies(file: _File, segments: list[_Segment]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    entries = list(_dynamic_entries(file, segments))
    texts = next((value for tag, value in entries if tag == _DT_STRTAB), None)
    if texts is None:
        return (), ()
    texts_at = _file_offset(segments, texts)
    needed = tuple(_name(file, texts_at + value) for tag, value in entries if tag == _DT_NEEDED)
    # Where both are given, DT_RUNPATH makes the linker ignore DT_RPATH (ld.so(8)).
    paths = [_name(file, texts_at + value) for tag, value in entries if tag == _DT_RUNPATH] or [
        _name(file, texts_at + value) for tag, value in entries if tag == _DT_RPATH
    ]
    if "" in needed:
        raise _DamagedError("it needs a library that has no name")
    return needed, tuple(folder for path in paths for folder in path.split(":") if folder)


def _name(file: _File, offset: int) -> str:
    file.check(offset + 1)
    name, end, _ = file.read_at(offset, _LONGEST_NAME).partition(b"\0")
    if not end:
        raise _DamagedError(f"the name at byte {offset} has no end")
    return os.fsdecode(name)


def _dynamic_entries(file: _File, segments: list[_Segment]) -> Iterator[tuple[int, int]]:
    dynamic = next((segment for segment in segments if segment.kind == _PT_DYNAMIC), None)
    if dynamic is None:
        return
    raw = file.take(dynamic.offset, min(dynamic.size, 65536))
    step = 16 if file.wide else 8
    for at in range(0, len(raw) - step + 1, step):
        tag, value = file.unpack("II", "QQ", raw[at:])
        if tag == 0:
            return
        yield tag, value


def _file_offset(segments: list[_Segment], address: int) -> int:
    for segment in segments:
        if segment.kind == _PT_LOAD and 0 <= address - segment.address < segment.size:
            return segment.offset + address - segment.address
    raise _DamagedError(f"the names of what it needs are at {address:#x}, in no segment")


LARGEST_LINKER_CACHE_BYTES = 32 << 20
"""More is not read: a cache of ten thousand libraries has 2 MiB."""

_CACHE_MAGIC = b"glibc-ld.so.cache1.1"
_CACHE_HEADER = struct.Struct("=20sII5I")  # magic, entries, bytes of text, unused
_CACHE_ENTRY = struct.Struct("=iIIIQ")  # flags, name, path, unused, hardware capabilities
_LONGEST_PATH = 4096  # PATH_MAX


def read_linker_cache(raw: bytes) -> dict[str, tuple[CachedLibrary, ...]]:
    """Return name → libraries in the linker's own order; empty if the format is another.

    The linker ignores a cache that is shorter than its header announces, and an entry whose texts
    lie outside of it, so neither is an error.
    Source: dl-cache.c and dl-cache.h of the GNU C library; text offsets count from this header.
    """
    start = raw.find(_CACHE_MAGIC)
    if start < 0 or len(raw) - start < _CACHE_HEADER.size:
        return {}
    raw = raw[start:]
    count = _CACHE_HEADER.unpack_from(raw)[1]
    if _CACHE_HEADER.size + count * _CACHE_ENTRY.size > len(raw):
        return {}
    found: dict[str, list[CachedLibrary]] = {}
    for index in range(count):
        at = _CACHE_HEADER.size + index * _CACHE_ENTRY.size
        flags, name_at, path_at, _, _ = _CACHE_ENTRY.unpack_from(raw, at)
        name, path = _cached_text(raw, name_at), _cached_text(raw, path_at)
        if name and path and path.startswith("/"):
            found.setdefault(name, []).append(CachedLibrary(path=path, flags=flags))
    return {name: tuple(libraries) for name, libraries in found.items()}


def _cached_text(raw: bytes, offset: int) -> str | None:
    end = raw.find(b"\0", offset, offset + _LONGEST_PATH)
    return os.fsdecode(raw[offset:end]) if end >= 0 else None
