# SPDX-License-Identifier: MIT
"""What a release of Linux means for a GPU and for the runtimes that would drive it."""

from collections.abc import Iterable, Iterator

import msgspec

from clprobe.compat.packages import release_of
from clprobe.knowledge.table_types import Generation, GpuEntry, Implementation, Platform, Release
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import in_range
from clprobe.model.errors import ClprobeError
from clprobe.model.system import System
from clprobe.model.unknown import NOT_STATED, UNLISTED, Fact, Unknown


class Identity(msgspec.Struct, frozen=True):
    """What the tables know of a GPU: its entry by PCI id, or by name what all of that name share.

    `platforms` are the chips of that name.
    """

    pci_id: str | None
    gpu: GpuEntry | None
    generation: Generation | None
    platforms: frozenset[str] = frozenset()


def likely_linux(system: System, tables: Tables) -> Fact[str]:
    """Return the Linux that runs, else the one that the distribution ships: it may be suspected."""
    if not isinstance(system.linux.release, Unknown):
        return system.linux.release
    release = release_of(tables, system.distribution)
    shipped = release.linux.default if release is not None and release.linux is not None else None
    return shipped if shipped is not None else system.linux.release


def linux_binds(identity: Identity, linux: Fact[str]) -> Fact[str]:
    """Return whether this Linux has a driver for the GPU: by-itself, forced or no."""
    if isinstance(linux, Unknown):
        return linux
    verdicts = {_platform_binds(platform, linux) for platform in platforms_of(identity)}
    return verdicts.pop() if len(verdicts) == 1 else UNLISTED


def platforms_of(identity: Identity) -> list[Platform]:
    """Return the chips that the GPU may be; none where the tables do not know it."""
    if identity.generation is None:
        return []
    return [identity.generation.platforms[key] for key in sorted(identity.platforms)]


def _platform_binds(platform: Platform, linux: str) -> str:
    support = platform.linux
    for verdict, ranges in (
        ("by-itself", (support.i915, support.xe)),
        ("forced", (support.i915_force_probe, support.xe_force_probe)),
    ):
        if any(versions and is_in_range(linux, versions, "linux") is True for versions in ranges):
            return verdict
    return "no"


def linux_fits(entry: Implementation | None, identity: Identity, linux: Fact[str]) -> Fact[bool]:
    """Return whether this Linux is one that the implementation can work with."""
    if isinstance(linux, Unknown) or entry is None:
        return linux if isinstance(linux, Unknown) else NOT_STATED
    ranges = [entry.linux]
    if identity.generation is not None:
        support = identity.generation.implementations.get(entry.implementation)
        ranges += [support.linux] if support is not None else []
    verdicts = [is_in_range(linux, versions, "linux") for versions in ranges]
    return False if False in verdicts else verdicts[0]


def linux_problem(
    entry: Implementation | None, version: Fact[str], identity: Identity, linux: Fact[str]
) -> Fact[str | None]:
    """Return what goes wrong between this version and this Linux; None: nothing known."""
    if entry is None or identity.generation is None:
        return NOT_STATED
    unknown: Unknown | None = None
    for release in _linux_breaks(entry, identity.generation, linux):
        if isinstance(version, Unknown):
            unknown = unknown or version
        elif isinstance(linux, Unknown):
            unknown = unknown or linux
        elif is_in_range(version, release.versions, entry.version_scheme) is True:
            return release.note
    return unknown


def known_flaw(
    entry: Implementation | None, version: Fact[str], identity: Identity
) -> Fact[str | None]:
    """Return what this version does wrong on the GPU whatever the Linux; None: nothing known."""
    if entry is not None and all(release.linux == "*" for release in entry.releases):
        return None  # nothing is known to go wrong with it on any Linux
    if entry is None or identity.generation is None:
        return NOT_STATED
    for release in entry.releases:
        concerned = not release.generations or identity.generation.generation in release.generations
        if release.linux != "*" or not release.flawed or not concerned:
            continue
        if isinstance(version, Unknown):
            return version
        if is_in_range(version, release.versions, entry.version_scheme) is True:
            return release.note
    return None


def linux_is_suspect(
    entries: Iterable[Implementation], identity: Identity, linux: Fact[str]
) -> Fact[bool]:
    """Return whether some version of some implementation is known to fail on this Linux and GPU."""
    generation = identity.generation
    if generation is None:
        return NOT_STATED
    found = any(True for entry in entries for _ in _linux_breaks(entry, generation, linux))
    return linux if found and isinstance(linux, Unknown) else found


def _linux_breaks(
    entry: Implementation, generation: Generation, linux: Fact[str]
) -> Iterator[Release]:
    """Yield what goes wrong with this Linux, or with any where it is not known."""
    for release in entry.releases:
        concerned = not release.generations or generation.generation in release.generations
        if release.linux == "*" or not concerned:
            continue
        if isinstance(linux, Unknown) or is_in_range(linux, release.linux, "linux") is True:
            yield release


def is_in_range(version: str, versions: str, scheme: str) -> Fact[bool]:
    """Return whether the version lies in the range; UNLISTED where it cannot be read."""
    try:
        return in_range(version, versions, scheme)  # type: ignore[arg-type]
    except ClprobeError:
        return UNLISTED
