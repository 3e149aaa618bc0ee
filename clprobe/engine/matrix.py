# SPDX-License-Identifier: MIT
"""The version matrix: what each release of a distribution packages, and whether it drives a GPU."""

from typing import Literal

import msgspec

from clprobe.engine.coverage import covers
from clprobe.engine.table_types import (
    Distribution,
    Generation,
    GpuEntry,
    Implementation,
    PackageVersion,
)
from clprobe.engine.tables import Tables
from clprobe.engine.versions import in_words, upstream
from clprobe.model.unknown import Unknown

Drives = Literal["yes", "some", "no", "unknown"]


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
    answers = [covers(implementation, version.version, c.pci_id, c, generation) for c in chips]
    if generation.generation in version.also_drives:
        answers = [True if isinstance(answer, Unknown) else answer for answer in answers]
    drives, why = _summary(answers, implementation, generation)
    return MatrixRow(
        generation=generation.generation,
        distribution=distribution.key,
        pocket=version.pocket,
        implementation=implementation.implementation,
        package=package,
        version=upstream(version.version),
        drives=drives,
        why=why,
    )


def _summary(
    answers: list[bool | Unknown], implementation: Implementation, generation: Generation
) -> tuple[Drives, str]:
    key = implementation.implementation
    if "gpu" not in implementation.device_types or not implementation.kernel_drivers:
        return "no", "runs on the CPU"
    if all(answer is True for answer in answers):
        return "yes", ""
    if all(answer is False for answer in answers):
        support = generation.implementations.get(key)
        needs = f"needs {in_words(support.versions)}" if support is not None else ""
        reason = generation.not_driven_by.get(key) or generation.no_opencl_because or needs
        return "no", reason.rstrip(".") or "lists no Intel GPU of this generation"
    if any(answer is True for answer in answers):
        return "some", "not every chip of that name; give the PCI id"
    return "unknown", next(a.unknown for a in answers if isinstance(a, Unknown))
