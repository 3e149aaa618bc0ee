# SPDX-License-Identifier: MIT
"""The ways in which a machine could get an implementation, before asking whether it helps."""

from typing import Literal

import msgspec
from msgspec.structs import replace

from clprobe.install.machine import Machine
from clprobe.knowledge.origin_table import Origin
from clprobe.knowledge.table_types import Distribution, Elsewhere, Implementation, PackageVersion
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import newest, upstream
from clprobe.model.finding import Source
from clprobe.model.plan import RouteStatus

_EXTRA_POCKETS = ("backports", "aur")
"""Pockets that nobody gets packages from without asking."""


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """One offer of an implementation; `offered_by` begins its sentence: "Debian 12 packages".

    `inside` is the release in a container, `third_party` whose repository it is from.
    """

    how: Literal["package", "file", "repository", "pip", "conda", "container"]
    packages: tuple[str, ...]
    version: str | None
    origin: str
    offered_by: str
    pocket: str | None = None
    component: str | None = None
    versions: dict[str, str] = msgspec.field(default_factory=dict)
    glibc: str = "*"
    python: str = "*"
    architectures: tuple[str, ...] = ()
    also_drives: tuple[str, ...] = ()
    note: str | None = None
    status: RouteStatus = "supported"
    sources: tuple[Source, ...] = ()
    inside: Distribution | None = None
    third_party: Origin | None = None

    @property
    def release(self) -> str | None:
        """The implementation's own version, without what the distribution adds."""
        return upstream(self.version) if self.version is not None else None

    @property
    def origin_name(self) -> str:
        """The origin for sentences: "Debian 11" for debian-11."""
        is_release = self.how == "file" and " " not in self.origin
        return self.origin.replace("-", " ").title() if is_release else self.origin


def packaged(implementation: Implementation, machine: Machine) -> list[Way]:
    """Return what the distribution offers by itself."""
    return _packaged(implementation, machine, extra=False)


def on_request(implementation: Implementation, machine: Machine) -> list[Way]:
    """Return what the distribution's backports or user repository offer."""
    return _packaged(implementation, machine, extra=True)


def elsewhere(implementation: Implementation, machine: Machine, tables: Tables) -> list[Way]:
    """Return what else fits this distribution."""
    key = machine.distribution.key if machine.distribution is not None else None
    return [
        _elsewhere_way(entry, implementation, tables)
        for entry in implementation.elsewhere
        if "*" in entry.onto or key in entry.onto
    ]


def _packaged(implementation: Implementation, machine: Machine, *, extra: bool) -> list[Way]:
    distribution = machine.distribution
    if distribution is None:
        return []
    ways = []
    for name, versions in distribution.packages.items():
        if not any(implementation.implementation in v.implementations for v in versions):
            continue
        among = [v for v in versions if (v.pocket in _EXTRA_POCKETS) is extra]
        if not among:
            continue
        best = newest([v.version for v in among], "debian")
        # The newest counts even where it dropped the implementation: apt installs that one.
        ways += [
            _package_way(name, v, distribution, machine)
            for v in among
            if v.version == best and implementation.implementation in v.implementations
        ][:1]
    return ways


def _package_way(
    name: str, version: PackageVersion, distribution: Distribution, machine: Machine
) -> Way:
    where = machine.os_name
    if version.pocket in _EXTRA_POCKETS:
        where += f" ({version.pocket})"
    return Way(
        how="package",
        packages=(name,),
        version=version.version,
        origin=f"{distribution.key}, {version.pocket}",
        offered_by=f"{where} packages",
        pocket=version.pocket,
        component=version.component,
        also_drives=version.also_drives,
        note=version.note,
        status="workaround" if version.pocket in _EXTRA_POCKETS else "supported",
        sources=version.sources,
    )


def on_conda(implementation: Implementation, tables: Tables) -> list[Way]:
    """Return what conda-forge builds of a CPU's implementation: it needs no root."""
    release = tables.distribution("conda-forge", "rolling")
    if release is None or implementation.kernel_drivers:
        return []
    return [
        Way(
            how="conda",
            packages=(name,),
            version=row.version,
            origin=f"{release.key}, {row.pocket}",
            offered_by="conda-forge packages",
            glibc=">=2.17",
            architectures=("x86_64",),
            status="supported",
            sources=row.sources,
        )
        for name, rows in release.packages.items()
        for row in rows
        if implementation.implementation in row.implementations
    ]


def _elsewhere_way(entry: Elsewhere, implementation: Implementation, tables: Tables) -> Way:
    third_party = tables.origin(entry.origin) if entry.how == "repository" else None
    way = Way(
        how=entry.how,
        packages=entry.packages,
        version=entry.version,
        origin=entry.origin,
        offered_by="",
        versions=entry.versions,
        glibc=entry.glibc,
        python=entry.python,
        architectures=entry.architectures,
        note=entry.note,
        status=entry.status,
        sources=entry.sources or implementation.sources,
    )
    if third_party is not None:
        sources = (*way.sources, *third_party.sources)
        said = f"{third_party.name} packages"
        return replace(way, offered_by=said, third_party=third_party, sources=sources)
    offered_by = "its wheels hold" if entry.how == "pip" else f"{way.origin_name} packages"
    if " " in way.origin:
        offered_by = f"{way.origin} hold"
    return replace(way, offered_by=offered_by)
