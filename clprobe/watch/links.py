# SPDX-License-Identifier: MIT
"""What the dynamic linker did in each process, and with which variables it began.

The library of clprobe.watch.counting writes it from inside (source/links.c), one file a process: a
letter and two texts that end in a zero. P begins a program, also one that exec(3) makes of the same
process; V is a variable; S a library that is asked for, and by which file; O one that was opened, C
one that was closed.
"""

import os
import stat
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

_SUFFIX = ".links"
_MOST_BYTES = 16 << 20
_MOST_FILES = 4096
_MOST_PROGRAMS = 64


class Wish(NamedTuple):
    """A library that a file asked for, by the name that it used; the program's own name is ""."""

    name: str
    asked_by: str


class Links(NamedTuple):
    """What one program loaded, in order, and what it asked for in vain.

    `half_loaded` are files that were opened and closed again, for something that they need is not
    there. `wishes` are all that was asked for; `program` is its file.
    """

    pid: int
    program: str
    environment: dict[str, str]
    loaded: tuple[str, ...]
    refused: tuple[Wish, ...]
    half_loaded: tuple[str, ...]
    wishes: tuple[Wish, ...]


def read_links(folder: str) -> Iterator[Links]:
    """Yield what each process told that could write into `folder`, its last program last."""
    with os.scandir(folder) as entries:
        names = sorted(one.name for one in entries if one.name.endswith(_SUFFIX))
    for name in names[:_MOST_FILES]:
        pid = name.removesuffix(_SUFFIX)
        if pid.isdecimal():
            yield from links_in(int(pid), _content(Path(folder, name)))


def links_in(pid: int, raw: bytes) -> list[Links]:
    """Return what one process told, a program each; what is cut off or damaged tells nothing."""
    texts = raw.decode("utf-8", "replace").split("\0")
    records = [(one[:1], one[1:], two) for one, two in zip(texts[::2], texts[1::2], strict=False)]
    begun = [at for at, record in enumerate(records) if record[0] == "P"][-_MOST_PROGRAMS:]
    ends = [*begun[1:], len(records)]
    return [_links(pid, records[at:end]) for at, end in zip(begun, ends, strict=False)]


def _links(pid: int, records: list[tuple[str, str, str]]) -> Links:
    program = records[0][1]
    # At its end all is closed, the program itself, which has no name, first.
    alive = list(takewhile(lambda record: record[:2] != ("C", ""), records))
    variables = (name.partition("=") for kind, name, _ in alive if kind == "V")
    wishes = dict.fromkeys(Wish(name, by) for kind, name, by in alive if kind == "S")
    opened = dict.fromkeys(name for kind, name, _ in alive if kind == "O" and name)
    closed = {name for kind, name, _ in alive if kind == "C"}
    refused = tuple(wish for wish in wishes if not _is_met(wish, opened))
    half = tuple(name for name in closed if any(wish.asked_by == name for wish in refused))
    return Links(
        pid=pid,
        program=program,
        environment={name: value for name, _, value in variables},
        loaded=tuple(name for name in opened if name not in half),
        refused=refused,
        half_loaded=half,
        wishes=tuple(wishes),
    )


def _is_met(wish: Wish, opened: dict[str, None]) -> bool:
    """Whether the library was opened, be it before and under another of its names."""
    name = wish.name.rpartition("/")[2]
    return any(
        path == wish.name
        or path.rpartition("/")[2] == name
        or (_stem(path) == _stem(name) and Path(path).with_name(name).exists())
        for path in opened
    )


def _stem(name: str) -> str:
    """Return a library's name without version and folder."""
    return name.rpartition("/")[2].partition(".so")[0]


def _content(path: Path) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    with os.fdopen(descriptor, "rb") as file:
        return file.read(_MOST_BYTES) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
