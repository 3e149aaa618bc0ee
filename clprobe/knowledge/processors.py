# SPDX-License-Identifier: MIT
"""Finds the GPU inside a processor: "i5-8250U", "Intel(R) Core(TM) i7-1165G7 @ 2.80GHz", "N100"."""

import re
from typing import Literal

import msgspec

from clprobe.knowledge.table_types import Entry, GpuEntry

_MOST_WORDS = 5
_NOISE = {
    "intel",
    "amd",
    "pro",
    "r",
    "tm",
    "core",
    "cpu",
    "gold",
    "silver",
    "mobile",
    "series",
    "gen",
    "extreme",
    "edition",
}
_WORD = re.compile(r"[a-z0-9][a-z0-9._-]*")
_LINES = {"atom", "celeron", "pentium", "xeon"}  # left out where people type the number
_MAY_BE_ONE = re.compile(
    r"\b(?:core|core2|ultra|processor|atom|celeron|pentium|xeon|ryzen|athlon|threadripper|epyc"
    r"|phenom|opteron|sempron|fx)\b|\b[imx][3579][- ]\w*\d|\b[ae]\d{1,2}-\d|\b[bejgnuz]\d{2,4}\b"
    r"|\b\d{4}(?:[gux]|h[sx]?|ge|x3d)\b",
    re.IGNORECASE,
)
_CARD = re.compile(r"\b(?:Arc|DG[12]|GeForce|RTX|GTX|Quadro|Radeon (?:RX|HD|Pro))\b", re.IGNORECASE)


class ProcessorLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Processors with the same GPU, as people type them; without platform and family: with none.

    `platform` is a key of a generation's platforms, `family` one of AMD's. `graphics` is a part of
    the GPU's marketing name; None: which GPU of that platform it is, is not known.
    """

    processors: tuple[str, ...]
    platform: str | None = None
    family: str | None = None
    graphics: str | None = None


class Processors(Entry, frozen=True, kw_only=True):
    """The processors of a vendor."""

    vendor: Literal["intel", "amd"]
    lines: tuple[ProcessorLine, ...]


def index(tables: list[Processors]) -> dict[str, ProcessorLine]:
    """Return the lines by the processors' names as `find` looks them up."""
    known: dict[str, ProcessorLine] = {}
    for line in (line for table in tables for line in table.lines):
        for name in line.processors:
            words = _words(name)
            known[" ".join(words)] = line
            if words[0] in _LINES and not words[1].isdigit():
                known.setdefault(" ".join(words[1:]), line)
            if line.family is not None and not words[-1].isdigit():
                known.setdefault(words[-1], line)  # 7840U
    return known


def may_be_one(name: str) -> bool:
    """Whether it is worth the while to read the tables of processors for this name.

    A card's name decides alone: what stands beside it may be about another GPU.
    """
    own = re.sub(r"(?i)\b(?:with\b|w/).*", "", name)  # sold "with Arc Graphics"
    return _MAY_BE_ONE.search(own) is not None and _CARD.search(own) is None


def find(name: str, known: dict[str, ProcessorLine]) -> ProcessorLine | None:
    """Return the line of the processor that `name` holds somewhere, the longest name first."""
    words = _words(name)
    for length in range(min(_MOST_WORDS, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            line = known.get(" ".join(words[start : start + length]))
            if line is not None:
                return line
    return None


def gpus_of(line: ProcessorLine, gpus: dict[str, GpuEntry]) -> list[tuple[str, GpuEntry]]:
    """Return the GPUs that the processors of this line may have."""
    wanted = set(_WORD.findall((line.graphics or "").lower())) - {"graphics"}
    return [
        (pci_id, entry)
        for pci_id, entry in gpus.items()
        if entry.platform == line.platform
        and not entry.sample
        and wanted <= set(_WORD.findall((entry.name or "").lower()))
    ]


def _words(name: str) -> list[str]:
    text = re.sub(r"\((?:r|tm)\)|[®™+]|@.*", " ", name.lower())
    text = re.sub(r"\b(i[3579]) (?=\d{3})", r"\1-", text)
    return [word for word in _WORD.findall(text) if word not in _NOISE]
