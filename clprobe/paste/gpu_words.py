# SPDX-License-Identifier: MIT
"""Whether two names of GPUs may mean one GPU, by what the tables know of both."""

import re
from functools import cache

from clprobe.knowledge.named_gpu import NamedGpu
from clprobe.knowledge.tables import Tables
from clprobe.model.hardware import Gpu

_MAKERS = {
    "intel": re.compile(r"(?i)\bintel\b|\b8086:|\biris\b|\bu?hd graphics\b|\barc\b"),
    "amd": re.compile(r"(?i)\bamd\b|\bati\b|\b1002:|radeon|\bgfx\d|\bvega\b|\bryzen\b"),
    "nvidia": re.compile(r"(?i)nvidia|\b10de:|geforce|quadro|\btesla\b|\b[gr]tx\b"),
}
_ARC = re.compile(r"(?i)(?:intel )?arc(?:-series| graphics| i?gpu| card)?")
_ARCS = frozenset({"dg2", "bmg"})
"""Platforms whose GPUs are sold as Arc."""


@cache
def tables() -> Tables:
    """Return clprobe's tables, read once."""
    return Tables.load()


@cache
def meaning(name: str) -> NamedGpu:
    """Return what the tables know of a name or PCI id."""
    return tables().named_gpu(name[:200])


def maker(name: str) -> str | None:
    """Return whose GPU it is: intel, amd, nvidia or another vendor of the tables; None: unknown."""
    for vendor, words in _MAKERS.items():
        if words.search(name):
            return vendor
    known = meaning(name)
    if known.chips:
        return "intel"
    return known.families[0].vendor if known.families else None


def _has_platform(known: NamedGpu, platforms: frozenset[str]) -> bool:
    return any(chip.platform in platforms for chip in known.chips)


def same_gpu(known: Gpu, told: Gpu) -> bool:
    """Tell whether the GPU that somebody told of is one that is known already."""
    names = [str(one) for one in (known.pci_id, known.name) if isinstance(one, str)]
    new = next((str(one) for one in (told.pci_id, told.name) if isinstance(one, str)), "")
    return any(may_be_one(name, new) for name in names) or not names


def may_be_one(one: str, other: str) -> bool:
    """Tell whether two names may stand for the same GPU; a bare maker's name for any of its."""
    if one.lower() == other.lower():
        return True
    first, second = meaning(one), meaning(other)
    for family, full, known in ((one, other, second), (other, one, first)):
        if _ARC.fullmatch(family) and maker(full) == "intel":
            return "arc" in full.lower() or _has_platform(known, _ARCS)
    if first.chips and second.chips:
        mine = {(chip.platform, chip.name) for chip in first.chips}
        return not mine.isdisjoint((chip.platform, chip.name) for chip in second.chips)
    if first.families and second.families:
        return any(family in second.families for family in first.families)
    if first.is_known and second.is_known:
        return False
    makers = (maker(one), maker(other))
    return makers[0] == makers[1]
