# SPDX-License-Identifier: MIT
"""What the dynamic linker did in each process, and with which variables it began.

The library of clprobe.watch.counting writes it from inside (source/links.c), into a stream common
to all or a file for each process: a letter and three texts that end in a zero, the last of which
is the process. P begins a program, also one that exec(3) makes of the same process; U is its user
with its groups, L its address space in bytes, M another limit, A an argument, V a variable, F one
that names a folder which it may not write to, and why; S a library that is asked for, and by which
file; O one that was opened, C one that was closed; Q a type of devices that was asked for, and the
answer; G what was asked of a device; B what its compiler complained of. Of a program that asks for
a library which leads to devices there are also N, its mount namespace, I, an .icd file, D, a node
to a GPU that it sees, with how opening it would be refused, and T, one on a mount with nodev.
"""

import os
import re
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from clprobe.probe.elf import elf_at
from clprobe.watch.told_file import read_told

_SUFFIX = ".links"
STREAM_NAME = "stream.links"
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
    there. `wishes` are all that was asked for; `program` is its file. `nodes` have the errno with
    which opening is refused, None: it is not; `nodev` are those on a mount without device files.
    `asked` are types of devices, as bits of CL_DEVICE_TYPE, with the code that clGetDeviceIDs
    returned. `limits` are soft ones by the name that prlimit(1) has for them, None: there is none.
    `closed_folders` have the errno with which writing is refused, by variable. `properties` are
    numbers of CL_DEVICE_… in the order in which they were asked for first. `complaints` are pieces
    of build logs, from the first error on. `has_ended`: it came to its own end, with nothing open.
    """

    pid: int
    program: str
    namespace: str
    uid: int | None
    groups: tuple[int, ...]
    address_space_bytes: int | None
    environment: dict[str, str]
    icds: tuple[str, ...]
    nodes: dict[str, str | None]
    nodev: tuple[str, ...]
    loaded: tuple[str, ...]
    refused: tuple[Wish, ...]
    half_loaded: tuple[str, ...]
    wishes: tuple[Wish, ...]
    asked: tuple[tuple[int, int], ...]
    argv: tuple[str, ...]
    limits: dict[str, int | None]
    closed_folders: dict[str, str]
    properties: tuple[int, ...]
    complaints: tuple[str, ...]
    has_ended: bool


def read_links(folder: str) -> Iterator[Links]:
    """Yield what each process told that could write, its last program last."""
    with os.scandir(folder) as entries:
        names = {one.name for one in entries if one.name.endswith(_SUFFIX)}
    # A process that has closed the descriptor of the stream goes on in a file of its own.
    files = sorted(names, key=lambda name: (name != STREAM_NAME, name))[:_MOST_FILES]
    yield from links_in(*(read_told(Path(folder, name), _MOST_BYTES) or b"" for name in files))


def links_in(*files: bytes) -> list[Links]:
    """Return what processes told, a program each; what is cut off or damaged tells nothing."""
    by_process: dict[str, list[_Record]] = {}
    for raw in files:
        texts = raw.decode("utf-8", "replace").split("\0")
        for one, two, pid in zip(texts[::3], texts[1::3], texts[2::3], strict=False):
            by_process.setdefault(pid, []).append(_Record(one[:1], one[1:], two))
    found = []
    for pid, records in by_process.items():
        if records[0].kind != "P":  # a forked child, whose program is its parent's
            records.insert(0, _Record("P", "", ""))
        begun = [at for at, record in enumerate(records) if record.kind == "P"][-_MOST_PROGRAMS:]
        ends = [*begun[1:], len(records)]
        if pid.isdecimal():
            programs = zip(begun, ends, strict=False)
            found += [_links(int(pid), records[at:end]) for at, end in programs]
    return found


class _Record(NamedTuple):
    kind: str
    first: str
    second: str


def _links(pid: int, records: list[_Record]) -> Links:
    # At its end all is closed, the program itself, which has no name, first.
    alive = list(takewhile(lambda record: record[:2] != ("C", ""), records))
    of: dict[str, list[_Record]] = {}
    for record in alive:
        of.setdefault(record.kind, []).append(record)
    variables = (one.first.partition("=") for one in of.get("V", ()))
    wishes = dict.fromkeys(Wish(one.first, one.second) for one in of.get("S", ()))
    opened = dict.fromkeys(one.first for one in of.get("O", ()) if one.first)
    refused = tuple(wish for wish in wishes if not _is_met(wish, opened))
    closed = dict.fromkeys(one.first for one in of.get("C", ()))
    half = tuple(name for name in closed if _needs_any(name, refused))
    user = next(iter(of.get("U", ())), _Record("U", "", ""))
    return Links(
        pid=pid,
        program=records[0].first,
        namespace=next((one.first for one in of.get("N", ())), ""),
        uid=int(user.first) if user.first.isdecimal() else None,
        groups=tuple(dict.fromkeys(int(one) for one in user.second.split() if one.isdecimal())),
        address_space_bytes=next(
            (int(one.first) for one in of.get("L", ()) if one.first.isdecimal()), None
        ),
        environment={name: value for name, _, value in variables},
        icds=tuple(sorted(one.first for one in of.get("I", ()) if one.first.endswith(".icd"))),
        nodes={one.first: one.second or None for one in of.get("D", ())},
        nodev=tuple(one.first for one in of.get("T", ())),
        loaded=tuple(name for name in opened if name not in half),
        refused=refused,
        half_loaded=half,
        wishes=tuple(wishes),
        asked=tuple(_asked(of.get("Q", ()))),
        argv=tuple(one.first for one in of.get("A", ())),
        limits={one.first: _number(one.second) for one in of.get("M", ())},
        closed_folders={one.first: one.second for one in of.get("F", ())},
        properties=tuple(int(one.first) for one in of.get("G", ()) if _number(one.first)),
        has_ended=len(alive) < len(records),
        complaints=tuple(dict.fromkeys(one.first for one in of.get("B", ()))),
    )


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


def _asked(records: Iterable[_Record]) -> Iterator[tuple[int, int]]:
    for one in records:
        if one.first.isdecimal() and re.fullmatch(r"-?\d{1,6}", one.second):
            yield int(one.first), int(one.second)


def _needs_any(path: str, refused: tuple[Wish, ...]) -> bool:
    """Whether a file that was closed again lacks something that its headers name as needed."""
    wanted = {wish.name for wish in refused if wish.asked_by == path}
    if not wanted:
        return False
    try:
        headers = elf_at(path)
    except OSError:
        return True
    return not wanted.isdisjoint(headers.needed)


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
