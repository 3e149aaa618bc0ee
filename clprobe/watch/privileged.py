# SPDX-License-Identifier: MIT
"""Programs that gain rights as they start: Linux keeps them from being looked into."""

import os
import re
import shutil
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

_PATH = re.compile(r"(?<![\w.-])/[\w./+-]{2,200}")
_MOST_BYTES, _MOST_PROGRAM_BYTES = 64 << 10, 64 << 20
_NAMES = (b"libOpenCL", b"clGetPlatformIDs")
_VARIABLE = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>.*)", re.DOTALL)


def gains_rights(path: str) -> bool:
    """Return whether a file is another user's or group's as it runs, or has capabilities.

    Who is that user or in that group already gains nothing, nor does root by capabilities.

    Raises: OSError if it cannot be looked at.
    """
    status = Path(path).stat()
    if status.st_mode & stat.S_ISUID and status.st_uid != os.geteuid():
        return True
    if status.st_mode & stat.S_ISGID and status.st_gid != os.getegid():
        return True
    return os.getuid() != 0 and "security.capability" in os.listxattr(path)


def privileged_file(command: str) -> str | None:
    """Return the file that a command stands for, if it gains rights; None: it does not."""
    path = shutil.which(command)
    try:
        return os.path.realpath(path) if path is not None and gains_rights(path) else None
    except OSError:
        return None


def privileged_in_script(words: Sequence[str]) -> Iterator[str]:
    """Yield the files that a script names by their paths and that gain rights."""
    script = next((word for word in words if not word.startswith("-")), None)
    try:
        with open(script or "", "rb") as file:  # noqa: PTH123 - as in sight.py
            text = file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return
    for path in dict.fromkeys(_PATH.findall(text)):
        if (found := privileged_file(path)) is not None:
            yield found


def holds_loaders_name(path: str) -> bool:
    """Return whether a file holds an OpenCL loader's name."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - as in sight.py
            content = file.read(_MOST_PROGRAM_BYTES)
    except OSError:
        return False
    return any(name in content for name in _NAMES)


def given_variables(argv: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the variables that env(1) is to set, by its words."""
    for word in argv[1:]:
        found = _VARIABLE.fullmatch(word)
        if found is not None:
            yield found["name"], found["value"]
        elif not word.startswith("-"):
            return
