# SPDX-License-Identifier: MIT
"""One cell of the support matrix: what a release offers a generation of one implementation."""

from collections.abc import Iterable
from typing import Literal

import msgspec

from clprobe.compat.offers import Offer, drives, on_cpu, packaged
from clprobe.compat.release_linux import LinuxAnswer, below_fits, linux_of
from clprobe.compat.support_notes import flaws_of, needed_variables, notes_of
from clprobe.compat.support_sources import sources_of
from clprobe.knowledge.table_types import (
    Distribution,
    Elsewhere,
    Entry,
    Generation,
    GpuEntry,
    Implementation,
    NotPackaged,
)
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import in_words
from clprobe.model.finding import Source

Status = Literal["supported", "not_supported", "unverified"]
_FROM = {"file": "files of {}", "repository": "{}", "pip": "wheels of PyPI"}
_NODE = "On such a machine, ls /dev/dri lists a render node if its Linux drives the GPU"
_SEARCH = "Ask the package search of {} for {}"
_INTEL = frozenset({"compute-runtime", "compute-runtime-legacy1", "beignet", "rusticl"})


class Support(msgspec.Struct, frozen=True, kw_only=True):
    """An answer. `origin` says where `package` comes from, `next_step` what settles the answer.

    `notes` are what else to know of that version on this hardware, `environment` the variables
    without which it shows no GPU. What runs on the CPU counts as supported where it can be
    installed; `device` tells the two apart.
    """

    generation: str
    distribution: str
    implementation: str
    status: Status
    reason: str
    sources: tuple[Source, ...]
    device: Literal["gpu", "cpu"] = "gpu"
    version: str | None = None
    package: str | None = None
    pocket: str | None = None
    origin: str | None = None
    next_step: str | None = None
    notes: tuple[str, ...] = ()
    environment: dict[str, str] = {}


class _Cell(msgspec.Struct, frozen=True):
    generation: Generation
    release: Distribution
    implementation: Implementation
    chips: tuple[GpuEntry, ...]

    def linux(self) -> list[Entry]:
        """Return what is known of the release's Linux, to name its sources."""
        return [self.release.linux] if self.release.linux is not None else []

    def answer(  # noqa: PLR0913 - one parameter per field
        self,
        status: Status,
        reason: str,
        sources: Iterable[Entry],
        *,
        offer: Offer | None = None,
        next_step: str | None = None,
        notes: tuple[str, ...] = (),
        environment: dict[str, str] | None = None,
    ) -> Support:
        """Return the answer with the names of what it is about."""
        return Support(
            generation=self.generation.generation,
            distribution=self.release.key,
            implementation=self.implementation.implementation,
            device="cpu" if on_cpu(self.implementation) else "gpu",
            status=status,
            reason=_sentence(reason),
            sources=sources_of(sources, self.implementation),
            version=offer.version if offer else None,
            package=offer.package if offer else None,
            pocket=offer.pocket if offer else None,
            origin=offer.origin if offer else None,
            next_step=_sentence(next_step) if next_step else None,
            notes=tuple(_sentence(note) for note in notes),
            environment=environment or {},
        )


def support(
    generation: Generation, release: Distribution, implementation: Implementation, tables: Tables
) -> Support:
    """Return whether the release, or a known way onto it, drives the generation's GPUs."""
    chips = tables.chips(generation.generation)
    cell = _Cell(generation, release, implementation, chips)
    never = _never(cell)
    if never is not None:
        return never
    offers = packaged(release, implementation, generation, chips)
    if offers and (offers[0].drives != "no" or on_cpu(implementation)):
        return _offered(cell, offers[0])
    for way in implementation.elsewhere:
        if release.key in way.onto or ("*" in way.onto and release.id != "alpine"):
            brought = _brought(cell, way, offers)
            if brought is not None:
                return brought
    return _not_offered(cell, offers)


def _never(cell: _Cell) -> Support | None:
    """Return the answer where no release of the implementation drives the generation."""
    entry, generation = cell.implementation, cell.generation
    key = entry.implementation
    if on_cpu(entry) or key in generation.implementations:
        return None
    if key not in _INTEL:
        reason = f"{entry.name} drives no GPU of Intel's, on any release"
        return cell.answer("not_supported", reason, [entry])
    why = generation.not_driven_by.get(key) or generation.no_opencl_because
    why = why or "it lists none of its GPUs"
    reason = f"{entry.name} never drives {generation.generation}: {why}"
    return cell.answer("not_supported", reason, [generation, entry])


def _offered(cell: _Cell, offer: Offer) -> Support:
    entry, generation = cell.implementation, cell.generation
    has = f"{cell.release.name} has {offer.package} {offer.version} ({offer.pocket})"
    if on_cpu(entry):
        return _on_cpu(cell, offer, has)
    linux = linux_of(cell.release, generation, entry)
    sources: list[Entry] = [offer.entry, generation, entry, *cell.linux()]
    if linux.fit == "no":
        reason = f"{has}, which drives {generation.generation}, but {linux.said}"
        return cell.answer("not_supported", reason, sources, offer=offer)
    status, step = _status(cell, offer, linux)
    flaws = flaws_of(entry, offer.version, generation, linux)
    notes = tuple(notes_of(entry, offer.note, flaws))
    sources += flaws
    reason = _reason(has, cell, offer, linux)
    return cell.answer(
        status,
        reason,
        sources,
        offer=offer,
        next_step=step,
        notes=notes,
        environment=needed_variables(entry, flaws),
    )


def _on_cpu(cell: _Cell, offer: Offer, has: str) -> Support:
    doubt = offer.entry.unverified
    return cell.answer(
        "unverified" if doubt else "supported",
        f"{has}, which computes on the CPU, whatever the GPU is",
        [offer.entry],
        offer=offer,
        next_step=_SEARCH.format(cell.release.name, offer.package) if doubt else None,
        notes=(offer.note,) if offer.note else (),
    )


def _reason(has: str, cell: _Cell, offer: Offer, linux: LinuxAnswer) -> str:
    name = cell.generation.generation
    said = {
        "yes": f"{has}, which drives {name}",
        "some": f"{has}, which drives {name}, {offer.why}",
        "unknown": f"{has}; whether that drives {name} is not known: {offer.why}",
    }[offer.drives]
    return f"{said}; {linux.said}" if linux.said else said


def _status(cell: _Cell, offer: Offer, linux: LinuxAnswer) -> tuple[Status, str | None]:
    if offer.drives == "unknown":
        return "unverified", "Install it and run clprobe doctor on such a GPU"
    if offer.entry.unverified:
        return "unverified", _SEARCH.format(cell.release.name, offer.package)
    if linux.fit == "unknown":
        return "unverified", _NODE
    if linux.fit == "forced":
        return "unverified", "Boot with force_probe and the GPU's device id, then clprobe doctor"
    return "supported", None


def _brought(cell: _Cell, way: Elsewhere, offers: list[Offer]) -> Support | None:
    """Return the answer that a way from outside the release gives; None if it is no answer."""
    if way.version is None:
        return None
    verdict, why = drives(cell.implementation, way.version, cell.chips, cell.generation)
    if verdict == "no" and not on_cpu(cell.implementation):
        return None
    offer = Offer(
        package=", ".join(way.packages),
        version=way.version,
        pocket=way.how,
        origin=_FROM[way.how].format(way.origin),
        entry=way,
        drives=verdict,
        why=why,
    )
    own = _own(cell, offers)
    of_gpu: list[Entry] = [] if on_cpu(cell.implementation) else [cell.generation]
    sources: list[Entry] = [way, *([] if offers else _denials(cell)), *of_gpu]
    linux = LinuxAnswer("yes") if on_cpu(cell.implementation) else _linux(cell)
    if linux.fit == "no":
        return cell.answer("not_supported", f"{own}, and {linux.said}", sources)
    fits = below_fits(cell.release, way)
    if isinstance(fits, str):
        reason = f"{own}, and {offer.origin} ({way.version}) need {fits}"
        return cell.answer("not_supported", reason, sources)
    doubt = way.status != "supported" or way.unverified or linux.fit in ("unknown", "forced")
    doubt = doubt or not fits
    reason = f"{own}; {offer.origin} ({way.version}) are another way: {way.note}"
    if on_cpu(cell.implementation):
        reason = f"{reason}. It computes on the CPU, whatever the GPU is"
    step = "Install it so on such a machine and run clprobe doctor" if doubt else None
    status: Status = "unverified" if doubt else "supported"
    return cell.answer(status, reason, sources, offer=offer, next_step=step)


def _linux(cell: _Cell) -> LinuxAnswer:
    return linux_of(cell.release, cell.generation, cell.implementation)


def _not_offered(cell: _Cell, offers: list[Offer]) -> Support:
    unknown = [
        one
        for one in cell.release.unknown
        if cell.implementation.implementation in one.implementations
    ]
    ways = [
        f"Look at {way.origin}: {way.note}"
        for way in cell.implementation.elsewhere
        if way.version is None and cell.release.key in way.onto
    ]
    if unknown and not offers:
        return _open(cell, unknown)
    denials = [] if offers else _denials(cell)
    of_gpu: list[Entry] = [] if on_cpu(cell.implementation) else [cell.generation]
    sources: list[Entry] = [*(one.entry for one in offers), *denials, *of_gpu]
    if not ways and not offers and any(one.unverified for one in denials):
        ways.append(f"Nobody has confirmed it: ask the package search of {cell.release.name}")
    return cell.answer(
        "not_supported", _own(cell, offers), sources, next_step=ways[0] if ways else None
    )


def _open(cell: _Cell, unknown: list[NotPackaged]) -> Support:
    """Return the answer where nobody saw what the release packages: its Linux may rule it out."""
    name, entry = cell.release.name, cell.implementation
    sources: list[Entry] = [*unknown]
    linux = LinuxAnswer("yes") if on_cpu(entry) else _linux(cell)
    if linux.fit == "no":
        reason = f"{name} may have {entry.name}, but {linux.said}"
        return cell.answer("not_supported", reason, [*sources, *cell.linux(), cell.generation])
    reason = f"It is not known whether {name} has {entry.name}"
    return cell.answer("unverified", reason, sources, next_step=unknown[0].because)


def _own(cell: _Cell, offers: list[Offer]) -> str:
    """Say that what the release packages, if anything, is no answer."""
    key, generation = cell.implementation.implementation, cell.generation
    if offers:
        newest = offers[0]
        needed = generation.implementations.get(key)
        words = in_words(needed.versions) if needed is not None else "another version"
        return (
            f"{cell.release.name} has {newest.package} {newest.version}, "
            f"and {generation.generation} needs {words}"
        )
    if any(key in one.implementations for one in cell.release.unknown):
        return f"It is not known whether {cell.release.name} packages {cell.implementation.name}"
    denials = [one.because for one in cell.release.lacks if key in one.implementations]
    because = f": {denials[0]}" if denials else ""
    return f"{cell.release.name} does not package {cell.implementation.name}{because}"


def _denials(cell: _Cell) -> list[Entry]:
    key, release = cell.implementation.implementation, cell.release
    told = (*release.lacks, *release.unknown)
    found: list[Entry] = [one for one in told if key in one.implementations]
    return found or [release]


def _sentence(text: str) -> str:
    # conda-forge and the like write themselves small.
    start = text[:1] if "-" in text.split(" ", 1)[0] else text[:1].upper()
    return start + text[1:].rstrip(". ") + "."
