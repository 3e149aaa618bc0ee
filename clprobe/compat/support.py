# SPDX-License-Identifier: MIT
"""One cell of the support matrix: what a release offers some GPUs of one implementation."""

import functools
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from clprobe.compat.coverage import drives_gpus, needed_versions
from clprobe.compat.known_gpu import KnownGpu, alike, gpus_of_entries
from clprobe.compat.linux_choice import LinuxChoice, Place, choose_linux
from clprobe.compat.offers import Offer, elsewhere, on_request, packaged, version_of
from clprobe.compat.resolve import (
    No,
    Open,
    Summary,
    Yes,
    considered,
    files_are_known_to_fit,
    never_drives,
    refused,
    too_old,
)
from clprobe.compat.support_sources import needed_variables, notes_of, sources_of
from clprobe.knowledge.table_types import (
    Distribution,
    Entry,
    Generation,
    Implementation,
    NotPackaged,
)
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import in_words
from clprobe.model.finding import Source

Status = Literal["supported", "not_supported", "unverified"]
_BEST = ("yes", "some", "open", "no")
_MOST_IDS = 4
_FROM = {"file": "files of {}", "repository": "{}", "pip": "wheels of PyPI", "by-hand": "{}"}
_NODE = "On such a machine, ls /dev/dri lists a render node if its Linux drives the GPU"
_TRY = "Install it and run clprobe doctor on such a GPU"
_SEARCH = "Ask the package search of {} for {}"
_NEWER = {"hwe": "of the hardware-enablement kernel", "backports": "of its backports"}


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
    gpus: tuple[KnownGpu, ...]
    generation: Generation
    release: Distribution
    implementation: Implementation
    name: str

    @property
    def place(self) -> Place:
        """Return where it is to run: with any Linux that the release ships."""
        return Place(release=self.release)

    @property
    def lacks(self) -> list[NotPackaged]:
        """Return why the release is known to have no package of it."""
        return self._named_in(self.release.lacks)

    @property
    def unknown(self) -> list[NotPackaged]:
        """Return what would settle whether it has one."""
        return self._named_in(self.release.unknown)

    def _named_in(self, told: Iterable[NotPackaged]) -> list[NotPackaged]:
        return [one for one in told if self.implementation.implementation in one.implementations]

    @property
    def is_untold(self) -> bool:
        """Whether the release's table says nothing of the implementation: nobody has looked."""
        entry, release = self.implementation, self.release
        offers = (*packaged(entry, release), *on_request(entry, release))
        return not (offers or self.lacks or self.unknown)

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
            device="gpu" if drives_gpus(self.implementation) else "cpu",
            status=status,
            reason=_sentence(reason),
            sources=sources_of(sources, self.implementation),
            version=offer.version if offer else None,
            package=", ".join(offer.packages) if offer else None,
            pocket=_pocket(offer) if offer else None,
            origin=_origin(offer, self.release) if offer else None,
            next_step=_sentence(next_step) if next_step else None,
            notes=tuple(_sentence(note) for note in notes),
            environment=environment or {},
        )


def support(
    generation: Generation, release: Distribution, implementation: Implementation, tables: Tables
) -> Support:
    """Return whether the release, or a known way onto it, drives the generation's GPUs."""
    gpus = gpus_of(generation.generation, tables)
    return support_of(gpus, release, implementation, tables)


@functools.lru_cache(maxsize=64)
def gpus_of(generation: str, tables: Tables) -> tuple[KnownGpu, ...]:
    """Return the GPUs of a generation of Intel's."""
    known = tables.generations()[generation]
    return gpus_of_entries(tables.chips(generation), known)


def support_of(
    gpus: Sequence[KnownGpu], release: Distribution, implementation: Implementation, tables: Tables
) -> Support:
    """Return the same for some GPUs of one generation of Intel's, at least one."""
    generation = gpus[0].generation
    assert generation is not None  # noqa: S101 - the caller's word
    name = gpus[0].pci_id if len(gpus) == 1 else None
    cell = _Cell(tuple(gpus), generation, release, implementation, name or generation.generation)
    if not drives_gpus(implementation):
        return _on_cpu(cell, tables)
    never = never_drives(implementation, *cell.gpus)
    if never is not None:
        reason = f"{implementation.name} never drives {cell.name}: {never.because}"
        return cell.answer("not_supported", reason, [generation, implementation])
    found = considered(implementation, cell.gpus, cell.place, tables)
    if found:
        offer, summary = min(
            found,
            key=lambda pair: (
                pair[1].verdict == "no",
                pair[1].is_doubted,
                _BEST.index(pair[1].verdict),
            ),
        )
        if summary.verdict != "no":
            return _offered(cell, offer, summary)
    return _refused(cell, found)


def _offered(cell: _Cell, offer: Offer, found: Summary) -> Support:
    answer, entry = found.answer, cell.implementation
    assert not isinstance(answer, No)  # noqa: S101 - of all answers, it is taken last
    status, step = _status(cell, offer, found)
    sources: list[Entry] = [offer.entry, cell.generation, entry, *cell.linux(), *answer.known]
    if offer.how != "package":
        sources = [offer.entry, *_denials(cell), cell.generation]
    has = _has(cell, offer)
    return cell.answer(
        status,
        _reason(cell, has, found, answer) if offer.how == "package" else _another_way(cell, offer),
        sources,
        offer=offer,
        next_step=step,
        notes=tuple(notes_of(entry, offer.note, answer.known)),
        environment=needed_variables(entry, answer.known),
    )


def _has(cell: _Cell, offer: Offer) -> str:
    return f"{cell.release.name} has {offer.packages[0]} {version_of(offer)} ({offer.pocket})"


def _another_way(cell: _Cell, offer: Offer) -> str:
    own = _own(cell, packaged(cell.implementation, cell.release))
    version = offer.version or "whichever it holds now"
    return f"{own}; {_origin(offer, cell.release)} ({version}) are another way: {offer.note}"


def _reason(cell: _Cell, has: str, found: Summary, answer: Yes | Open) -> str:
    if isinstance(answer, Open) and answer.what == "version":
        return f"{has}; whether that drives {cell.name} is not known: {answer.because}"
    said = f"{has}, which drives {cell.name}"
    if found.left_out:
        said += f", {_without(cell, found)}"
    if isinstance(answer, Open):
        return said if answer.what == "confirmation" else f"{said}; {answer.because}"
    if found.forced and answer.linux.force_probe is None:
        said += f"; Linux binds {_few(found.forced)} only when forced (force_probe)"
    return said + _about_linux(answer.linux)


def _about_linux(linux: LinuxChoice) -> str:
    if linux.force_probe is not None:
        return f"; Linux {linux.linux} binds it only when forced (force_probe)"
    return f"; it takes Linux {linux.linux} {_NEWER[linux.newer]}" if linux.newer else ""


def _few(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_MOST_IDS]) + " …" * (len(ids) > _MOST_IDS)


def _without(cell: _Cell, found: Summary) -> str:
    """Name the GPUs that are not driven, or not surely."""
    out = [gpu for gpu in cell.gpus if gpu.pci_id in found.left_out]
    named = ", ".join(dict.fromkeys(gpu.entry.codename for gpu in out if gpu.entry is not None))
    linux = f"; its Linux is too old for {_few(found.not_bound)}" if found.not_bound else ""
    if len(out) > _MOST_IDS:
        count = f"{len(out)} of its {len(cell.gpus)} PCI ids"
        return f"without {count} ({named}); give the PCI id{linux}"
    return f"without {', '.join(gpu.pci_id or '' for gpu in out)} ({named}){linux}"


def _status(cell: _Cell, offer: Offer, found: Summary) -> tuple[Status, str | None]:
    """Return the status, and what would settle it where it is unverified."""
    answer = found.answer
    assert not isinstance(answer, No)  # noqa: S101 - the caller's word
    if found.is_doubted:
        return "unverified", _TRY
    search = _SEARCH.format(cell.release.name, offer.packages[0])
    if offer.version is None and offer.status != "supported":
        return "unverified", f"Look at {offer.origin}: {offer.note}"
    if isinstance(answer, Open) and offer.how == "package":
        steps = {"version": _TRY, "linux": _NODE}
        return "unverified", steps.get(answer.what, search)
    if answer.linux.force_probe is not None:
        return "unverified", "Boot with force_probe and the GPU's device id, then clprobe doctor"
    if isinstance(answer, Open) or (offer.how != "package" and offer.status != "supported"):
        return "unverified", "Install it so on such a machine and run clprobe doctor"
    return "supported", None


def _refused(cell: _Cell, tried: list[tuple[Offer, Summary]]) -> Support:
    """Return the answer where nothing that is offered drives any of the GPUs."""
    own = [offer for offer, _ in tried if offer.how == "package"]
    for offer, found in tried:
        answer = found.answer
        if not isinstance(answer, No) or answer.what not in ("linux", "files", "origin"):
            continue
        sources: list[Entry] = [offer.entry, cell.generation, *cell.linux()]
        if offer.how == "package":
            reason = f"{_has(cell, offer)}, which drives {cell.name}, but {answer.because}"
            return cell.answer("not_supported", reason, sources, offer=offer)
        origin = f"{_origin(offer, cell.release)} ({offer.version})"
        joined = f"{origin} {answer.because}" if answer.what == "files" else answer.because
        reason = f"{_own(cell, own)}, and {joined}"
        return cell.answer("not_supported", reason, [*sources, *_denials(cell)])
    return _not_offered(cell, own)


def _on_cpu(cell: _Cell, tables: Tables) -> Support:
    """Return the answer for what computes on the CPU, whatever the GPU is."""
    entry, release = cell.implementation, cell.release
    for offer in (*packaged(entry, release), *on_request(entry, release)):
        return _installable(cell, offer)
    for offer in elsewhere(entry, release, tables):
        refusal = refused(entry, offer, cell.place)
        own, origin = _own(cell, []), f"{_origin(offer, release)} ({offer.version})"
        sources: list[Entry] = [offer.entry, *_denials(cell)]
        if refusal is not None:
            reason = f"{own}, and {origin} {refusal.because}"
            return cell.answer("not_supported", reason, sources)
        reason = f"{own}; {origin} are another way: {offer.note}"
        doubt = offer.status != "supported" or offer.entry.unverified
        needs = f"They need glibc {in_words(offer.glibc)}" if offer.glibc != "*" else None
        return cell.answer(
            "unverified" if doubt else "supported",
            f"{reason}. It computes on the CPU, whatever the GPU is",
            sources,
            offer=offer,
            next_step="Install it so and run clprobe doctor" if doubt else None,
            notes=(
                *((needs,) if needs and not files_are_known_to_fit(offer, cell.place) else ()),
                *((offer.compiler.note,) if offer.compiler is not None else ()),
            ),
        )
    return _not_offered(cell, [])


def _installable(cell: _Cell, offer: Offer) -> Support:
    doubt = offer.entry.unverified
    return cell.answer(
        "unverified" if doubt else "supported",
        f"{_has(cell, offer)}, which computes on the CPU, whatever the GPU is",
        [offer.entry],
        offer=offer,
        next_step=_SEARCH.format(cell.release.name, offer.packages[0]) if doubt else None,
        notes=offer.notes,
    )


def _not_offered(cell: _Cell, offers: list[Offer]) -> Support:
    if not offers and (cell.unknown or cell.is_untold):
        return _open(cell)
    denials = [] if offers else _denials(cell)
    of_gpu: list[Entry] = [cell.generation] if drives_gpus(cell.implementation) else []
    sources: list[Entry] = [*(one.entry for one in offers), *denials, *of_gpu]
    step = None
    if not offers and any(one.unverified for one in denials):
        step = f"Nobody has confirmed it: ask the package search of {cell.release.name}"
    return cell.answer("not_supported", _own(cell, offers), sources, next_step=step)


def _open(cell: _Cell) -> Support:
    """Return the answer where nobody saw what the release packages: its Linux may rule it out."""
    name, entry = cell.release.name, cell.implementation
    sources: list[Entry] = [*cell.unknown] or [cell.release]
    if drives_gpus(entry):
        choices = [choose_linux(entry, group[0], cell.place) for group in alike(cell.gpus)]
        if all(one.fit == "no" for one in choices):
            reason = f"{name} may have {entry.name}, but {too_old(choices[0])}"
            return cell.answer("not_supported", reason, [*sources, *cell.linux(), cell.generation])
    reason = f"It is not known whether {name} has {entry.name}"
    step = cell.unknown[0].because if cell.unknown else _SEARCH.format(name, entry.name)
    return cell.answer("unverified", reason, sources, next_step=step)


def _own(cell: _Cell, offers: Sequence[Offer]) -> str:
    """Say that what the release packages, if anything, is no answer."""
    if offers:
        newest = offers[0]
        needed = [needed_versions(cell.implementation, gpu) for gpu in cell.gpus]
        words = next((text for text in needed if text is not None), "another version")
        return (
            f"{cell.release.name} has {newest.packages[0]} {newest.version}, "
            f"and {cell.name} needs {words}"
        )
    if cell.is_untold or cell.unknown:
        return f"It is not known whether {cell.release.name} packages {cell.implementation.name}"
    because = f": {cell.lacks[0].because}" if cell.lacks else ""
    return f"{cell.release.name} does not package {cell.implementation.name}{because}"


def _denials(cell: _Cell) -> list[Entry]:
    if packaged(cell.implementation, cell.release):
        return []
    return [*cell.lacks, *cell.unknown] or [cell.release]


def _pocket(offer: Offer) -> str:
    return offer.pocket if offer.pocket is not None else offer.how


def _origin(offer: Offer, release: Distribution) -> str:
    if offer.how in _FROM:
        return _FROM[offer.how].format(offer.origin)
    if offer.pocket == "aur":
        return "the AUR, built by users"
    component = f", component {offer.component}" if offer.component else ""
    return f"{release.name}, {offer.pocket}{component}"


def _sentence(text: str) -> str:
    # conda-forge and the like write themselves small.
    start = text[:1] if "-" in text.split(" ", 1)[0] else text[:1].upper()
    return start + text[1:].rstrip(". ") + "."
