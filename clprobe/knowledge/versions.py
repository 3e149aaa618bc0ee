# SPDX-License-Identifier: MIT
"""Versions compared as their own scheme says, and ranges of them: ">=24.35, <26"."""

import functools
import re
from collections.abc import Callable
from typing import Any, Literal

from packaging.version import InvalidVersion, Version

from clprobe.knowledge.package_versions import debian_key, pacman_key, rpm_key
from clprobe.model.errors import ClprobeError

Scheme = Literal[
    "debian", "rpm", "pacman", "pep440", "neo", "mesa", "linux", "windows", "dotted"
]  # fmt: skip
ANY = "*"
"""The range that every version lies in."""
_MOST_CHARACTERS = 500  # far more than any package's; Python converts no number of 4,301 digits


def in_range(version: str, versions: str, scheme: Scheme) -> bool:
    """Whether `version` meets every condition of the range `versions`, such as ">=4.2, <7".

    Conditions are `>=`, `>`, `<=`, `<`, `==` and are joined by commas; "*" holds for all. An
    upper bound is met by its own hotfixes only if they are named: 24.31.1 is above "<=24.31".

    Raises: ClprobeError if the version or the range cannot be read.
    """
    return all(
        _OPERATORS[operator](compare(version, bound, scheme))
        for operator, bound in conditions(versions)
    )


def compare(left: str, right: str, scheme: Scheme) -> int:
    """Return -1, 0 or 1 as `left` is older than, equal to or newer than `right`.

    Raises: ClprobeError if one of them is no version of that scheme.
    """
    for version in (left, right):
        if len(version) > _MOST_CHARACTERS:
            raise _malformed(f"{version[:40]}…", f"a version: it has {len(version)} characters")
    key = _KEYS[scheme]
    first, second = key(left), key(right)
    return int(first > second) - int(first < second)


def newest(versions: list[str], scheme: Scheme) -> str:
    """Return the newest of at least one version."""
    return max(versions, key=functools.cmp_to_key(functools.partial(compare, scheme=scheme)))


def is_empty(versions: str, scheme: Scheme) -> bool:
    """Whether no version can lie in the range, or in the ranges that are joined by a comma.

    Raises: ClprobeError if it cannot be read.
    """
    pairs = conditions(versions)
    lows = [(o, v) for o, v in pairs if o in (">=", ">", "==")]
    highs = [(o, v) for o, v in pairs if o in ("<=", "<", "==")]
    return any(
        (order := compare(low, high, scheme)) > 0 or (order == 0 and (above == ">" or below == "<"))
        for above, low in lows
        for below, high in highs
    )


def overlap(first: str, second: str, scheme: Scheme) -> bool:
    """Whether a version can lie in both ranges.

    Raises: ClprobeError if one cannot be read.
    """
    both = [text for text in (first, second) if text.strip() != ANY]
    return not is_empty(", ".join(both) or ANY, scheme)


@functools.lru_cache(maxsize=256)
def conditions(versions: str) -> tuple[tuple[str, str], ...]:
    """Return the range as (operator, version) pairs; none for "*".

    Raises: ClprobeError if it is not written as `in_range` reads it.
    """
    if versions.strip() == ANY:
        return ()
    pairs = []
    for part in versions.split(","):
        match = re.fullmatch(r"\s*(>=|>|<=|<|==)\s*([^\s,<>=]+)\s*", part)
        if match is None:
            raise ClprobeError(
                reference="version-range-malformed",
                message=f"{versions!r} is no range of versions: {part.strip()!r} is no condition.",
                hint='Write it like ">=24.35, <26", or "*" for every version.',
            )
        pairs.append((match[1], match[2]))
    return tuple(pairs)


def in_words(versions: str) -> str:
    """Return a range in words: "18.20 to 24.31", "24.31 or newer", "before 5"."""
    pairs = dict(conditions(versions))
    low, high, below = pairs.get(">="), pairs.get("<="), pairs.get("<")
    if "==" in pairs:
        return pairs["=="]
    if low is not None and high is not None:
        return f"{low} to {high}"
    said = [f"{low} or newer"] if low is not None else []
    said += [f"at most {high}"] if high is not None else []
    said += [f"before {below}"] if below is not None else []
    return ", ".join(said) or (versions if pairs else "any version")


def upstream(version: str) -> str:
    """Return the upstream part of a distribution's version: 23.43.1 of 1:23.43.1+ds1-1ubuntu3."""
    without_revision = version.split(":", 1)[-1].rsplit("-", 1)[0]
    return re.split(r"[+~]", without_revision, maxsplit=1)[0]


_OPERATORS: dict[str, Callable[[int], bool]] = {
    ">=": lambda order: order >= 0,
    ">": lambda order: order > 0,
    "<=": lambda order: order <= 0,
    "<": lambda order: order < 0,
    "==": lambda order: order == 0,
}


@functools.lru_cache(maxsize=1024)
def _numbers(version: str) -> tuple[int, ...]:
    """Return the leading dotted numbers: 6.8 of "6.8.0-51-generic" is (6, 8)."""
    match = re.match(r"v?(\d+(?:\.\d+)*)", version.strip())
    if match is None:
        raise _malformed(version, "dotted numbers")
    numbers = [int(number) for number in match[1].split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:  # 6.8.0 is 6.8
        numbers.pop()
    return tuple(numbers)


def _mesa(version: str) -> tuple[tuple[int, ...], int, int]:
    """Release candidates (25.2.0-rc1, 25.2.0-devel) come before their release."""
    match = re.match(r"\d+(?:\.\d+)*[-~]?(rc|devel)(\d*)", version.strip())
    if match is None:
        return _numbers(version), 1, 0
    stage = -1 if match[1] == "devel" else 0
    return _numbers(version), stage, int(match[2] or 0)


def _linux(version: str) -> tuple[tuple[int, ...], int, int]:
    """6.8-rc1 comes before 6.8; what a distribution appends is ignored, its base counts."""
    match = re.search(r"-rc(\d+)", version)
    return _numbers(version), 0 if match else 1, int(match[1]) if match else 0


def _pep440(version: str) -> Version:
    try:
        return Version(version)
    except InvalidVersion as error:
        raise _malformed(version, "a Python version (PEP 440)") from error


# Each version of a package is [epoch:]upstream[-revision].
_PACKAGE = re.compile(r"(\d+:)?[A-Za-z0-9][A-Za-z0-9.+~^_:]*(-[A-Za-z0-9.+~^_-]+)?")


def _packaged(version: str, kind: str) -> str:
    if not _PACKAGE.fullmatch(version.strip()):
        raise _malformed(version, kind)
    return version.strip()


def _debian(version: str) -> Any:
    return debian_key(_packaged(version, "a Debian version"))


def _rpm(version: str) -> Any:
    return rpm_key(_packaged(version, "an RPM version"))


def _pacman(version: str) -> Any:
    return pacman_key(_packaged(version, "a pacman version"))


def _windows(version: str) -> tuple[int, ...]:
    """Return the four numbers: WDDM, Direct3D, and two that count the builds."""
    if not re.fullmatch(r"\d+(\.\d+){3}", version.strip()):
        raise _malformed(version, "a Windows driver's version such as 31.0.101.4146")
    return tuple(int(number) for number in version.split("."))


_KEYS: dict[str, Callable[[str], Any]] = {
    "debian": _debian,
    "rpm": _rpm,
    "pacman": _pacman,
    "pep440": _pep440,
    "neo": _numbers,
    "mesa": _mesa,
    "linux": _linux,
    "windows": _windows,
    "dotted": _numbers,
}


def _malformed(version: str, kind: str) -> ClprobeError:
    return ClprobeError(
        reference="version-malformed",
        message=f"{version!r} is not {kind}.",
        hint="Give the version as the package or driver reports it.",
    )
