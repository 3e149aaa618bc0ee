# SPDX-License-Identifier: MIT
"""What a release of Linux means for a GPU and for the runtimes that would drive it."""

from collections.abc import Iterable, Iterator

import msgspec

from clprobe.compat.known_gpu import KnownGpu
from clprobe.compat.linux_choice import asked_of_linux, binds, is_in_range, linux_in_range
from clprobe.compat.packages import release_of
from clprobe.knowledge.table_types import Generation, GpuEntry, Implementation, Platform, Release
from clprobe.knowledge.tables import Tables
from clprobe.model.system import System
from clprobe.model.unknown import NOT_STATED, UNLISTED, Fact, Unknown


class Identity(msgspec.Struct, frozen=True):
    """What the tables know of a GPU: one by its PCI id, or all that its name may stand for."""

    gpus: tuple[KnownGpu, ...] = ()

    @property
    def entry(self) -> GpuEntry | None:
        """Its row in the tables; None where it may be several, or is in no table."""
        return self.gpus[0].entry if len(self.gpus) == 1 else None

    @property
    def generation(self) -> Generation | None:
        """The generation of all that it may be."""
        return self.gpus[0].generation if self.gpus else None

    @property
    def platforms(self) -> list[Platform]:
        """The chips that it may be; none where the tables do not know it."""
        found = {gpu.entry.platform: gpu.platform for gpu in self.gpus if gpu.entry is not None}
        return [platform for _, platform in sorted(found.items()) if platform is not None]


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
    verdicts: set[str] = {binds(linux, platform)[0] for platform in identity.platforms}
    return verdicts.pop() if len(verdicts) == 1 else UNLISTED


def linux_fits(entry: Implementation | None, identity: Identity, linux: Fact[str]) -> Fact[bool]:
    """Return whether this Linux is one that the implementation can work with."""
    if isinstance(linux, Unknown) or entry is None:
        return linux if isinstance(linux, Unknown) else NOT_STATED
    ranges = asked_of_linux(entry, identity.gpus[0]) if identity.gpus else (entry.linux,)
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
    if entry is None:
        return NOT_STATED
    flaws = [one for one in entry.releases if one.flawed and one.linux == "*"]
    if flaws and identity.generation is None:
        return NOT_STATED
    for release in flaws:
        if identity.generation is None or not release.concerns(identity.generation):
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
        if release.linux == "*" or not release.concerns(generation):
            continue
        if isinstance(linux, Unknown) or linux_in_range(linux, release.linux):
            yield release
