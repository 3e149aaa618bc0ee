# SPDX-License-Identifier: MIT
"""The version matrix: what each release of a distribution packages, and whether it drives a GPU."""

import msgspec

from clprobe.compat.offers import Drives, drives
from clprobe.knowledge.table_types import (
    Distribution,
    Generation,
    GpuEntry,
    Implementation,
    PackageVersion,
)
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import upstream


class MatrixRow(msgspec.Struct, frozen=True, kw_only=True):
    """One offer. `drives` is "some" where a name stands for several chips and not all are."""

    generation: str
    distribution: str
    pocket: str
    implementation: str
    package: str
    version: str
    drives: Drives
    why: str


def matrix(chips: tuple[GpuEntry, ...], generation: Generation, tables: Tables) -> list[MatrixRow]:
    """Return every package of every release that implements OpenCL on Intel GPUs, or on the CPU."""
    implementations = {
        key: entry
        for key, entry in tables.implementations().items()
        if key not in ("nvidia", "amd-rocm", "oclgrind")
    }
    return [
        _row(distribution, name, version, implementations[key], chips, generation)
        for distribution in tables.distributions()
        for name, versions in distribution.packages.items()
        for version in versions
        for key in version.implementations
        if key in implementations
    ]


def _row(  # noqa: PLR0913, PLR0917 - a cell is where all of them meet
    distribution: Distribution,
    package: str,
    version: PackageVersion,
    implementation: Implementation,
    chips: tuple[GpuEntry, ...],
    generation: Generation,
) -> MatrixRow:
    verdict, why = drives(implementation, version.version, chips, generation, version.also_drives)
    return MatrixRow(
        generation=generation.generation,
        distribution=distribution.key,
        pocket=version.pocket,
        implementation=implementation.implementation,
        package=package,
        version=upstream(version.version),
        drives=verdict,
        why=why,
    )
