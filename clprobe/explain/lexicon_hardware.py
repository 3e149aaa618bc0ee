# SPDX-License-Identifier: MIT
"""What the lexicon says of generations, chips, GPUs, families and kernel drivers."""

import functools
import re
from collections.abc import Iterator, Sequence

from clprobe.compat.coverage import needed_versions
from clprobe.compat.interfaces import Hardware
from clprobe.compat.known_gpu import INTEL, MODULES, KnownGpu, alike, gpu_of_id
from clprobe.compat.resolve import never_drives
from clprobe.compat.support import Support, gpus_of, support_of
from clprobe.compat.support_table import support_table
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.explain.lexicon_entry import (
    Entry,
    Fact,
    as_a_whole,
    doubt,
    page,
    sources_of,
    squeezed,
    words,
)
from clprobe.explain.lexicon_interfaces import interface_lines
from clprobe.knowledge.family_table import Family
from clprobe.knowledge.named_gpu import NamedGpu
from clprobe.knowledge.table_types import Capabilities, Generation, GpuEntry
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import in_words

_OUTCOMES = ("works", "untested", "fails")
_MOST_CHIPS = 40
_MOST_PAGES = 4
_MAKERS = {"intel": "Intel", "amd": "AMD", "nvidia": "NVIDIA", "arm": "Arm",
    "broadcom": "Broadcom", "qualcomm": "Qualcomm", "apple": "Apple"}  # fmt: skip
_MADE_BY = {"amd": "AMD ATI Radeon", "nvidia": "NVIDIA GeForce"}


def generations(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    """Yield the generation of that key, or those with a chip of that name."""
    tables = knowledge.tables
    wanted = re.sub(r"^(xe[23])[hl]pg$", r"\1", squeezed(name))  # Xe2-LPG and Xe2-HPG are Xe2
    for one in tables.generations().values():
        if wanted in map(squeezed, (one.generation, *one.generation.split("/"))):
            yield generation_entry(one, tables)
            return
    processors = _processor_generation(name)
    for one in tables.generations().values():
        cpus = " ".join(platform.cpus or "" for platform in one.platforms.values())
        if (processors and re.search(processors, cpus)) or (
            wanted and any(wanted in _chip_names(key, one) for key in one.platforms)
        ):
            yield generation_entry(one, tables)


def _processor_generation(name: str) -> str | None:
    """Return what the processors of a "4th gen" are called in the tables, as a pattern."""
    match = re.fullmatch(
        r"(?:intel |core )*(\d+)(?:st|nd|rd|th)[- ]gen(?:eration)?(?: intel| core)*", name.lower()
    )
    return rf"\b{match[1]}(?:st|nd|rd|th) (?:and \w+ )?generation" if match else None


def _chip_names(key: str, generation: Generation) -> set[str]:
    """Return what a chip is called, squeezed: Alder Lake-S is an Alder Lake too."""
    chips = generation.platforms[key].names.partition(":")[0]
    named = [one for one in re.split(r", | and |; ", chips) if len(one) > 1]
    # adls and adlp are both ADL.
    return {key[:3], *_squeezed_names(key, chips, named)}


def _squeezed_names(key: str, chips: str, named: list[str]) -> set[str]:
    return {squeezed(one) for one in (key, chips, *named, *(n.partition("-")[0] for n in named))}


def generation_entry(found: Generation, tables: Tables) -> Entry:
    """Return the page of a generation."""
    driven = [
        f"{key} {in_words(one.versions)}"
        + (f", Linux {in_words(one.linux)}" if one.linux != "*" else "")
        for key, one in found.implementations.items()
    ]
    able = [
        f"{key}: {_able(one)}, work-groups up to {one.max_work_group_size}, sub-groups of "
        f"{', '.join(map(str, one.sub_group_sizes))}, {one.local_memory_bytes // 1024} KiB local"
        f" memory{f'; {one.note}' if one.note else ''}"
        for key, one in found.capabilities.items()
    ]
    facts: list[Fact] = [
        ("name", found.microarchitecture),
        ("chips", (_chip(key, found) for key in found.platforms)),
        ("driven by", driven),
        ("packaged in", _releases(found.generation, None, tables)),
        ("not driven by", (f"{key}: {why}" for key, why in found.not_driven_by.items())),
        ("no OpenCL", found.no_opencl_because),
        ("can do", able),
        ("Level Zero", "" if found.level_zero is None else _yes(found.level_zero)),
        ("beside OpenCL", interface_lines(_of_generation(found), tables)),
        ("learning", _stacks(found.generation, tables)),
        ("next", f"clprobe rules matrix --generation {found.generation.split('/')[-1]}"),
        *as_a_whole(found),
    ]
    return page("generation", found.generation, facts, found.sources)


def _of_generation(found: Generation) -> Hardware:
    gpu = KnownGpu(vendor=INTEL, generation=found)
    return Hardware(called=found.generation, gpus=(gpu,))


def _of_family(found: Family) -> Hardware:
    gpu = KnownGpu(vendor=found.vendor, family=found)
    return Hardware(called=found.name, gpus=(gpu,))


def _chip(key: str, generation: Generation) -> str:
    one = generation.platforms[key]
    drivers = {"i915": one.linux.i915, "xe": one.linux.xe, "i915 when forced":
        one.linux.i915_force_probe, "xe when forced": one.linux.xe_force_probe}  # fmt: skip
    linux = [f"{name} {in_words(text)}" for name, text in drivers.items() if text is not None]
    more = [one.cpus, one.years, f"Linux: {', '.join(linux)}" if linux else None, one.note]
    return "; ".join([f"{key}: {one.names}", *(text for text in more if text)])


def _releases(generation: str, pci_id: str | None, tables: Tables) -> tuple[str, ...]:
    """Return, per implementation, the releases on which it drives the generation, or one id."""
    groups = alike(gpus_of(generation, tables))
    of_id = next((g for g in groups if any(gpu.pci_id == pci_id for gpu in g)), None)
    if of_id is None:
        return _packaged(support_table(tables, [generation]).cells)
    # Pages of all that are alike say the same.
    return _packaged_for(of_id[0].pci_id or "", tables)


@functools.lru_cache(maxsize=256)
def _packaged_for(pci_id: str, tables: Tables) -> tuple[str, ...]:
    gpu, releases = gpu_of_id(pci_id, tables), tables.distributions()
    drivers = [one for one in tables.implementations().values() if not never_drives(one, gpu)]
    return _packaged(
        [support_of([gpu], one, entry, tables) for entry in drivers for one in releases]
    )


def _packaged(cells: Sequence[Support]) -> tuple[str, ...]:
    """Return a line per implementation that drives the GPU, with the releases that have it."""
    lines: list[str] = []
    of_gpus = [cell for cell in cells if cell.device == "gpu" and cell.version]
    for name in sorted({cell.implementation for cell in of_gpus}):
        for status, word in (("supported", ""), ("unverified", ", unverified")):
            named = [
                f"{cell.distribution} {cell.version}"
                for cell in of_gpus
                if cell.implementation == name and cell.status == status
            ]
            if named:
                lines.append(f"{name}{word}: {', '.join(named)}")
    return tuple(lines)


def _stacks(generation: str, tables: Tables) -> Iterator[str]:
    """Yield what runs on a generation, what nobody tried, and what does not run."""
    said = [
        (one.outcome, f"{key}: {one.outcome}, {one.because}{doubt(one)}")
        for key, stack in tables.stacks().items()
        for one in stack.supports
        if generation in one.generations
    ]
    yield from (text for outcome in _OUTCOMES for of, text in said if of == outcome)


def gpus(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    """Yield the page of each GPU or family that the name stands for; of many, one with all."""
    tables = knowledge.tables
    if tables.generation(name.replace(" ", "")) is not None:
        return
    named = tables.named_gpu(name)
    if named.is_known and named.read_as is None:
        yield from named_entries(name, named, knowledge)
        also = tables.gpu_names_known().card(name, set(), whole=True) if named.chips else None
        if also is not None and "intel" not in name.lower():  # the HD 4600 is a Radeon, too
            yield from named_entries(name, also, knowledge)
        return
    told = words(name) - {"hd"}
    for one in tables.families().values():
        if told and told <= words(f"{one.family} {one.name} {_MADE_BY.get(one.vendor, '')}"):
            yield family_entry(one, tables)


def named_entries(name: str, named: NamedGpu, knowledge: Knowledge) -> tuple[Entry, ...]:
    """Return the pages of what a name was found to stand for."""
    tables = knowledge.tables
    if named.nothing_because is not None:
        facts: list[Fact] = [("OpenCL", f"none: {named.nothing_because}")]
        return (page("adapter", f"{name}: no GPU for OpenCL", facts, named.sources),)
    found = [(one.pci_id, one) for one in named.chips]
    if len(found) > _MOST_PAGES:
        return (_several(name, found, tables),)
    pages = [gpu_entry(pci_id, entry, tables) for pci_id, entry in found]
    return (*pages, *(family_entry(one, tables) for one in named.families))


def _several(name: str, found: list[tuple[str, GpuEntry]], tables: Tables) -> Entry:
    lines = [f"{pci_id}: {_called(one)}, {one.generation}" for pci_id, one in found]
    more = len(lines) - _MOST_CHIPS
    if more > 0:
        lines = [*lines[:_MOST_CHIPS], f"and {more} more"]
    kinds = list(dict.fromkeys(one.generation for _, one in found))
    driven = [f"{pci}: {_drivers(pci, one, tables)}" for pci, one in _one_each(found)]
    facts: list[Fact] = [
        ("generation", ", ".join(kinds)),
        ("may be", lines),
        ("OpenCL by", driven),
        ("which it is", "lspci -nn shows the PCI id"),
        ("next", f"clprobe explain {found[0][0]}"),
    ]
    title = f"{name}: {len(found)} chips go by this name"
    generations = [one for one in map(tables.generation, kinds) if one is not None]
    sources = sources_of([*(one for _, one in found), *generations])
    return page("GPU", title, facts, sources)


def _called(found: GpuEntry) -> str:
    return f"{found.name} ({found.codename})" if found.name else found.codename


def _one_each(found: list[tuple[str, GpuEntry]]) -> list[tuple[str, GpuEntry]]:
    first = {one.generation: (pci_id, one) for pci_id, one in reversed(found)}
    return list(reversed(first.values()))


def _drivers(pci_id: str, found: GpuEntry, tables: Tables) -> str:
    generation = tables.generation(found.generation)
    gpu = gpu_of_id(pci_id, tables)
    driven = [
        f"{key} {needed}"
        for key, one in sorted(tables.implementations().items())
        if (needed := needed_versions(one, gpu)) is not None
    ]
    why = (generation and generation.no_opencl_because) or "no driver lists it"
    return ", ".join(driven) or f"nothing: {why}"


def gpu_entry(pci_id: str, found: GpuEntry, tables: Tables) -> Entry:
    """Return the page of a PCI id."""
    generation = tables.generation(found.generation)
    never = generation.not_driven_by.items() if generation is not None else ()
    limits = generation.capabilities.items() if generation is not None else ()
    beignet = found.beignet or (
        f"upstream {found.beignet_upstream}" if found.beignet_upstream else ""
    )
    facts: list[Fact] = [
        ("generation", found.generation),
        ("chip", f"{found.codename}{f', {found.eus} EUs' if found.eus else ''}"),
        ("kernel drivers", ", ".join(map(_bound, found.kernel_drivers))),
        ("OpenCL by", _drivers(pci_id, found, tables)),
        ("compute-runtime", in_words(found.neo) if found.neo else ""),
        ("legacy1", "yes" if found.legacy1 else ""),
        ("beignet", f"{beignet} or newer" if beignet else ""),
        ("not driven by", (f"{key}: {why}" for key, why in never)),
        ("can do", (f"{key}: {_able(one)}" for key, one in limits)),
        ("packaged in", _releases(found.generation, pci_id, tables) if generation else ""),
        ("learning", _stacks(found.generation, tables)),
        ("plan", f"clprobe install-plan --gpu {pci_id}"),
        *as_a_whole(found),
    ]
    both = [found, generation] if generation is not None else [found]
    return page("GPU", f"{pci_id}: {found.name or found.codename}", facts, sources_of(both))


def _able(one: Capabilities) -> str:
    images = ", no images" if one.images is False else ""
    return f"OpenCL {one.opencl_version}, fp16 {_yes(one.fp16)}, fp64 {_yes(one.fp64)}{images}"


def _bound(driver: str) -> str:
    """Return a kernel driver in words; "xe!" is the tables' short form."""
    return f"{driver[:-1]} (only with force_probe)" if driver.endswith("!") else driver


def family_entry(found: Family, tables: Tables) -> Entry:
    """Return the page of a family."""
    driven = (f"{key} {in_words(one.versions)}" for key, one in found.implementations.items())
    facts: list[Fact] = [
        ("vendor", _MAKERS[found.vendor]),
        ("chips", ", ".join(found.chips) or found.name),
        ("no OpenCL", found.no_opencl_because),
        ("driven by", driven),
        ("not driven by", (f"{key}: {why}" for key, why in found.not_driven_by.items())),
        ("also in question", _open(found, tables)),
        ("beside OpenCL", interface_lines(_of_family(found), tables)),
        ("next", "clprobe doctor"),
        *as_a_whole(found),
    ]
    return page("family", f"{found.family}: {found.name}", facts, found.sources)


def _open(found: Family, tables: Tables) -> Iterator[str]:
    """Yield the implementations for this maker's GPUs of which the family's file says nothing."""
    modules = MODULES.get(found.vendor, frozenset())
    for key, one in tables.implementations().items():
        told = key in found.implementations or key in found.not_driven_by
        told = told or found.no_opencl_because is not None
        if modules & one.modules and one.maintained and not told:
            nodes = ", ".join(one.device_nodes)
            yield f"{key} through {nodes}: which releases drive these chips is not entered"


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"
