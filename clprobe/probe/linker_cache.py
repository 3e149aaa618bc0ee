# SPDX-License-Identifier: MIT
"""Reads /etc/ld.so.cache, where the dynamic linker finds libraries by name."""

import os
import struct

from clprobe.probe.host import CachedLibrary

LARGEST_BYTES = 32 << 20
"""More is not read: a cache of ten thousand libraries has 2 MiB."""

_MAGIC = b"glibc-ld.so.cache1.1"
_HEADER = struct.Struct("=20sII5I")  # magic, entries, bytes of text, unused
_ENTRY = struct.Struct("=iIIIQ")  # flags, name, path, unused, hardware capabilities
_LONGEST_TEXT = 4096  # PATH_MAX


def parse(raw: bytes) -> dict[str, tuple[CachedLibrary, ...]]:
    """Return name → libraries in the linker's own order; empty if the format is another.

    The linker ignores a cache that is shorter than its header announces, and an entry whose texts
    lie outside of it, so neither is an error.
    Source: dl-cache.c and dl-cache.h of the GNU C library; text offsets count from this header.
    """
    start = raw.find(_MAGIC)
    if start < 0 or len(raw) - start < _HEADER.size:
        return {}
    raw = raw[start:]
    count = _HEADER.unpack_from(raw)[1]
    if _HEADER.size + count * _ENTRY.size > len(raw):
        return {}
    found: dict[str, list[CachedLibrary]] = {}
    for index in range(count):
        flags, name_at, path_at, _, _ = _ENTRY.unpack_from(raw, _HEADER.size + index * _ENTRY.size)
        name, path = _text(raw, name_at), _text(raw, path_at)
        if name and path and path.startswith("/"):
            found.setdefault(name, []).append(CachedLibrary(path=path, flags=flags))
    return {name: tuple(libraries) for name, libraries in found.items()}


def _text(raw: bytes, offset: int) -> str | None:
    end = raw.find(b"\0", offset, offset + _LONGEST_TEXT)
    return os.fsdecode(raw[offset:end]) if end >= 0 else None
