# SPDX-License-Identifier: MIT
"""The ways in which a release can get an implementation, before asking whether it helps."""

from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from clprobe.compat.known_gpu import KnownGpu
from clprobe.knowledge.origin_table import Origin
from clprobe.knowledge.table_types import (
    Compiler,
    Distribution,
    Elsewhere,
    Entry,
    Implementation,
    PackageVersion,
    Setting,
)
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import newest, upstream
from clprobe.model.finding import Source
from clprobe.model.plan import RouteStatus

EXTRA_POCKETS = ("backports", "aur", "older builds")
"""Pockets that nobody gets packages from without asking."""


_HOLDS = {"pip": "its wheels hold", "by-hand": "{} has"}


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """One way to get an implementation; `offered_by` begins its sentence: "Debian 12 packages".

    `entry` is the row of a table that says so. `version` None is the newest, which was not looked
    at; with `at_most` it is the least of those that it may be. `inside` is the release in a
    container, `third_party` whose repository it is from, and `of_release` the release whose files
    are fetched by hand.
    """

    how: Literal["package", "file", "repository", "pip", "conda", "container", "by-hand"]
    packages: tuple[str, ...]
    version: str | None
    origin: str
    offered_by: str
    entry: Entry
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
    at_most: str | None = None
    third_party: Origin | None = None
    of_release: Distribution | None = None
    base: str | None = None
    page: str | None = None
    sha256: dict[str, str] = {}
    writes: dict[str, str] = {}
    lines: tuple[str, ...] = ()
    module_for: tuple[str, ...] = ()
    compiler: Compiler | None = None
    settings: tuple[Setting, ...] = ()

    @property
    def is_at_hand(self) -> bool:
        """Whether the release itself offers it, without being asked for more."""
        return self.how == "package" and self.pocket not in EXTRA_POCKETS

    @property
    def release(self) -> str | None:
        """The implementation's own version, without what the distribution adds."""
        return upstream(self.version) if self.version is not None else None

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know of it where nothing is known of the machine."""
        said = (self.note, self.compiler.note if self.compiler is not None else None)
        return tuple(filter(None, said))

    @property
    def origin_name(self) -> str:
        """The origin for sentences: "Debian 11" for debian-11."""
        release = self.of_release
        return release.key.replace("-", " ").title() if release is not None else self.origin


def packaged(implementation: Implementation, release: Distribution | None) -> list[Offer]:
    """Return what the release offers by itself."""
    return _packaged(implementation, release, extra=False)


def on_request(implementation: Implementation, release: Distribution | None) -> list[Offer]:
    """Return what the release's backports or user repository offer."""
    return _packaged(implementation, release, extra=True)


def elsewhere(
    implementation: Implementation,
    release: Distribution | None,
    tables: Tables,
    gpus: Sequence[KnownGpu] = (),
) -> list[Offer]:
    """Return what else fits this release and these GPUs."""
    key = release.key if release is not None else None
    generations = {gpu.generation and gpu.generation.generation for gpu in gpus}
    return [
        _from_elsewhere(entry, implementation, tables)
        for entry in implementation.elsewhere
        if "*" in entry.onto or key in entry.onto
        if not entry.module_for or generations <= {*entry.module_for}
    ]


def on_conda(implementation: Implementation, tables: Tables) -> list[Offer]:
    """Return what conda-forge builds of a CPU's implementation: it needs no root."""
    release = tables.distribution("conda-forge", "rolling")
    if release is None or implementation.kernel_drivers:
        return []
    return [
        replace(
            package(name, row, release),
            how="conda",
            offered_by="conda-forge packages",
            pocket=None,
            note=None,
            status="supported",
            glibc=">=2.17",
            architectures=("x86_64",),
        )
        for name, rows in release.packages.items()
        for row in rows
        if implementation.implementation in row.implementations
    ]


def _packaged(
    implementation: Implementation, release: Distribution | None, *, extra: bool
) -> list[Offer]:
    if release is None:
        return []
    offers = []
    for name, versions in release.packages.items():
        if not any(implementation.implementation in v.implementations for v in versions):
            continue
        among = [v for v in versions if (v.pocket in EXTRA_POCKETS) is extra]
        if not among:
            continue
        best = newest([v.version for v in among], "debian")
        # The newest counts even where it dropped the implementation: apt installs that one.
        offers += [
            package(name, v, release)
            for v in among
            if v.version == best and implementation.implementation in v.implementations
        ][:1]
    return offers


def version_of(found: Offer | PackageVersion) -> str:
    """Return the version in words: "20.13 to 22.14" where nobody read which of these it is."""
    among = found.at_most not in (None, found.version)
    return f"{found.version} to {found.at_most}" if among else str(found.version)


def package(name: str, version: PackageVersion, release: Distribution) -> Offer:
    """Return what one row of a release offers."""
    where = release.short_name
    if version.pocket in EXTRA_POCKETS:
        where += f" ({version.pocket})"
    return Offer(
        how="package",
        packages=(name,),
        version=version.version,
        at_most=version.at_most,
        origin=f"{release.key}, {version.pocket}",
        offered_by=f"{where} packages",
        entry=version,
        pocket=version.pocket,
        component=version.component,
        also_drives=version.also_drives,
        base=version.base,
        note=version.note,
        compiler=version.compiler,
        settings=version.settings,
        status="workaround" if version.pocket in EXTRA_POCKETS else "supported",
        sources=version.sources,
    )


def _from_elsewhere(entry: Elsewhere, implementation: Implementation, tables: Tables) -> Offer:
    third_party = tables.origin(entry.origin) if entry.how == "repository" else None
    offer = Offer(
        how=entry.how,
        packages=entry.packages,
        version=entry.version,
        origin=entry.origin,
        offered_by=_HOLDS.get(entry.how, "{} hold").format(entry.origin),
        entry=entry,
        versions=entry.versions,
        glibc=entry.glibc,
        python=entry.python,
        architectures=entry.architectures,
        page=entry.page,
        sha256=entry.sha256,
        writes=entry.writes,
        lines=entry.lines,
        module_for=entry.module_for,
        compiler=entry.compiler,
        note=entry.note,
        status=entry.status,
        sources=entry.sources or implementation.sources,
    )
    if third_party is not None:
        sources = (*offer.sources, *third_party.sources)
        said = f"{third_party.name} packages"
        return replace(offer, offered_by=said, third_party=third_party, sources=sources)
    if entry.how == "file":
        release = next((r for r in tables.distributions() if r.key == entry.origin), None)
        offer = replace(offer, of_release=release)
    if offer.of_release is not None:
        return replace(offer, offered_by=f"{offer.origin_name} packages")
    return offer
