# SPDX-License-Identifier: MIT
"""What the dynamic linker says of a process: which libraries it loaded, and which in vain.

Source: ld.so(8), LD_DEBUG=files; the lines are those of glibc 2.17 to 2.42. Other C libraries
write no such files, and none is written for static and setuid programs.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_MOST_BYTES = 32 << 20
_MOST_FILES = 4096
_LINE = re.compile(r"^\s*(?P<pid>\d{1,10}):\t(?P<text>.*)$")
_ASKED = re.compile(
    r"file=(?P<name>.+?) \[\d+\];  (?P<how>dynamically loaded|needed) by (?P<by>.+) \[\d+\]"
)
_MAPPED = re.compile(r"file=(?P<name>.+?) \[\d+\];  generating link map")
_OPENED = re.compile(r"opening file=(?P<path>.+?) \[\d+\]; direct_opencount=")
_STARTED = re.compile(r"calling init: (?P<path>/.+)$")
_ERROR = re.compile(r"(?P<name>\S.*?): error: (?P<words>.+?) \((?:fatal|continued)\)$")
_NO_SYMBOL = "symbol lookup error"


class Wish(NamedTuple):
    """A library that a file asked for, by the name that it used."""

    name: str
    asked_by: str


class LinkerTrace(NamedTuple):
    """What one process loaded, in order, what it asked for in vain, and the linker's reasons.

    `half_loaded` are files that were mapped and never started, for something that they need is not
    there. `wishes` are all that was asked for.
    """

    pid: int
    loaded: tuple[str, ...]
    refused: tuple[Wish, ...]
    half_loaded: tuple[str, ...]
    wishes: tuple[Wish, ...]
    reasons: dict[str, str]


def read_traces(folder: str, stem: str) -> Iterator[LinkerTrace]:
    """Yield what the files `stem`.PID in `folder` tell, one for each process."""
    with os.scandir(folder) as entries:
        names = sorted(one.name for one in entries if one.name.startswith(f"{stem}."))
    for name in names[:_MOST_FILES]:
        pid = name.rpartition(".")[2]
        if pid.isdecimal():
            with Path(folder, name).open("rb") as file:
                text = file.read(_MOST_BYTES).decode("utf-8", "replace")
            yield read_trace(int(pid), text)


def read_trace(pid: int, text: str) -> LinkerTrace:
    """Return what the lines of one process tell; lines of another form tell nothing."""
    wishes: dict[str, Wish] = {}
    mapped: dict[str, None] = {}
    loaded: dict[str, None] = {}
    reasons: dict[str, str] = {}
    opened: set[str] = set()
    last = ""
    for line in text.splitlines():
        match = _LINE.match(line)
        said = match["text"] if match else ""
        if asked := _ASKED.match(said):
            wishes.setdefault(asked["name"], Wish(asked["name"], asked["by"]))
            last = asked["name"] if asked["how"] != "needed" else last
        elif found := _MAPPED.match(said):
            mapped.setdefault(found["name"])
        elif (one := _OPENED.match(said)) and _stem(one["path"]) == _stem(last):
            opened.add(last)  # it was there already under another name
        elif started := _STARTED.match(said):
            loaded.setdefault(started["path"])
        elif (error := _ERROR.match(said)) and not error["words"].startswith(_NO_SYMBOL):
            reasons.setdefault(error["name"], error["words"])
    started_names = set(loaded) | {path.rpartition("/")[2] for path in loaded} | opened
    refused = tuple(
        wish for name, wish in wishes.items() if name not in mapped and name not in started_names
    )
    half = tuple(name for name in mapped if name not in started_names)
    return LinkerTrace(pid, tuple(loaded), refused, half, tuple(wishes.values()), reasons)


def _stem(name: str) -> str:
    """Return a library's name without version and folder."""
    return name.rpartition("/")[2].partition(".so")[0]
