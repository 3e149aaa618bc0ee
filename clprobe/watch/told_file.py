# SPDX-License-Identifier: MIT
"""Reads what a watched program wrote: its folder may be open to others, so nothing is trusted."""

import os
import stat
from pathlib import Path


def read_told(path: Path, most_bytes: int) -> bytes | None:
    """Return the beginning of a regular file; None if it is none, is a link, or does not read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(most_bytes)
    except OSError:
        return None
    finally:
        os.close(descriptor)
