# SPDX-License-Identifier: MIT
"""Questions about the inside of a container, and the answers that inside.sh gives to them."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from clprobe.probe.host import FileKind, FileStatus

Question = tuple[str, str]
"""A kind that inside.sh knows, such as look or text, and a path."""
_START = re.compile(rb"(?m)^\x01(?P<kind>[a-z]+) (?P<word>[a-z-]+) (?P<path>.*)$")
_END = b"\n\x01end\n"
_LISTED = re.compile(
    r"(?P<kind>[-bcdlps])(?P<bits>[-rwxsStT]{9})(?P<more>[.+@]?)\s+\d+\s+(?P<uid>\d+)\s+"
    r"(?P<gid>\d+)\s+(?:(?P<major>\d+),\s*(?P<minor>\d+)|(?P<size>\d+))\s"
)
"""A line of `ls -ln`, as coreutils and busybox write it."""
_KINDS: dict[str, FileKind] = {
    "-": "file",
    "d": "directory",
    "l": "link",
    "p": "fifo",
    "s": "socket",
    "c": "character-device",
    "b": "block-device",
}
_SET = {2: 0o4000, 5: 0o2000, 8: 0o1000}
_ERRNOS = {
    "Permission denied": "EACCES",
    "Operation not permitted": "EPERM",
    "No such file or directory": "ENOENT",
    "No such device or address": "ENXIO",
    "No such device": "ENODEV",
    "Input/output error": "EIO",
    "Device or resource busy": "EBUSY",
    "Read-only file system": "EROFS",
    "Is a directory": "EISDIR",
}
"""What shells say of a file that does not open, in the language C."""


class Answer(NamedTuple):
    """`word` says how it went: found, absent, denied and the like; `body` is what was found."""

    word: str
    body: bytes


class Looked(NamedTuple):
    """What `ls` shows of a path: itself, what it leads to, and where that is."""

    link: FileStatus
    target: FileStatus | None
    real_path: str
    has_access_list: bool


def read_answers(printed: bytes) -> dict[Question, Answer]:
    """Return the answers in what inside.sh printed; one that was cut off is left out."""
    found: dict[Question, Answer] = {}
    at = 0
    while (start := _START.search(printed, at)) is not None:
        end = printed.find(_END, start.end())
        if end < 0:
            break
        key = start["kind"].decode(), start["path"].decode("utf-8", "surrogateescape")
        found[key] = Answer(start["word"].decode(), printed[start.end() + 1 : end])
        at = end + len(_END)
    return found


def looked(body: bytes) -> Looked | None:
    """Return what `ls` and `readlink` told; None if it is not understood."""
    lines = body.decode("utf-8", "surrogateescape").split("\n")
    link = _LISTED.match(lines[0])
    if link is None or len(lines) < 3:
        return None
    target = _LISTED.match(lines[1])
    return Looked(
        _status(link), None if target is None else _status(target), lines[2], link["more"] == "+"
    )


def _status(line: re.Match[str]) -> FileStatus:
    number = f"{line['major']}:{line['minor']}" if line["major"] else ""
    return FileStatus(
        kind=_KINDS[line["kind"]],
        mode=_mode(line["bits"]),
        uid=int(line["uid"]),
        gid=int(line["gid"]),
        size=int(line["size"] or 0),
        device=number,
    )


def _mode(bits: str) -> int:
    mode = 0
    for place, letter in enumerate(bits):
        if letter not in "-ST":
            mode |= 1 << (8 - place)
        if letter in "sStT":
            mode |= _SET[place]
    return mode


def errno_of(body: bytes) -> str | None:
    """Return the errno that a shell's complaint about a file means; None: there is none.

    Raises: ValueError if it complains about something else.
    """
    text = body.decode("utf-8", "replace").strip()
    if not text:
        return None
    for words, errno in _ERRNOS.items():
        if words in text:
            return errno
    raise ValueError(text[:200])


def cached_in(body: bytes, name: str) -> Iterator[str]:
    """Yield the files that `ldconfig -p` has under the library name."""
    for line in body.decode("utf-8", "replace").splitlines():
        left, arrow, path = line.strip().partition(" => ")
        if arrow and left.partition(" ")[0] == name:
            yield path
