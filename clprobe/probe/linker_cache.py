# SPDX-License-Identifier: MIT
"""Reads /etc/ld.so.cache, where the dynamic linker finds libraries by name."""

import struct

from clprobe.probe.host import CachedLibrary

_MAGIC = b"glibc-ld.so.cache1.1"
_HEADER = struct.Struct("=20sII5I")  # magic, entries, bytes of text, unused
_ENTRY = struct.Struct("=iIIIQ")  # flags, name, path, unused, hardware capabilities


def parse(raw: bytes) -> dict[str, tuple[CachedLibrary, ...]]:
    """Return name → libraries in the linker's own order; empty if the format is another.

    Source: dl-cache.h of the GNU C library; text offsets count from this header.
    """
    start = raw.find(_MAGIC)
    if start < 0:
        return {}
    raw = raw[start:]
    count = _HEADER.unpack_from(raw)[1]
    found: dict[str, list[CachedLibrary]] = {}
    for index in range(count):
        at = _HEADER.size + index * _ENTRY.size
        if at + _ENTRY.size > len(raw):
            break
        flags, name, path, _, _ = _ENTRY.unpack_from(raw, at)
        library = CachedLibrary(path=_text(raw, path), flags=flags)
        found.setdefault(_text(raw, name), []).append(library)
    return {name: tuple(libraries) for name, libraries in found.items()}


def _text(raw: bytes, offset: int) -> str:
    return raw[offset : raw.find(b"\0", offset)].decode("utf-8", "replace")
