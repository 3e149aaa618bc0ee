# SPDX-License-Identifier: MIT
"""How many of the graphics cards that linuxhw counted by PCI id the tables give a true answer to.

`python tests/reality/population.py README.md` prints it for the README of
https://github.com/linuxhw/DevicePopulation, which lists real machines' devices with their counts.
"""

import re
import sys
from collections import Counter
from pathlib import Path

from clprobe.knowledge.tables import Tables

MAKERS = {"8086": "Intel", "1002": "AMD", "10de": "NVIDIA"}
_ROW = re.compile(r"^\| pci:([0-9a-f]{4})-([0-9a-f]{4}) .*\|\s*(\d+)\s*\|?\s*$", re.MULTILINE)


def counted(readme: str) -> dict[str, int]:
    """Return how many cards of each PCI id the list has."""
    _, _, rest = readme.partition("### Graphics card (PCI)")
    section = rest.partition("\n### ")[0]
    return {f"{vendor}:{device}": int(count) for vendor, device, count in _ROW.findall(section)}


def coverage(cards: dict[str, int], tables: Tables) -> dict[str, tuple[int, int]]:
    """Return for each maker how many cards are known by PCI id, of how many."""
    known, all_of = Counter[str](), Counter[str]()
    for pci_id, count in cards.items():
        maker = MAKERS.get(pci_id[:4], "others")
        all_of[maker] += count
        known[maker] += count if tables.named_gpu(pci_id).is_known else 0
    return {maker: (known[maker], number) for maker, number in all_of.items()}


def _print(path: Path) -> None:
    cards = counted(path.read_text(encoding="utf-8"))
    tables = Tables.load()
    for maker, (known, number) in coverage(cards, tables).items():
        print(f"{maker}: {known} of {number} cards, {known / number:.2%}")  # noqa: T201
    unknown = [one for one in cards if not tables.named_gpu(one).is_known]
    for pci_id in sorted(unknown, key=cards.__getitem__, reverse=True)[:20]:
        print(f"  {pci_id}: {cards[pci_id]}")  # noqa: T201


if __name__ == "__main__":
    _print(Path(sys.argv[1]))
