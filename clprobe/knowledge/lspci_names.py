# SPDX-License-Identifier: MIT
"""Readings of a GPU's name as lspci and people write it, for the table of GPUs."""

import re
from collections.abc import Iterator, Mapping

from clprobe.knowledge.printed import Forms

_FORMS = Forms("hardware_names")
CARD = re.compile(r"\b(Arc|Flex|Max|DG[12]|Radeon|GeForce|RTX|GTX|Quadro)\b", re.IGNORECASE)


def readings(name: str) -> Iterator[str]:
    """Yield what the name may mean, the most exact reading first.

    `Intel CoffeeLake-U GT3e [Iris Plus Graphics 655]` yields the whole, `Iris Plus Graphics 655`
    and `Coffee Lake`.
    """
    yield name
    yield from re.findall(r"\[([^\[\]]+)\]", name)
    yield from _chips(name, _FORMS.patterns["generations"])
    outside = re.sub(r"\[[^\[\]]*\]|\([^()]*\)|\bIntel( Corporation)?\b", " ", name)
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", _FORMS.joined.sub(r"\1 Lake", outside))
    words = [re.sub(r"-(U|ULT|ULX|S|H|P|M|Y|GT\d\w*)$", "", word) for word in spaced.split()]
    for length in range(min(len(words), 4), 0, -1):
        yield " ".join(words[:length])
    yield from _said_in_passing(name)


def _said_in_passing(name: str) -> Iterator[str]:
    """Yield what stands somewhere in the name; beside a card it may be about another GPU."""
    if CARD.search(name):
        return
    for brand, number in _FORMS.marketing.findall(name):
        yield f"{brand} Graphics{number}"
    yield from _chips(name, _FORMS.patterns["processors"])


def _chips(name: str, patterns: Mapping[str, re.Pattern[str]]) -> Iterator[str]:
    return (chip for chip, pattern in patterns.items() if pattern.search(name))
