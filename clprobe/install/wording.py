# SPDX-License-Identifier: MIT
"""How plans say things: sentences, which Linux it takes, who packaged it last."""

from clprobe.compat.linux_choice import ANY_LINUX, LinuxChoice
from clprobe.install.machine import Machine
from clprobe.knowledge.table_types import Distribution, Implementation
from clprobe.knowledge.tables import Tables
from clprobe.model.finding import Source
from clprobe.model.plan import Component

_NAMES = frozenset({"clprobe", "clprobe's", "rusticl", "xe", "pocl", "beignet"})
_USUAL = ("debian", "ubuntu", "fedora")
_MOST = 4
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def sentence(text: str) -> str:
    """Return `text` with a capital, unless a name begins it, and with its full stop."""
    first = text.split(" ", 1)[0]
    is_name = any(c.isdigit() or c in "-_:" for c in first) or first in _NAMES
    return (text if is_name else text[:1].upper() + text[1:]).rstrip(".") + "."


def all_sources(*groups: tuple[Source, ...]) -> tuple[Source, ...]:
    """Return the sources of all groups, each once."""
    return tuple({source.url: source for group in groups for source in group}.values())


def linux_caveats(machine: Machine, linux: LinuxChoice) -> list[str]:
    """Return what to know of the Linux that the route counts on."""
    unsaid = linux.linux is None and linux.needed != ANY_LINUX and linux.fit == "yes"
    caveats = [f"It needs Linux {linux.needed}."] if unsaid else []
    if linux.force_probe is not None:
        ids = {chip.pci_id.split(":")[1] for chip in machine.chips}
        device = ids.pop() if len(ids) == 1 else "<its device id>"
        caveats.append(
            f"Linux {linux.linux} drives this GPU only when forced: boot with "
            f"{linux.force_probe}.force_probe={device}."
        )
    if linux.newer is not None:
        caveats.append(f"It needs Linux {linux.linux} ({linux.newer}): restart afterwards.")
    return caveats


def newer_linux(machine: Machine, linux: LinuxChoice) -> list[Component]:
    """Return the package with a newer Linux, where the route needs one."""
    if linux.newer is None or machine.distribution is None:
        return []
    name = linux_package(machine.distribution, linux.newer)
    return [Component(name=name, version=linux.linux, origin=linux.newer)]


def ended(distribution: Distribution | None) -> str | None:
    """Say that a release gets no updates any more, and which does; None: it does, or who knows."""
    if distribution is None or distribution.ended is None:
        return None
    end = distribution.ended
    unless = f" without {end.unless}" if end.unless is not None else ""
    when = f"{_MONTHS[int(end.date[5:7]) - 1]} {end.date[:4]}"
    note = f" {sentence(end.note)}" if end.note is not None else ""
    name = end.of or distribution.short_name
    return f"{name} gets no updates since {when}{unless}: {end.instead} does.{note}"


def linux_package(distribution: Distribution, pocket: str) -> str:
    """Return the package that brings a newer Linux."""
    if pocket == "hwe":
        return f"linux-generic-hwe-{distribution.release}"
    return "linux-image-amd64"


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
        elif release.id in last and any(key in one.implementations for one in release.lacks):
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


def _listed(releases: tuple[Distribution, ...]) -> str:
    names = [release.short_name for release in releases]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
