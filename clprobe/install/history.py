# SPDX-License-Identifier: MIT
"""Which releases still package an implementation, for whoever's release does not."""

from clprobe.install.machine import Machine
from clprobe.knowledge.table_types import Distribution, Implementation
from clprobe.knowledge.tables import Tables

_USUAL = ("debian", "ubuntu", "fedora")
_MOST = 4


def last_packaged(
    implementation: Implementation, machine: Machine, tables: Tables
) -> tuple[str, tuple[Distribution, ...]]:
    """Return a clause on the last releases that package it, and their entries; "" if none do."""
    key = implementation.implementation
    last: dict[str, tuple[Distribution, bool]] = {}
    for release in tables.distributions():
        if release.id not in _USUAL:
            continue
        if _packages(release, key):
            last[release.id] = (release, True)
        elif release.id in last and _lacks(release, key):
            last[release.id] = (last[release.id][0], False)
    own = machine.distribution
    found = [(r, newest) for r, newest in last.values() if own is None or r.key != own.key]
    gone = tuple(release for release, newest in found if not newest)
    if gone and len(gone) == len(found):
        releases = gone[:_MOST]
        text = f"the last releases that do are {_listed(releases)}"
    else:
        releases = tuple(release for release, _ in found)[:_MOST]
        text = f"{_listed(releases)} {'does' if len(releases) == 1 else 'do'}" if releases else ""
    if text and implementation.packaging is not None:
        text += f"; {implementation.packaging}"
    return text, releases


def _packages(release: Distribution, key: str) -> bool:
    return any(
        key in version.implementations
        for versions in release.packages.values()
        for version in versions
        if version.pocket != "aur"
    )


def _lacks(release: Distribution, key: str) -> bool:
    return any(key in entry.implementations for entry in release.lacks)


def _listed(releases: tuple[Distribution, ...]) -> str:
    names = [release.short_name for release in releases]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
