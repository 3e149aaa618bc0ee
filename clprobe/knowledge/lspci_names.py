# SPDX-License-Identifier: MIT
"""Readings of a GPU's name as lspci and people write it, for the table of GPUs."""

import re
from collections.abc import Iterator

# pci.ids names these by the processor's generation, not by the chip.
_PROCESSORS = {
    r"2nd Gen(eration)? Core": "Sandy Bridge",
    r"Z36xxx/Z37xxx": "Bay Trail",
    r"x5-E8000|N3xxx|Cherryview": "Braswell",
    r"(3rd Gen(eration)? Core|v2/3rd)": "Ivy Bridge",
    r"(4th Gen(eration)? Core|v3/4th)": "Haswell",
}
# People name the processor; where one number stands for several chips (8th U and Y), none is here.
_PROCESSOR_NUMBERS = {
    r"\bi[3579]-3\d{3}": "Ivy Bridge",
    r"\bi[3579]-4\d{3}": "Haswell",
    r"\bi[3579]-5\d{3}": "Broadwell",
    r"\bi[3579]-6\d{3}": "Skylake",
    r"\bi[3579]-7\d{3}": "Kaby Lake",
    r"\bi[3579]-[89]\d{3}(?![\dUYF])": "Coffee Lake",
    r"\bi[3579]-10\d{3}(?![\dGFX])": "Comet Lake",
    r"\bi[3579]-10\d{2}G\d": "Ice Lake",
    r"\bi[3579]-11\d{2}G\d": "Tiger Lake",
    r"\bi[3579]-11\d00[KT]?\b": "Rocket Lake",
    r"\bN(95|97|100|200|305)\b": "Alder Lake-N",
    r"\bi[3579]-12\d{3}(?!\d|K?F)": "Alder Lake",
    r"\bi[3579]-1[34]\d{3}(?!\d|K?F)": "Raptor Lake",
    r"\bUltra [579] 1\d\d[HU]\b": "Meteor Lake",
    r"\bUltra [579] 2\d\dV\b": "Lunar Lake",
}
_JOINED = re.compile(
    r"\b(Kaby|Coffee|Comet|Whiskey|Amber|Gemini|Ice|Jasper|Elkhart|Rocket|Tiger|Alder|Raptor"
    r"|Meteor|Lunar|Arrow|Panther)lake(_\w+)?\b",
    re.IGNORECASE,
)
"""As intel_gpu_top and i915 write it: Tigerlake, Alderlake_s."""
_MARKETING = re.compile(r"\b(U?HD|Iris(?: Plus| Pro| Xe)?)(?: Graphics)?((?: P?\d{3,4})?)\b", re.I)
CARD = re.compile(r"\b(Arc|Flex|Max|DG[12]|Radeon|GeForce|RTX|GTX|Quadro)\b", re.IGNORECASE)


def readings(name: str) -> Iterator[str]:
    """Yield what the name may mean, the most exact reading first.

    `Intel CoffeeLake-U GT3e [Iris Plus Graphics 655]` yields the whole, `Iris Plus Graphics 655`
    and `Coffee Lake`.
    """
    yield name
    yield from re.findall(r"\[([^\[\]]+)\]", name)
    for pattern, chip in _PROCESSORS.items():
        if re.search(pattern, name, re.IGNORECASE):
            yield chip
    outside = re.sub(r"\[[^\[\]]*\]|\([^()]*\)|\bIntel( Corporation)?\b", " ", name)
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", _JOINED.sub(r"\1 Lake", outside))
    words = [re.sub(r"-(U|ULT|ULX|S|H|P|M|Y|GT\d\w*)$", "", word) for word in spaced.split()]
    for length in range(min(len(words), 4), 0, -1):
        yield " ".join(words[:length])
    yield from _said_in_passing(name)


def _said_in_passing(name: str) -> Iterator[str]:
    """Yield what stands somewhere in the name; beside a card it may be about another GPU."""
    if CARD.search(name):
        return
    for brand, number in _MARKETING.findall(name):
        yield f"{brand} Graphics{number}"
    for pattern, chip in _PROCESSOR_NUMBERS.items():
        if re.search(pattern, name, re.IGNORECASE):
            yield chip
