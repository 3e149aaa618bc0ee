# SPDX-License-Identifier: MIT
"""What Linux means for a GPU: which one of a place binds it, and which breaks its drivers."""

import re
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from clprobe.compat.known_gpu import KnownGpu
from clprobe.compat.packages import release_of
from clprobe.knowledge.core_table import Core
from clprobe.knowledge.table_types import (
    Distribution,
    Generation,
    GpuEntry,
    Implementation,
    Platform,
    Release,
)
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import conditions, in_range, in_words
from clprobe.model.errors import ClprobeError
from clprobe.model.system import System
from clprobe.model.unknown import NOT_STATED, UNLISTED, Fact, Unknown

Binding = Literal["by-itself", "forced", "no"]
Pocket = Literal["running", "default", "hwe", "backports"]
ALL_DRIVERS = ("i915", "xe")
ANY_LINUX = "of any version"
_SETTLED = "5.0"
"""A fixed release without a row for its Linux is taken to have at least this one."""
_LAST = 9999
"""Beyond the last part of any release of Linux."""
_ROLLING = ("rolling", "tumbleweed")
"""These carry the newest Linux, of which the tables know what it binds."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where an implementation is to run: `linux` and `python` None: those that are shipped.

    `core` is the processor's, None where it is not known.
    """

    release: Distribution | None
    linux: str | None = None
    python: str | None = None
    arch: str | None = None
    core: Core | None = None
    wsl2: bool = False


class LinuxChoice(msgspec.Struct, frozen=True, kw_only=True):
    """What the Linux of a place does with a GPU.

    "yes": `linux` binds it, once it is installed where `pocket` is "hwe" or "backports", and only
    when that kernel driver is forced where `force_probe` names one. "no": `linux` is the newest
    that there is. `needed` are the versions that do, in words.
    """

    fit: Literal["yes", "no", "unknown"]
    needed: str
    linux: str | None = None
    pocket: Pocket = "default"
    force_probe: str | None = None

    @property
    def newer(self) -> Literal["hwe", "backports"] | None:
        """Where to take another Linux from than the one that runs or is shipped; None: no need."""
        return self.pocket if self.pocket in ("hwe", "backports") else None


def choose_linux(implementation: Implementation, gpu: KnownGpu, place: Place) -> LinuxChoice:
    """Return the first Linux that binds the GPU by itself, else the first that can be forced to.

    First counts what runs or is shipped, then the newer (HWE) one, then the backported one.
    """
    if place.wsl2:  # Windows drives the GPU
        return LinuxChoice(fit="yes", needed=ANY_LINUX, linux=place.linux, pocket="running")
    needed = needed_linux(implementation, gpu)
    known = _offers(place)
    if not known:
        return LinuxChoice(fit=_without_a_row(implementation, gpu, place), needed=needed)
    shipped = place.release.linux if place.release is not None else None
    open_ended = shipped is not None and shipped.at_least and place.linux is None
    wanted: tuple[Binding, ...] = ("by-itself",) if open_ended else ("by-itself", "forced")
    for binding in wanted:
        for pocket, linux in known:
            verdict, driver = _binds(linux, implementation, gpu)
            if verdict == binding:
                forced = driver if binding == "forced" else None
                return LinuxChoice(
                    fit="yes", needed=needed, linux=linux, pocket=pocket, force_probe=forced
                )
    pocket, linux = known[-1]
    is_open = open_ended and not _is_bound_by_none(implementation, gpu)
    fit: Literal["no", "unknown"] = "unknown" if is_open else "no"
    return LinuxChoice(fit=fit, needed=needed, linux=linux, pocket=pocket)


def own_module(implementation: Implementation, gpu: KnownGpu, place: Place) -> LinuxChoice:
    """Return the Linux of the place as one that binds the GPU by a module from outside of it."""
    shipped = place.release.linux if place.release is not None else None
    linux = place.linux or (shipped.default if shipped is not None else None)
    return LinuxChoice(fit="yes", needed=needed_linux(implementation, gpu), linux=linux)


def binds(
    linux: str, platform: Platform, drivers: tuple[str, ...] = ALL_DRIVERS
) -> tuple[Binding, str | None]:
    """Return whether one of the kernel drivers of this Linux takes the chip, and which."""
    verdicts: tuple[tuple[Binding, str], ...] = (("by-itself", ""), ("forced", "_force_probe"))
    for verdict, ending in verdicts:
        for driver in drivers:
            if linux_in_range(linux, getattr(platform.linux, f"{driver}{ending}", None)):
                return verdict, driver
    return "no", None


def asked_of_linux(implementation: Implementation, gpu: KnownGpu) -> tuple[str, ...]:
    """Return the ranges of Linux that the implementation itself needs, on this GPU."""
    known = gpu.generation or gpu.family
    support = known.implementations.get(implementation.implementation) if known else None
    return (implementation.linux, *((support.linux,) if support is not None else ()))


def needed_linux(implementation: Implementation, gpu: KnownGpu) -> str:
    """Return in words which Linux the GPU and the implementation need: "6.7 or newer (xe)"."""
    platform = gpu.platform
    if _is_bound_by_none(implementation, gpu):
        return ANY_LINUX
    bound = [
        f"{in_words(versions)} ({driver})"
        for driver in implementation.kernel_drivers
        if (versions := getattr(platform and platform.linux, driver, None)) not in (None, "*")
    ]
    own = [in_words(text) for text in asked_of_linux(implementation, gpu) if text != "*"]
    return ", ".join(dict.fromkeys(bound or own)) or ANY_LINUX


def is_in_range(version: str, versions: str, scheme: str) -> Fact[bool]:
    """Return whether the version lies in the range; UNLISTED where it cannot be read.

    People write 4.x for any Linux 4: then the range must hold all of them, or none.
    """
    if scheme == "linux" and version.endswith(".x"):
        ends = {is_in_range(f"{version[:-1]}{last}", versions, scheme) for last in (0, _LAST)}
        return ends.pop() if len(ends) == 1 else UNLISTED
    try:
        return in_range(version, versions, scheme)  # type: ignore[arg-type]
    except ClprobeError:
        return UNLISTED


def linux_in_range(linux: str, versions: str | None) -> bool:
    """Whether the release of Linux surely lies in the range, if there is one."""
    return versions is not None and is_in_range(linux, versions, "linux") is True


def _offers(place: Place) -> list[tuple[Pocket, str]]:
    shipped = place.release.linux if place.release is not None else None
    first: tuple[Pocket, str | None] = ("running", place.linux)
    if place.linux is None:
        first = ("default", shipped.default if shipped is not None else None)
    newer: list[tuple[Pocket, str | None]] = []
    if shipped is not None:
        newer = [("hwe", shipped.hwe), ("backports", shipped.backports)]
    return [(pocket, linux) for pocket, linux in (first, *newer) if linux is not None]


def _binds(linux: str, implementation: Implementation, gpu: KnownGpu) -> tuple[Binding, str | None]:
    if not all(linux_in_range(linux, text) for text in asked_of_linux(implementation, gpu)):
        return "no", None
    if gpu.platform is None:
        return "by-itself", None  # of other vendors' chips no table says what binds them
    return binds(linux, gpu.platform, implementation.kernel_drivers)


def _without_a_row(
    implementation: Implementation, gpu: KnownGpu, place: Place
) -> Literal["yes", "no", "unknown"]:
    """Answer where no table says which Linux the place has: any Linux 5 binds older chips."""
    if _is_bound_by_none(implementation, gpu):
        return "no"
    release = place.release
    # conda-forge brings no Linux: that is the host's, and a condition, not a doubt.
    if release is not None and (release.release in _ROLLING or release.id == "conda-forge"):
        return "yes"
    if gpu.platform is None:
        return "yes"
    ranges = [getattr(gpu.platform.linux, one, None) for one in implementation.kernel_drivers]
    settled = any(
        all(_is_before(bound, operator) for operator, bound in conditions(versions))
        for versions in ranges
        if versions is not None
    )
    return "yes" if settled else "unknown"


def _is_bound_by_none(implementation: Implementation, gpu: KnownGpu) -> bool:
    """Whether no Linux up to the tables' newest takes the chip: no backport of one does either."""
    if gpu.platform is None:
        return False
    linux = gpu.platform.linux
    return not any(
        getattr(linux, f"{driver}{ending}", None)
        for driver in implementation.kernel_drivers
        for ending in ("", "_force_probe")
    )


def _is_before(bound: str, operator: str) -> bool:
    return operator not in (">", ">=") or linux_in_range(bound, f"<={_SETTLED}")


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
    def family(self) -> str | None:
        """The key of its family, of AMD's chips and others'."""
        family = self.gpus[0].family if self.gpus else None
        return family.family if family is not None else None

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
    entry: Implementation | None, version: Fact[str], identity: Identity, said: Fact[str]
) -> Fact[str | None]:
    """Return what this version does wrong on the GPU whatever the Linux; None: nothing known.

    `said` is what programs and drivers printed, in which some flaws must show.
    """
    if entry is None:
        return NOT_STATED
    generation, family = identity.generation, identity.family
    flaws = [
        one
        for one in entry.releases
        if one.flawed and one.linux == "*" and (not one.shows or _shows(one, said))
    ]
    if flaws and generation is None and family is None:
        return NOT_STATED
    for release in flaws:
        # A flaw of no GPU in particular was seen on those that have a generation.
        of_family = family is not None and family in release.families
        if not of_family and (generation is None or not release.concerns(generation)):
            continue
        if isinstance(version, Unknown):
            return version
        if is_in_range(version, release.versions, entry.version_scheme) is True:
            return release.note
    return None


def _shows(release: Release, said: Fact[str]) -> bool:
    return isinstance(said, str) and re.search(release.shows, said) is not None


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
