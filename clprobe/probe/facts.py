# SPDX-License-Identifier: MIT
"""Turns what a host refuses into an Unknown with a reason: the one guard of all probes.

Whatever a file, a driver or a mistake of ours does, it costs only the fact that was asked for.
"""

import errno
import os
import traceback
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from msgspec.structs import fields

from clprobe.model.fact import FactStruct
from clprobe.model.unknown import NOT_STATED, Unknown, listed

T = TypeVar("T")
Part = TypeVar("Part", bound=FactStruct)
P = ParamSpec("P")

ABSENT = (errno.ENOENT, errno.ENOTDIR)
STRICT = "CLPROBE_STRICT"
"""Variable that, when set, lets a fault of clprobe itself end the run: its tests set it."""


def ask(question: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T | Unknown:
    """Return the answer of a host or of a whole probe; Unknown with the reason if it fails.

    The reason is the errno and the path. Any other exception is a fault of clprobe: the reason
    says so, names what was looked at, and asks to report it.
    """
    try:
        return question(*arguments, **named)
    except OSError as error:
        return Unknown(reason(error))
    except Exception as error:
        if STRICT in os.environ:
            raise
        return Unknown(_own_fault(error, question, arguments))


def or_unknown(answer: Part | Unknown, kind: type[Part], /, **stated: Any) -> Part:
    """Return the answer; where it is Unknown, a `kind` that knows nothing but what is `stated`."""
    return unknown_part(kind, answer, **stated) if isinstance(answer, Unknown) else answer


def unknown_part(kind: type[Part], why: Unknown, /, **stated: Any) -> Part:
    """Return a part of the snapshot in which every fact but the `stated` ones is `why`."""
    for field in fields(kind):
        if field.name in stated:
            continue
        if field.default is NOT_STATED:
            stated[field.name] = why
        elif isinstance(field.default, FactStruct):
            stated[field.name] = unknown_part(type(field.default), why)
    return kind(**stated)


def ask_text(read: Callable[[str], bytes], path: str) -> str | Unknown:
    """Return a file as text; bytes that are not UTF-8 are replaced."""
    raw = ask(read, path)
    return raw if isinstance(raw, Unknown) else raw.decode("utf-8", "replace")


def ask_names(list_folder: Callable[[str], tuple[str, ...]], path: str) -> tuple[str, ...]:
    """Return the names in a folder, none where it cannot be listed."""
    return listed(ask(list_folder, path))


def is_there(question: Callable[[str], object], path: str) -> bool:
    """Tell whether a question about the path, such as for its status, gets an answer."""
    return not isinstance(ask(question, path), Unknown)


def unless_absent(question: Callable[[str], T], path: str) -> T | None:
    """Return the answer, None if there is no such file or folder; other errors go on."""
    try:
        return question(path)
    except OSError as error:
        if error.errno in ABSENT:
            return None
        raise


def ask_unless_absent(question: Callable[[str], T], path: str) -> T | Unknown | None:
    """Return the answer, None if there is no such file or folder; Unknown if it is refused."""
    try:
        return unless_absent(question, path)
    except OSError as error:
        return Unknown(reason(error))


def ask_text_unless_absent(read: Callable[[str], bytes], path: str) -> str | Unknown | None:
    """Return a file as `ask_text` does, None if there is none."""
    raw = ask_unless_absent(read, path)
    return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw


def reason(error: OSError) -> str:
    """Return an error in few words: path, then what the system said."""
    text = os.strerror(error.errno) if error.errno else str(error)
    return f"{error.filename}: {text}" if error.filename else text


def _own_fault(
    error: Exception, question: Callable[..., object], arguments: tuple[object, ...]
) -> str:
    subject = next((one for one in arguments if isinstance(one, str)), None)
    what = subject or getattr(question, "__name__", type(question).__name__)
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{last.filename.rpartition('/')[2]}:{last.lineno}"
    return (
        f"{what}: clprobe failed to look at it ({type(error).__name__}: {error}, {place}); "
        "this is a fault of clprobe, please report it"
    )
