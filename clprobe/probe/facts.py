# SPDX-License-Identifier: MIT
"""Turns what a host refuses into an Unknown with a reason."""

import errno
import os
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from clprobe.model.unknown import Unknown

T = TypeVar("T")
P = ParamSpec("P")

ABSENT = (errno.ENOENT, errno.ENOTDIR)


def ask(question: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T | Unknown:
    """Return the host's answer, or Unknown with the errno and the path."""
    try:
        return question(*arguments, **named)
    except OSError as error:
        return Unknown(reason(error))


def ask_text(read: Callable[[str], bytes], path: str) -> str | Unknown:
    """Return a file as text; bytes that are not UTF-8 are replaced."""
    raw = ask(read, path)
    return raw if isinstance(raw, Unknown) else raw.decode("utf-8", "replace")


def names_in(list_folder: Callable[[str], tuple[str, ...]], path: str) -> tuple[str, ...]:
    """Return the names in a folder, none where there is no such folder; other errors go on."""
    try:
        return list_folder(path)
    except OSError as error:
        if error.errno in ABSENT:
            return ()
        raise


def reason(error: OSError) -> str:
    """Return an error in few words: path, then what the system said."""
    text = os.strerror(error.errno) if error.errno else str(error)
    return f"{error.filename}: {text}" if error.filename else text
