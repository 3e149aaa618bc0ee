# SPDX-License-Identifier: MIT
"""Picks lines out of long text files and out of the log of Linux, without waiting for more."""

import contextlib
import os
import re
import stat

_MOST_READ = 64 << 20
_PIECE = 65536  # more than the longest record of /dev/kmsg


def matching(descriptor: int, pattern: str, last_bytes: int) -> tuple[str, ...]:
    """Return the lines among the last bytes in whose lower case the pattern is found.

    Searching lower-case text takes a fifth of the time that a search without regard to case takes.
    """
    text = _last(descriptor, last_bytes).decode("utf-8", "replace").replace("\r", "")
    lowered = text.lower()
    if len(lowered) != len(text):  # letters such as İ become two
        lowered = text
    found = []
    form, at = re.compile(pattern), 0
    while match := form.search(lowered, at):
        start = lowered.rfind("\n", 0, match.start()) + 1
        end = lowered.find("\n", match.end())
        end = len(lowered) if end < 0 else end
        found.append(text[start:end])
        at = end + 1
        if at > len(lowered):
            break
    return tuple(found)


def _last(descriptor: int, count: int) -> bytes:
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) and status.st_size > count:
        os.lseek(descriptor, status.st_size - count, os.SEEK_SET)
    kept = bytearray()
    read = 0
    for piece in iter(lambda: _piece(descriptor), b""):
        kept += piece
        read += len(piece)
        if len(kept) > 2 * count:
            del kept[:-count]
        # A file that grows as fast as it is read must come to an end too.
        if read > _MOST_READ:
            break
    return bytes(kept[-count:])


def _piece(descriptor: int) -> bytes:
    """Return what can be read now; empty at the end, or where there is nothing yet."""
    with contextlib.suppress(BlockingIOError):
        try:
            return os.read(descriptor, _PIECE)
        except BrokenPipeError:  # /dev/kmsg: the record was overwritten; the next one stands now
            return os.read(descriptor, _PIECE)
    return b""
