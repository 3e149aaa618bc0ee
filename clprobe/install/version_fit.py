# SPDX-License-Identifier: MIT
"""Decides whether the version of an implementation that a way brings drives the GPU."""

import msgspec

from clprobe.compat.coverage import covers
from clprobe.install.machine import Machine
from clprobe.install.ways import Way
from clprobe.knowledge.family_table import Family
from clprobe.knowledge.table_types import GpuEntry, Implementation
from clprobe.knowledge.versions import conditions, in_range, in_words, oldest
from clprobe.model.unknown import Unknown


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """Why it does not drive the GPU, or why it may not; `some_chips`: it drives only some."""

    refusal: str | None = None
    doubt: str | None = None
    some_chips: bool = False


def version_fit(way: Way, implementation: Implementation, machine: Machine) -> Coverage:
    """Return whether the version that this way brings drives the GPU."""
    if not machine.chips:
        if machine.family is not None and way.release is not None:
            known = _of_family(way, implementation, machine.family)
            if known is not None:
                return known
        answer = covers(implementation, way.version, machine.some_id, None, None)
        return Coverage(doubt=answer.unknown if isinstance(answer, Unknown) else None)
    answers = {chip.pci_id: _answer(way, implementation, machine, chip) for chip in machine.chips}
    refused = [pci_id for pci_id, answer in answers.items() if answer is False]
    if len(refused) == len(answers):
        return Coverage(refusal=_too_old_or_new(way, implementation, machine))
    if refused:
        some = ", ".join(refused[:6]) + (" …" if len(refused) > 6 else "")
        doubt = f"not for all chips of that name: it does not drive {some}; give the PCI id"
        return Coverage(doubt=doubt, some_chips=True)
    unknown = [answer.unknown for answer in answers.values() if isinstance(answer, Unknown)]
    return Coverage(doubt=unknown[0] if unknown else None)


def _of_family(way: Way, implementation: Implementation, family: Family) -> Coverage | None:
    """Return what is known of AMD's or NVIDIA's chips of one family; None if nothing is."""
    key, version = implementation.implementation, way.release or ""
    if key in family.not_driven_by:
        reason = family.not_driven_by[key]
        return Coverage(refusal=f"{family.name} was never supported by it: {reason}")
    support = family.implementations.get(key)
    if support is None:
        return None
    if in_range(version, support.versions, implementation.version_scheme):
        return Coverage()
    needed = in_words(support.versions).replace("<", "a version before ")
    return Coverage(refusal=f"{way.offered_by} {key} {version}; {family.name} needs {needed}")


def _answer(
    way: Way, implementation: Implementation, machine: Machine, chip: GpuEntry
) -> bool | Unknown:
    if way.version is None and implementation.implementation == "compute-runtime":
        # Whatever a PPA holds today is current: it drives what no release has dropped.
        return chip.neo is not None and "<" not in chip.neo
    answer = covers(implementation, way.version, chip.pci_id, chip, machine.generation)
    built_in = isinstance(answer, Unknown) and chip.generation in way.also_drives
    return True if built_in else answer


def _too_old_or_new(way: Way, implementation: Implementation, machine: Machine) -> str:
    key = implementation.implementation
    version = (way.version if key == "beignet" else way.release) or "in its current release"
    needed = in_words(_needed(implementation, machine))
    return f"{way.offered_by} {key} {version}; {machine.gpu_name} needs {needed}"


def _needed(implementation: Implementation, machine: Machine) -> str:
    """Return the versions that drive the GPU; of several chips, those of the one listed first."""
    key = implementation.implementation
    if key == "compute-runtime":
        listed = [chip.neo for chip in machine.chips if chip.neo is not None]
        first = oldest([dict(conditions(text))[">="] for text in listed], "neo")
        return next(text for text in listed if first in text)
    if key == "beignet":
        listed = [chip.beignet for chip in machine.chips if chip.beignet is not None]
        return f">={listed[0]}" if listed else "*"
    support = machine.generation.implementations.get(key) if machine.generation else None
    return support.versions if support is not None else "*"
