# SPDX-License-Identifier: MIT
"""Finds a Linux that binds a kernel driver to the GPU: the present one, or a newer one."""

import msgspec

from clprobe.install.machine import Machine
from clprobe.knowledge.table_types import Implementation, LinuxSupport
from clprobe.knowledge.versions import in_range, in_words


class LinuxFit(msgspec.Struct, frozen=True, kw_only=True):
    """What to do about Linux.

    `because` is set when nothing helps. `newer` is the pocket to take a newer Linux from, `linux`
    the version that the plan then counts on, `force_probe` the kernel driver to force.
    """

    linux: str | None
    because: str | None = None
    newer: str | None = None
    force_probe: str | None = None
    caveat: str | None = None


def fit(machine: Machine, implementation: Implementation) -> LinuxFit:
    """Return how the machine gets a Linux on which `implementation` drives its GPU."""
    if machine.system == "wsl2":
        return LinuxFit(linux=machine.linux)  # Windows drives the GPU
    shipped = machine.distribution.linux if machine.distribution is not None else None
    current = machine.linux or (shipped.default if shipped is not None else None)
    if current is None:
        return LinuxFit(linux=None, caveat=f"It needs Linux {_needed(machine, implementation)}.")
    if _works(current, machine, implementation):
        return LinuxFit(linux=current)
    for pocket in ("hwe", "backports"):
        version = getattr(shipped, pocket, None)
        if version is not None and _works(version, machine, implementation):
            return LinuxFit(linux=version, newer=pocket)
    forced = _forced(current, machine, implementation)
    if forced is not None:
        return LinuxFit(linux=current, force_probe=forced)
    return LinuxFit(linux=current, because=_because(current, machine, implementation))


def _platforms(machine: Machine) -> list[LinuxSupport]:
    if machine.generation is None:
        return []
    keys = {chip.platform for chip in machine.chips}
    return [machine.generation.platforms[key].linux for key in sorted(keys)]


def _works(linux: str, machine: Machine, implementation: Implementation) -> bool:
    return _meets_requirements(linux, machine, implementation) and all(
        any(
            _holds(linux, getattr(platform, driver, None))
            for driver in implementation.kernel_drivers
        )
        for platform in _platforms(machine)
    )


def _forced(linux: str, machine: Machine, implementation: Implementation) -> str | None:
    if not _meets_requirements(linux, machine, implementation):
        return None
    for driver in implementation.kernel_drivers:
        ranges = [getattr(p, f"{driver}_force_probe", None) for p in _platforms(machine)]
        if ranges and all(_holds(linux, versions) for versions in ranges):
            return driver
    return None


def _meets_requirements(linux: str, machine: Machine, implementation: Implementation) -> bool:
    return all(in_range(linux, text, "linux") for text in _requirements(machine, implementation))


def _requirements(machine: Machine, implementation: Implementation) -> list[str]:
    generation = machine.generation
    support = (
        generation.implementations.get(implementation.implementation)
        if generation is not None
        else None
    )
    return [implementation.linux, *([support.linux] if support is not None else [])]


def _holds(linux: str, versions: str | None) -> bool:
    return versions is not None and in_range(linux, versions, "linux")


def _needed(machine: Machine, implementation: Implementation) -> str:
    words = [in_words(text) for text in _requirements(machine, implementation) if text != "*"]
    for platform in _platforms(machine):
        for driver in implementation.kernel_drivers:
            versions = getattr(platform, driver, None)
            if versions not in (None, "*"):
                words.append(f"{in_words(versions)} for {driver}")
    return " and ".join(dict.fromkeys(words)) or "with i915"


def _because(linux: str, machine: Machine, implementation: Implementation) -> str:
    bound = any(
        getattr(platform, driver, None) is not None
        for platform in _platforms(machine)
        for driver in implementation.kernel_drivers
    )
    if not bound:
        return f"no kernel driver in Linux up to 7.3 binds to {machine.gpu_name} by itself"
    needed = _needed(machine, implementation)
    return f"Linux {linux} is too old for {machine.gpu_name}: it takes {needed}"
