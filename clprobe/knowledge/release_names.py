# SPDX-License-Identifier: MIT
"""Finds releases of distributions by what people call them: noble, "Linux Mint 22", RHEL 9.4."""

import re
from collections.abc import Sequence

from clprobe.knowledge.table_types import Derived, Distribution

_NOISE = {"linux", "gnu", "os", "edition", "workstation", "server", "desktop", "lts", "release"}


def find(name: str, known: Sequence[Distribution]) -> list[Distribution]:
    """Return the releases of that name, from old to new: all of them for a distribution's name.

    The best kind of match wins: the whole name, then a part of it. What is built on a release
    (Linux Mint 22) has no table of its own and is found by `find_derived`.
    """
    for reading in _readings(name):
        wanted = _words(reading)
        whole = [one for one in known if _squeezed(reading) in map(_squeezed, _names(one))]
        found = whole or [one for one in known if _tells(wanted) and wanted <= _all_words(one)]
        if found:
            return found
    return []


def find_derived(name: str, known: Sequence[Distribution]) -> list[tuple[Derived, Distribution]]:
    """Return what of that name is built on a release, with that release."""
    for reading in _readings(name):
        wanted = _words(reading)
        pairs = [(one, base) for base in known for one in base.derived]
        found = [pair for pair in pairs if any(wanted <= _words(text) for text in pair[0].names)]
        if found and _tells(wanted):
            return found
    return []


def newest(name: str, known: Sequence[Distribution]) -> Distribution | None:
    """Return the one release to plan for: of several the newest that is no development branch."""
    found = find(name, known) or [base for _, base in find_derived(name, known)]
    stable = [one for one in found if re.fullmatch(r"[\d.]+", one.release)]
    return (stable or found)[-1] if found else None


def _readings(name: str) -> tuple[str, str]:
    """Return the name, and without a point release: RHEL 9.4."""
    return name, re.sub(r"(\d)\.\d+$", r"\1", name)


def _names(release: Distribution) -> tuple[str, ...]:
    rebuilds = (f"{one}-{release.release}" for one in release.also)
    return (release.key, *release.called, release.codename or release.key, *rebuilds)


def _all_words(release: Distribution) -> set[str]:
    ids = " ".join((release.id, *release.also))
    return _words(f"{ids} {release.release} {release.codename or ''}")


def _squeezed(text: str) -> str:
    return re.sub(r"[^a-z0-9.]", "", text.lower())


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9.]+", text.lower())) - _NOISE


def _tells(words: set[str]) -> bool:
    """Whether the words tell releases apart, which a small number alone does not."""
    return any(re.search(r"[a-z]|\d\d\.\d", word) for word in words)
