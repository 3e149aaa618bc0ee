# SPDX-License-Identifier: MIT
"""Notes how the files in a folder were written that decide, and tells whether they still are so.

Times, size and inode tell, as for the parsed rules: the time of change cannot be set back. To read
all files for their checksums would take longer than all else that a start does.
"""

import contextlib
import marshal
import os
import zlib

_FILE = "signatures"
_BELOW = "modules"
_PARSED = "/_data/rules/"
"""These files lie beside what they parse to, and that is read."""


def note(folder: str) -> None:
    """Note the files below modules/ in a folder; raises OSError."""
    top = f"{folder}/{_BELOW}"
    paths = [f"{parent}/{name}" for parent, _, names in os.walk(top) for name in names]
    found = {os.path.relpath(path, top): _signature(path) for path in paths if _decides(path)}
    content = marshal.dumps(found)
    with open(f"{folder}/{_FILE}", "xb") as file:  # noqa: PTH123 - pathlib is slower
        file.write(zlib.crc32(content).to_bytes(4, "big") + content)


def is_whole(folder: str) -> bool:
    """Return whether the files that were noted are there as they were; raises OSError."""
    with open(f"{folder}/{_FILE}", "rb") as file:  # noqa: PTH123
        checksum, content = file.read(4), file.read()
    if zlib.crc32(content).to_bytes(4, "big") != checksum:
        return False
    noted = marshal.loads(content)  # noqa: S302 - in a folder where nobody else can write
    return all(
        _signature(f"{folder}/{_BELOW}/{path}") == signature for path, signature in noted.items()
    )


def note_use(folder: str) -> None:
    """Note that a folder was of use: those that were not for long go."""
    with contextlib.suppress(OSError):
        os.utime(f"{folder}/{_FILE}")


def last_use(folder: str) -> float:
    """Return when a folder was of use; raises OSError where it was not finished."""
    return os.stat(f"{folder}/{_FILE}").st_mtime  # noqa: PTH116


def _decides(path: str) -> bool:
    """Return whether clprobe does something else if this file is another one."""
    if path.endswith(".py"):
        import importlib.util  # noqa: PLC0415 - not at each start

        return not os.path.exists(importlib.util.cache_from_source(path, optimization=""))  # noqa: PTH110
    return _PARSED not in path


def _signature(path: str) -> tuple[int, int, int, int]:
    status = os.lstat(path)
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
