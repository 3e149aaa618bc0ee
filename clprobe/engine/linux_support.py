# SPDX-License-Identifier: MIT
"""What a release of Linux means for a GPU and for the runtimes that would drive it."""

import msgspec

from clprobe.engine.hardware_facts import UNLISTED
from clprobe.engine.table_types import Generation, GpuEntry, Implementation
from clprobe.engine.versions import in_range
from clprobe.model.errors import ClprobeError
from clprobe.model.unknown import NOT_STATED, Fact, Unknown


class Identity(msgspec.Struct, frozen=True):
    """What the tables know of a GPU: its entry by PCI id, or only its generation by name."""

    pci_id: str | None
    gpu: GpuEntry | None
    generation: Generation | None


def linux_binds(identity: Identity, linux: Fact[str]) -> Fact[str]:
    """Return whether this Linux has a driver for the GPU: by-itself, forced or no."""
    if isinstance(linux, Unknown):
        return linux
    if identity.gpu is None or identity.generation is None:
        return UNLISTED
    support = identity.generation.platforms[identity.gpu.platform].linux
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
    for release in entry.releases:
        if release.linux == "*" or (
            release.generations and identity.generation.generation not in release.generations
        ):
            continue
        if isinstance(version, Unknown) or isinstance(linux, Unknown):
            return version if isinstance(version, Unknown) else linux
        by_version = is_in_range(version, release.versions, entry.version_scheme)
        if by_version is True and is_in_range(linux, release.linux, "linux") is True:
            return release.note
    return None


def is_in_range(version: str, versions: str, scheme: str) -> Fact[bool]:
    """Return whether the version lies in the range; UNLISTED where it cannot be read."""
    try:
        return in_range(version, versions, scheme)  # type: ignore[arg-type]
    except ClprobeError:
        return UNLISTED
