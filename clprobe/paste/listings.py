# SPDX-License-Identifier: MIT
"""Reads what tells about files: ls -l lines, stat, getfacl, and the errors of ls and cat."""

import msgspec

from clprobe.knowledge.printed import Forms

_FORMS = Forms("listings")


class Listed(msgspec.Struct, frozen=True):
    """A line of `ls -l`: numbers in owner and group stay texts."""

    kind: str
    mode: str
    has_acl: bool
    owner: str
    group: str
    name: str
    target: str | None


def listed(line: str) -> Listed | None:
    """Return the line of `ls -l`; None if it is none."""
    found = _FORMS.ls.match(line)
    if found is None:
        return None
    name, _, target = found["name"].partition(" -> ")
    return Listed(
        kind=found["kind"],
        mode=octal(found["bits"]),
        has_acl=found["mark"] == "+",
        owner=found["owner"],
        group=found["group"].split()[0],
        name=name,
        target=target or None,
    )


def octal(bits: str) -> str:
    """Return `rw-rw----` as 0660."""
    special = sum(value for value, at in ((4, 2), (2, 5), (1, 8)) if bits[at] in "sStT")
    digits = [
        sum(
            weight
            for weight, letter in zip((4, 2, 1), bits[at : at + 3], strict=True)
            if letter not in "-ST"
        )
        for at in (0, 3, 6)
    ]
    return f"{special}" + "".join(map(str, digits))


def errno_of(line: str) -> str | None:
    """Return the errno name of the message that the line ends with."""
    lower = line.lower()
    return next((name for text, name in _FORMS.tables["errors"].items() if text in lower), None)


def path_in_error(line: str) -> str | None:
    """Return the file that a line such as `ls: cannot access '/dev/dri': …` complains about."""
    found = _FORMS.path_in_error.search(line)
    return found["path"].rstrip("/") if found else None


def is_driver(path: str) -> bool:
    """Tell whether the file name is that of a vendor's OpenCL library."""
    return _FORMS.driver.match(path) is not None
