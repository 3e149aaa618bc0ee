# SPDX-License-Identifier: MIT
"""What stands for what was taken out: the same for the same value within one snapshot."""

import re
from collections import Counter

_TAKEN = re.compile(r"removed-[a-z]+(?:-\d+)?")


class Removed:
    """Gives out stand-ins, such as removed-mac and removed-mac-2, and counts what they replace.

    Two files that differ in a token only must not become one, so that values stay apart.
    """

    def __init__(self, taken_from: str = "") -> None:
        self.counts: Counter[str] = Counter()
        self._given: dict[tuple[str, str], str] = {}
        self._taken = set(_TAKEN.findall(taken_from))

    def stand_in(self, kind: str, value: str) -> str:
        """Return what replaces this value, counted under `kind`."""
        self.counts[kind] += 1
        short = kind.partition("-")[0]
        key = short, value.lower()
        if key not in self._given:
            name, number = f"removed-{short}", 1
            while name in self._taken:
                number += 1
                name = f"removed-{short}-{number}"
            self._taken.add(name)
            self._given[key] = name
        return self._given[key]


def is_stand_in(text: str) -> bool:
    """Tell whether this was put there by an earlier scrubbing."""
    return text.startswith("removed")


def has_stand_in(text: str) -> bool:
    """Tell whether a part of this was put there by an earlier scrubbing."""
    return "removed" in text
