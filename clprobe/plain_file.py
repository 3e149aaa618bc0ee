# SPDX-License-Identifier: MIT
"""Reads a file that somebody named: never waits for it, and never more of it than was agreed."""

import errno
import os
import stat
from pathlib import Path

_OPEN_ALREADY = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
_KINDS = (
    (stat.S_ISDIR, "it is a folder"),
    (stat.S_ISFIFO, "it is a named pipe"),
    (stat.S_ISSOCK, "it is a socket"),
    (stat.S_ISCHR, "it is a device"),
    (stat.S_ISBLK, "it is a device"),
)


class TooLargeError(OSError):
    """The file holds more than was agreed."""


def read_plain(path: Path, most_bytes: int) -> bytes:
    """Return what a regular file holds, or a pipe that is open already, as the shell's `<(…)` is.

    Raises: TooLargeError if that is more than `most_bytes`; OSError if it cannot be opened, or is
    something else, which might never end or never begin.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            if not (stat.S_ISFIFO(mode) and str(path).startswith(_OPEN_ALREADY)):
                kind = next((text for tells, text in _KINDS if tells(mode)), "it is special")
                raise OSError(errno.EINVAL, f"{kind}, not a file that can be read")
            os.set_blocking(descriptor, True)
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise TooLargeError(errno.EFBIG, f"it is larger than {_size(most_bytes)}")
    return data


def _size(most_bytes: int) -> str:
    return f"{most_bytes >> 20} MiB" if most_bytes >= 1 << 20 else f"{most_bytes >> 10} KiB"
