# SPDX-License-Identifier: MIT
"""Checks of rules/tables/cores: a processor belongs to one core."""

from itertools import combinations
from pathlib import Path

from clprobe.knowledge.core_table import Cores, CpuFamily
from clprobe.validation.checks import place as check
from clprobe.validation.checks.place import Mistakes, Place

_ALL = ((0, 0xFFFF),)


def cores(files: dict[Path, Cores]) -> Mistakes:
    """Yield what is wrong in the files of cores."""
    owners: dict[str, Place] = {}
    for path, table in files.items():
        yield from check.table_legend(path)
        numbered: list[tuple[Place, CpuFamily]] = []
        for number, core in enumerate(table.cores):
            here = Place(path).at("cores", number)
            if owners.setdefault(core.core, here) != here:
                yield here.at("core").mistake(f"there is another core {core.core}")
            for pattern in core.names:
                yield from check.pattern(here.at("names"), pattern)
            numbered += [(here.at("families"), family) for family in core.families]
        for (_, one), (place, other) in combinations(numbered, 2):
            if one.family == other.family and _meet(one, other):
                yield place.mistake(f"models of family {other.family} are of another core, too")


def _meet(one: CpuFamily, other: CpuFamily) -> bool:
    return any(
        first <= end and start <= last
        for first, last in one.models or _ALL
        for start, end in other.models or _ALL
    )
