# SPDX-License-Identifier: MIT
"""Finds GPUs by what people call them: "HD 4600", "Haswell", "HSW GT2", "Arc B580", "Gen9".

And generations by what drivers call them: CL_DEVICE_IP_VERSION_INTEL, packed in two ways.
"""

import functools
import re
from collections.abc import Iterable
from difflib import get_close_matches

from clprobe.knowledge.table_types import Generation, GpuEntry

_NOISE = {"intel", "r", "tm", "graphics", "gpu", "the", "integrated", "corporation", "and"}
Named = list[tuple[str, GpuEntry]]
_NEAR = 0.8
_SMALLEST_WIDE = 1 << 22
"""Architecture 1 in the wide packing; every value of the early one is below it."""


def find(name: str, gpus: dict[str, GpuEntry], generations: dict[str, Generation]) -> Named:
    """Return the GPUs of that name, by PCI id.

    The best kind of match wins: the whole marketing name, then words of name, codename, chip and
    generation, then the names that only the chip's description has (HD 405, Arc 140V).
    Development boards count only when nothing else is found.
    """
    wanted = _words(name)
    if not wanted:
        return []
    if re.fullmatch(r"(8086:)?(0x)?[0-9a-f]{4}", name.strip().lower()):
        pci_id = "8086:" + name.strip().lower()[-4:]
        if pci_id in gpus:
            return [(pci_id, gpus[pci_id])]
    for matches in (_by_whole_name, _by_words, _by_description):
        found = [
            (pci_id, entry)
            for pci_id, entry in gpus.items()
            if matches(wanted, entry, generations.get(entry.generation))
        ]
        if found:
            return [pair for pair in found if not pair[1].sample] or found
    return []


def suggest(
    name: str,
    gpus: dict[str, GpuEntry],
    generations: dict[str, Generation],
    boards: Iterable[str],
) -> str:
    """Return a hint that names what looks most like `name`, if anything does.

    `boards` are the names of cards that are not in gpus/.
    """
    known = {_short(entry.name) for entry in gpus.values() if entry.name}
    known |= set(generations)
    for generation in generations.values():
        known |= {_chip(platform.names) for platform in generation.platforms.values()}
    for names in (known, boards):
        spelt = {text.lower(): text for text in names}  # compared in lower case, said as written
        close = get_close_matches(name.lower(), spelt, n=3, cutoff=_NEAR)
        if close:
            return f"Did you mean {' or '.join(spelt[low] for low in close)}?"
    return 'Give a marketing name ("HD 4600"), a chip ("Haswell") or a PCI id (8086:0412).'


def _by_whole_name(wanted: frozenset[str], entry: GpuEntry, _: Generation | None) -> bool:
    return entry.name is not None and _words(entry.name) == wanted


def _by_words(wanted: frozenset[str], entry: GpuEntry, generation: Generation | None) -> bool:
    chip = _chip(_description(entry, generation))
    said = f"{entry.name or ''} {entry.codename} {entry.platform} {entry.generation} {chip}"
    return wanted <= _words(said)


def _by_description(wanted: frozenset[str], entry: GpuEntry, generation: Generation | None) -> bool:
    return wanted <= _words(_description(entry, generation))


def _description(entry: GpuEntry, generation: Generation | None) -> str:
    platform = generation.platforms.get(entry.platform) if generation is not None else None
    return platform.names if platform is not None else ""


def _chip(names: str) -> str:
    """Return the chip's own name: "Whiskey Lake" of "Whiskey Lake: UHD 610, 620"."""
    return names.partition(":")[0]


@functools.lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    apart = re.sub(r"\b(u?hd)(\d)", r"\1 \2", text.lower())  # UHD630
    apart = re.sub(r"\blake-", "lake lake-", apart)  # Alder Lake-N is an Alder Lake
    return frozenset(re.findall(r"[a-z0-9.-]+", apart)) - _NOISE


def _short(name: str) -> str:
    return re.sub(r"\s+", " ", name.replace("Intel", "").replace("Graphics", "")).strip()


def ip_version_in(ip_version: int, generation: Generation) -> bool:
    """Whether the value belongs to the generation.

    The wide packing is architecture (10 bits), release (8), revision (14), so 12.55.8 is
    0x030dc008. compute-runtime 22.43 packs 8 bits each: Gen9 is 0x090000.

    **Source** third_party/aot_config_headers of compute-runtime; 22.43 run with stubbed GPUs.
    """
    if ip_version >= _SMALLEST_WIDE:
        number, ranges = (ip_version >> 22, ip_version >> 14 & 0xFF), generation.ip_versions
    else:
        number, ranges = (ip_version >> 16, ip_version >> 8 & 0xFF), generation.ip_versions_early
    return any(_inside(number, text) for text in ranges)


def _inside(number: tuple[int, int], text: str) -> bool:
    first, _, last = text.partition("-")
    return _pair(first) <= number <= _pair(last or first)


def _pair(text: str) -> tuple[int, int]:
    architecture, _, release = text.partition(".")
    return int(architecture), int(release)
