# SPDX-License-Identifier: MIT
"""Readings of a GPU's name as lspci and people write it, for the table of GPUs."""

import re
from collections.abc import Iterator

# pci.ids names these by the processor's generation, not by the chip.
_PROCESSORS = {
    r"2nd Gen(eration)? Core": "Sandy Bridge",
    r"Z36xxx/Z37xxx": "Bay Trail",
    r"x5-E8000|N3xxx": "Braswell",
    r"(3rd Gen(eration)? Core|v2/3rd)": "Ivy Bridge",
    r"(4th Gen(eration)? Core|v3/4th)": "Haswell",
}


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
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", outside)
    words = [re.sub(r"-(U|ULT|ULX|S|H|P|M|Y|GT\d\w*)$", "", word) for word in spaced.split()]
    for length in range(min(len(words), 4), 0, -1):
        yield " ".join(words[:length])
