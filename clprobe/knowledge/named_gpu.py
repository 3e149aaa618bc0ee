# SPDX-License-Identifier: MIT
"""What a name of a GPU stands for, however it is written: the one answer for all commands.

`resolve` takes a PCI id, a line of lspci, the renderer of glxinfo, a name from a shop or the model
name of a processor.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Protocol

import msgspec

from clprobe.knowledge import gpu_names, gpu_spelling, processors
from clprobe.knowledge.adapter_table import Adapter
from clprobe.knowledge.family_table import Family
from clprobe.knowledge.lspci_names import readings
from clprobe.knowledge.name_words import Index, words_of
from clprobe.knowledge.processors import ProcessorLine
from clprobe.knowledge.table_types import Generation, GpuEntry
from clprobe.model.finding import Source

VENDOR_IDS = {"8086": "intel", "1002": "amd", "10de": "nvidia"}
"""PCI ids of vendors whose GPUs compute."""
_SAID = {
    "intel": re.compile(r"\b(?:intel|iris|uhd)\b|uhd\d", re.IGNORECASE),
    "amd": re.compile(r"\b(?:amd|ati|radeon|firepro|ryzen|athlon|radv)\b", re.IGNORECASE),
    "nvidia": re.compile(r"\b(?:nvidia|geforce|quadro)\b", re.IGNORECASE),
}
_MAKERS = frozenset(("geforce", "radeon", "nvidia", "amd", "ati", "mobility"))
_SERIES = frozenset(
    ("rtx", "gtx", "gt", "gts", "rx", "hd", "r", "quadro", "tesla", "titan", "instinct", "firepro")
)


class NamedGpu(msgspec.Struct, frozen=True, kw_only=True):
    """What a name stands for; nothing at all where no table knows it.

    `chips` are Intel's that it may be, `families` those of others, `chip` the one that a PCI id
    means. `nothing_because`: what it names has no GPU that computes; `virtual`: there is no
    hardware behind it either. `pci_id`: it holds this one, known or not. `read_as`: what of the
    name was understood, where it was not the whole. `passed_over` have the name too, and no OpenCL.
    """

    chips: tuple[GpuEntry, ...] = ()
    families: tuple[Family, ...] = ()
    passed_over: tuple[Family, ...] = ()
    chip: str | None = None
    pci_id: str | None = None
    nothing_because: str | None = None
    virtual: bool = False
    read_as: str | None = None
    sources: tuple[Source, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether the tables say what it is."""
        return bool(self.chips or self.families or self.nothing_because)

    @property
    def family(self) -> Family | None:
        """The one family that it means; None if none, or one of several."""
        return self.families[0] if len(self.families) == 1 else None


class Known(Protocol):
    """What of the tables a name is looked up in."""

    def gpu(self, pci_id: str) -> GpuEntry | None:
        """Return what gpus/ says of a PCI id."""

    def gpus(self) -> dict[str, GpuEntry]:
        """Return all of gpus/ by PCI id."""

    def generations(self) -> dict[str, Generation]:
        """Return all generations by key."""

    def families(self) -> dict[str, Family]:
        """Return all families by key."""

    def processor(self, name: str) -> ProcessorLine | None:
        """Return the processor of that name."""

    def gpu_names_known(self) -> "Names":
        """Return the names of cards and adapters."""


class Names:
    """The names of the cards and adapters of some tables, and their PCI ids."""

    def __init__(self, families: list[Family], adapters: list[Adapter]) -> None:
        self._families = families
        self._adapters = Index((name, one) for one in adapters for name in one.called)
        self._adapter_ids = {pci_id: one for one in adapters for pci_id in one.ids}

    @cached_property
    def boards(self) -> tuple[str, ...]:
        """What cards are called without their maker."""
        return tuple(_short(name) for one in self._families for name in one.boards)

    @cached_property
    def _by_id(self) -> dict[tuple[str, int], tuple[Family, str]]:
        return {
            (one.vendor, number): (one, chip)
            for one in self._families
            for number, chip in one.ids()
        }

    @cached_property
    def _cards(self) -> Index[Family]:
        return Index((name, one) for one in self._families for name in _names(one))

    @cached_property
    def _tails(self) -> Index[Family]:
        return Index((name, one) for one in self._families for name in _tails(one))

    def is_vendor(self, half: str) -> bool:
        """Whether the tables know makers of GPUs or adapters by this first half of a PCI id."""
        return half in VENDOR_IDS or any(one[:4] == half for one in self._adapter_ids)

    def of_id(self, pci_id: str) -> NamedGpu:
        """Return what a PCI id stands for that is none of gpus/."""
        half, _, number = pci_id.partition(":")
        family = self._by_id.get((VENDOR_IDS.get(half, ""), int(number, 16)))
        if family is not None:
            one, chip = family
            return NamedGpu(families=(one,), chip=chip, pci_id=pci_id, sources=one.sources)
        adapter = self._adapter_ids.get(pci_id) or self._adapter_ids.get(half)
        if adapter is not None:
            return msgspec.structs.replace(_nothing(adapter), pci_id=pci_id)
        return NamedGpu(pci_id=pci_id)

    def adapter(self, text: str) -> NamedGpu | None:
        """Return what cannot compute and has its name in the text."""
        found = self._adapters.find(text)
        return _nothing(found[0]) if found else None

    def card(self, text: str, vendors: set[str], *, whole: bool) -> NamedGpu | None:
        """Return the families whose names are in the text, made by one of these vendors.

        `whole` False: by the ends of their names, too: "7900 xtx".
        """
        found = list((self._cards if whole else self._tails).found(text))
        for _, meanings in found:
            fit = tuple(one for one in meanings if not vendors or one.vendor in vendors)
            if fit:
                able = tuple(one for one in fit if one.no_opencl_because is None) or fit
                for _, others in found:  # such as the chip, behind the name of a series
                    able = tuple(one for one in able if one in others) or able
                passed = tuple(one for one in fit if one not in able)
                sources = tuple(dict.fromkeys(source for one in able for source in one.sources))
                return NamedGpu(families=able, passed_over=passed, sources=sources)
        return None


def resolve(name: str, tables: Known) -> NamedGpu:
    """Return what the name stands for: by PCI id if it holds a known one, else by its words."""
    names = tables.gpu_names_known()
    pci_id = _pci_id(name, tables)
    by_id = _of_id(pci_id, tables) if pci_id is not None else NamedGpu()
    if by_id.is_known:
        return by_id
    plain = gpu_spelling.plain(name)
    if pci_id is not None and not re.search(r"[g-zG-Z]", plain):
        return by_id
    found = names.adapter(name) or _by_words(name, plain, tables)
    return msgspec.structs.replace(found, pci_id=pci_id) if found is not None else by_id


def _by_words(name: str, plain: str, tables: Known) -> NamedGpu | None:
    said = {vendor for vendor, words in _SAID.items() if words.search(name)}
    names = tables.gpu_names_known()
    exact = list(dict.fromkeys((name, plain, *_inside(name))))
    card = names.card(plain, said, whole=True)
    if card is None or card.family is None:
        # What stands in parentheses is part of the name, too: the chip behind a series.
        within = names.card(name, said, whole=True)
        card = within if card is None or (within and within.family in card.families) else card
    if said <= {"intel"}:
        inside = _inside_processor(name, tables) if card is None else None
        found = _intel(exact, tables, (name, plain)) or inside
        found = found or _intel(_passing(plain), tables, (name, plain))
        if found is not None:
            return found
    return (
        card
        or _inside_processor(name, tables)
        or names.card(plain, said, whole=False)
        or _intel(exact, tables, (name, plain))
    )


def _inside(name: str) -> Iterator[str]:
    bare = re.sub(r"\((?:r|tm|c)\)", " ", name, flags=re.IGNORECASE)
    for brackets in ("[]", "()"):
        for text in gpu_spelling.inside(bare, brackets):
            yield from _passing(text)


def _intel(candidates: Iterable[str], tables: Known, whole: tuple[str, str]) -> NamedGpu | None:
    gpus, generations = tables.gpus(), tables.generations()
    best = open_ = None
    for text in candidates:
        chips = tuple(entry for _, entry in gpu_names.find(text, gpus, generations))
        if len({one.generation for one in chips}) > 1:
            # A part of the name may decide: UHD Graphics (CML GT2).
            open_ = open_ or (NamedGpu(chips=chips) if text in whole else None)
            continue
        if chips and text in whole:
            return NamedGpu(chips=chips)
        if chips and (best is None or chips == best.chips):  # the shortest of those alike
            best = NamedGpu(chips=chips, read_as=text)
    return best or open_


def _passing(plain: str) -> Iterator[str]:
    """Yield what lspci's words, and names in passing, may mean."""
    return (text for text in readings(plain) if not gpu_spelling.is_general(text))


def _inside_processor(name: str, tables: Known) -> NamedGpu | None:
    line = tables.processor(name)
    if line is None:
        return None
    if line.family is not None:
        family = tables.families()[line.family]
        return NamedGpu(families=(family,), sources=family.sources)
    chips = tuple(entry for _, entry in processors.gpus_of(line, tables.gpus()))
    because = None if line.platform else "this processor has no GPU inside it; name the card"
    return NamedGpu(chips=chips, nothing_because=because)


def _pci_id(name: str, tables: Known) -> str | None:
    found = gpu_spelling.pci_id(name)
    names = tables.gpu_names_known()
    return found if found is not None and names.is_vendor(found[:4]) else None


def _of_id(pci_id: str, tables: Known) -> NamedGpu:
    entry = tables.gpu(pci_id)
    if entry is not None:
        return NamedGpu(chips=(entry,), pci_id=pci_id)
    return tables.gpu_names_known().of_id(pci_id)


def _nothing(adapter: Adapter) -> NamedGpu:
    because = f"{adapter.name}: {adapter.because}"
    return NamedGpu(nothing_because=because, virtual=adapter.virtual, sources=adapter.sources)


def _short(board: str) -> str:
    """Return a card's name without its maker: RTX 3060."""
    while (first := board.partition(" "))[0].lower() in _MAKERS and first[2]:
        board = first[2]
    return board


def _names(family: Family) -> Iterator[str]:
    """Yield what a family's chips are called in full, with and without the maker."""
    yield from (name for chip in family.chips for name in re.split(r", | and ", chip))
    for name in (*family.called, *family.boards):
        yield name
        rest = words_of(_short(name))
        if rest[0] in _SERIES and len(rest) > 1:
            yield " ".join(rest)


def _tails(family: Family) -> Iterator[str]:
    """Yield the ends of boards' names that tell enough: "7900 xtx", "780 m", "wx 7100"."""
    for board in family.boards:
        words = words_of(board)
        for start in range(1, len(words) - 1):
            rest = words[start:]
            if len(rest[0]) == 1 and rest[0].isdigit():
                continue  # the Core 7 240H is no Radeon R7 240
            if any(word.isdigit() and len(word) > 1 for word in rest[:2]):
                yield " ".join(rest)
