# SPDX-License-Identifier: MIT
"""The version matrix: what each release of a distribution packages, and whether it drives a GPU."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from clprobe.compat.coverage import drives_gpus, needed_versions
from clprobe.compat.known_gpu import KnownGpu, alike, gpus_of_entries
from clprobe.compat.offers import Offer, package
from clprobe.compat.resolve import never_drives, version_covers
from clprobe.knowledge.table_types import Generation, GpuEntry, Implementation
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import upstream
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
    gpus = gpus_of_entries(chips, generation)
    rows = []
    for release in tables.distributions():
        for name, versions in release.packages.items():
            for version in versions:
                for key in version.implementations:
                    if key not in implementations:
                        continue
                    offer = package(name, version, release)
                    drives, why = _drives(implementations[key], offer, gpus)
                    rows.append(
                        MatrixRow(
                            generation=generation.generation,
                            distribution=release.key,
                            pocket=version.pocket,
                            implementation=key,
                            package=name,
                            version=upstream(version.version),
                            drives=drives,
                            why=why,
                        )
                    )
    return rows


def _drives(
    implementation: Implementation, offer: Offer, gpus: Sequence[KnownGpu]
) -> tuple[Drives, str]:
    if not drives_gpus(implementation):
        return "no", "runs on the CPU"
    firsts = [group[0] for group in alike(gpus)]
    answers = [version_covers(implementation, offer, gpu) for gpu in firsts]
    if all(answer is True for answer in answers):
        return "yes", ""
    if any(answer is True for answer in answers):
        return "some", "not every chip of that name; give the PCI id"
    unknown = [answer.unknown for answer in answers if isinstance(answer, Unknown)]
    if unknown:
        return "unknown", unknown[0]
    never = never_drives(implementation, *gpus)
    if never is not None:
        return "no", never.because
    needed = next(filter(None, (needed_versions(implementation, gpu) for gpu in firsts)), "another")
    return "no", f"needs {needed}"
