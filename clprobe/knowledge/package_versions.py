# SPDX-License-Identifier: MIT
"""How dpkg, rpm and pacman order the versions of packages, as keys to compare by.

Written here because distributions package no library for all three. What is compared are runs of
characters; which run is newer, and what the end of a version counts for, differs.
Source: deb-version(7); rpm's rpmio/rpmvercmp.c; pacman's lib/libalpm/version.c.
"""

import functools
import re
from typing import Any

_DEBIAN_RUNS = re.compile(r"(\D*)(\d*)")
_RPM_RUNS = re.compile(r"\d+|[a-zA-Z]+|[~^]")
_PACMAN_RUNS = re.compile(r"\d+|[a-zA-Z]+|[^\da-zA-Z]+")
Key = tuple[Any, ...]


def debian_key(version: str) -> Key:
    """Return the key of [epoch:]upstream[-revision]; a revision that is lacking is 0."""
    epoch, rest = _epoch_of(version)
    upstream, _, revision = rest.rpartition("-") if "-" in rest else (rest, "", "0")
    return epoch, _debian_part(upstream), _debian_part(revision)


def _debian_part(text: str) -> Key:
    return tuple(
        # A tilde comes before the end, which comes before letters, which come before other signs.
        ((*map(_debian_weight, sign), 0), int(number or 0))
        for sign, number in _DEBIAN_RUNS.findall(text)
    )


def _debian_weight(sign: str) -> int:
    if sign == "~":
        return -1
    return ord(sign) if sign.isalpha() else ord(sign) + 256


def rpm_key(version: str) -> Key:
    """Return the key of [epoch:]version[-release]; a release that is lacking is the oldest."""
    epoch, rest = _epoch_of(version)
    number, _, release = rest.partition("-")
    return epoch, _rpm_part(number), _rpm_part(release)


def _rpm_part(text: str) -> Key:
    ranks = {"~": (0,), "^": (2,)}
    runs = [ranks.get(run) or _run(run, word=3, number=4) for run in _RPM_RUNS.findall(text)]
    return (*runs, (1,))


def pacman_key(version: str) -> Any:
    """Return the key of [epoch:]version[-release]; releases count where both have one."""
    return functools.cmp_to_key(_pacman_order)(version)


def _pacman_order(left: str, right: str) -> int:
    first, second = _pacman_parts(left), _pacman_parts(right)
    if not (first[2] and second[2]):
        first, second = first[:2], second[:2]
    return int(first > second) - int(first < second)


def _pacman_parts(version: str) -> Key:
    epoch, rest = _epoch_of(version)
    number, _, release = rest.rpartition("-") if "-" in rest else (rest, "", "")
    return epoch, _pacman_part(number), release and _pacman_part(release)


def _pacman_part(text: str) -> Key:
    runs = [
        _run(run, word=0, number=3) if run.isalnum() else (2, len(run))
        for run in _PACMAN_RUNS.findall(text)
    ]
    return (*runs, (1,))  # a word behind the end is older: 1.0rc1 comes before 1.0


def _run(run: str, *, word: int, number: int) -> Key:
    return (number, int(run)) if run.isdecimal() else (word, run)


def _epoch_of(version: str) -> tuple[int, str]:
    epoch, colon, rest = version.partition(":")
    return (int(epoch), rest) if colon and epoch.isdecimal() else (0, version)
