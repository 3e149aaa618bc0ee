# SPDX-License-Identifier: MIT
"""What a release packages of an implementation, and whether that drives the chips of a name."""

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from clprobe.compat.coverage import covers
from clprobe.knowledge.table_types import (
    Distribution,
    Entry,
    Generation,
    GpuEntry,
    Implementation,
    PackageVersion,
)
from clprobe.knowledge.versions import in_words
from clprobe.model.unknown import Unknown

Drives = Literal["yes", "some", "no", "unknown"]
_BEST = ("yes", "some", "unknown", "no")
_LAST = ("backports", "aur", "testing")
_MOST_IDS = 4


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """A package, or files or wheels from elsewhere; `drives` and `why` are about a generation."""

    package: str
    version: str
    pocket: str
    origin: str
    entry: Entry
    drives: Drives
    why: str
    note: str | None = None


def packaged(
    release: Distribution,
    implementation: Implementation,
    generation: Generation,
    chips: Sequence[GpuEntry],
) -> list[Offer]:
    """Return what the release packages: what drives the most first, backports and the like last."""
    offers = list(_packaged(release, implementation, generation, chips))
    return sorted(offers, key=lambda one: (_BEST.index(one.drives), one.pocket in _LAST))


def _packaged(
    release: Distribution,
    implementation: Implementation,
    generation: Generation,
    chips: Sequence[GpuEntry],
) -> Iterator[Offer]:
    for name, versions in release.packages.items():
        for row in reversed(versions):  # the newest pockets are written last
            if implementation.implementation not in row.implementations:
                continue
            also = row.also_drives
            verdict, why = drives(implementation, row.version, chips, generation, also)
            if verdict == "some":
                why = _left_out(implementation, row, chips, generation)
            yield Offer(
                package=name,
                version=row.version,
                pocket=row.pocket,
                origin=_origin(release, row),
                entry=row,
                drives=verdict,
                why=why,
                note=row.note,
            )


def _left_out(
    implementation: Implementation,
    row: PackageVersion,
    chips: Sequence[GpuEntry],
    generation: Generation,
) -> str:
    """Name the chips that this version does not drive, or does not surely."""
    answers = [covers(implementation, row.version, c.pci_id, c, generation) for c in chips]
    is_open = generation.generation not in row.also_drives
    out = [
        chip
        for chip, answer in zip(chips, answers, strict=True)
        if answer is False or (isinstance(answer, Unknown) and is_open)
    ]
    named = ", ".join(dict.fromkeys(c.codename for c in out))
    if len(out) > _MOST_IDS:
        return f"without {len(out)} of its {len(chips)} PCI ids ({named}); give the PCI id"
    return f"without {', '.join(c.pci_id for c in out)} ({named})"


def _origin(release: Distribution, row: PackageVersion) -> str:
    if row.pocket == "aur":
        return "the AUR, built by users"
    component = f", component {row.component}" if row.component else ""
    return f"{release.name}, {row.pocket}{component}"


def on_cpu(implementation: Implementation) -> bool:
    """Whether it computes on the CPU and needs no driver in Linux."""
    return "gpu" not in implementation.device_types or not implementation.kernel_drivers


def drives(
    implementation: Implementation,
    version: str | None,
    chips: Sequence[GpuEntry],
    generation: Generation,
    also: Sequence[str] = (),
) -> tuple[Drives, str]:
    """Return whether this version drives the chips, and why not; `also` as in PackageVersion."""
    if on_cpu(implementation):
        return "no", "runs on the CPU"
    answers = [covers(implementation, version, c.pci_id, c, generation) for c in chips]
    if generation.generation in also:
        answers = [True if isinstance(answer, Unknown) else answer for answer in answers]
    if all(answer is True for answer in answers):
        return "yes", ""
    if all(answer is False for answer in answers):
        return "no", _why_never(implementation, generation)
    if any(answer is True for answer in answers):
        return "some", "not every chip of that name; give the PCI id"
    return "unknown", next(a.unknown for a in answers if isinstance(a, Unknown))


def _why_never(implementation: Implementation, generation: Generation) -> str:
    key = implementation.implementation
    support = generation.implementations.get(key)
    needs = f"needs {in_words(support.versions)}" if support is not None else ""
    reason = generation.not_driven_by.get(key) or generation.no_opencl_because or needs
    return reason.rstrip(".") or "lists no Intel GPU of this generation"
