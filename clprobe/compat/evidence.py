# SPDX-License-Identifier: MIT
"""How each answer of the support matrix is known, and when each row of the tables was read."""

import functools
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import msgspec

from clprobe.compat.resolve import never_drives
from clprobe.compat.support import Support, gpus_of
from clprobe.knowledge.checked_yaml import read
from clprobe.knowledge.table_types import Distribution
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import upstream
from clprobe.resources import rules_path

Evidence = Literal["machine", "source", "bounded", "unverified"]


class VerifiedDriver(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A build that was asked itself: for all GPUs of Intel, or for chips of some families."""

    implementation: str
    version: str
    families: tuple[str, ...] = ()


class Verified(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of rules/tables/verified.yaml: releases whose packages were compared, and drivers."""

    packages: tuple[str, ...]
    drivers: tuple[VerifiedDriver, ...]

    @classmethod
    def load(cls, root: Path | None = None) -> "Verified":
        """Return the list of the tables under `root`, or clprobe's own.

        Raises: ClprobeError if the file does not fit the format.
        """
        return read((root or rules_path() / "tables") / "verified.yaml", cls)

    def holds_driver(self, implementation: str, version: str) -> bool:
        """Return whether this build was asked for every GPU of Intel."""
        return any(
            one.implementation == implementation and upstream(one.version) == upstream(version)
            for one in self.drivers
            if not one.families
        )


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """Cells by how they are known.

    `machine`: a real package list and, where a driver decides, a real driver were compared.
    `source`: read in a source. `bounded`: it follows from what was read of releases around it, or
    from a package that nobody found. `unverified`: not known.
    """

    cells: int
    machine: int
    source: int
    bounded: int
    unverified: int


class ImplementationCounts(Counts, frozen=True, kw_only=True):
    """The cells of one implementation."""

    implementation: str


class ReleaseRows(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of one release: packages, what it lacks and what is open.

    `oldest` is the day on which the row that nobody looked at for longest was read.
    """

    distribution: str
    rows: int
    oldest: str


class RuleStats(msgspec.Struct, frozen=True, kw_only=True):
    """How well the tables are founded, and how old they are.

    `read` counts the rows of all releases by the month in which they were read.
    """

    total: Counts
    implementations: tuple[ImplementationCounts, ...]
    rows: int
    read: dict[str, int]
    releases: tuple[ReleaseRows, ...]


def rule_stats(cells: Iterable[Support], tables: Tables, verified: Verified) -> RuleStats:
    """Return the figures of these cells, and of the rows of all releases, the oldest first."""
    known = [(cell.implementation, evidence(cell, tables, verified)) for cell in cells]
    days = {release.key: sorted(_days(release)) for release in tables.distributions()}
    releases = [
        ReleaseRows(distribution=key, rows=len(read), oldest=read[0])
        for key, read in days.items()
        if read
    ]
    months = Counter(day[:7] for read in days.values() for day in read)
    return RuleStats(
        total=_counted(known),
        implementations=tuple(
            ImplementationCounts(
                implementation=key,
                **msgspec.structs.asdict(_counted(pair for pair in known if pair[0] == key)),
            )
            for key in dict.fromkeys(key for key, _ in known)
        ),
        rows=sum(months.values()),
        read=dict(sorted(months.items())),
        releases=tuple(sorted(releases, key=lambda one: one.oldest)),
    )


def evidence(cell: Support, tables: Tables, verified: Verified) -> Evidence:
    """Return how the answer of a cell is known."""
    if cell.status == "unverified":
        return "unverified"
    if _never(cell.generation, cell.implementation, tables):
        return "source"  # it holds for versions that no machine has
    release = next(one for one in tables.distributions() if one.key == cell.distribution)
    rows = [
        row
        for versions in release.packages.values()
        for row in versions
        if cell.implementation in row.implementations
    ]
    if cell.next_step is not None or any(row.at_most is not None for row in rows):
        return "bounded"
    if cell.distribution not in verified.packages or cell.pocket in ("pip", "file", "repository"):
        return "source"
    asked = (verified.holds_driver(cell.implementation, row.version) for row in rows)
    return "machine" if cell.device == "cpu" or all(asked) else "source"


@functools.cache
def _never(generation: str, implementation: str, tables: Tables) -> bool:
    entry = tables.implementations()[implementation]
    return "gpu" in entry.device_types and bool(never_drives(entry, *gpus_of(generation, tables)))


def _days(release: Distribution) -> Iterator[str]:
    """Yield for each row the day on which it was last read."""
    rows = [row for rows in release.packages.values() for row in rows]
    for row in (*rows, *release.lacks, *release.unknown):
        read = [source.checked for source in row.sources]
        yield max([*read, release.index_date or ""])


def _counted(known: Iterable[tuple[str, Evidence]]) -> Counts:
    found = Counter(how for _, how in known)
    return Counts(
        cells=found.total(),
        machine=found["machine"],
        source=found["source"],
        bounded=found["bounded"],
        unverified=found["unverified"],
    )
