# SPDX-License-Identifier: MIT
"""What stands for what was taken out: the same for the same value within one snapshot."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from clprobe.knowledge.line_words import LineWords

_TAKEN = re.compile(r"removed-[a-z]+(?:-\d+)?")


class Removed:
    """Gives out stand-ins, such as removed-mac and removed-mac-2, and counts what they replace.

    Two files that differ in a token only must not become one, so that values stay apart. Of the
    `texts` of a long document it tells which forms are surely not in them.
    """

    def __init__(self, taken_from: str = "", texts: Iterable[str] = ()) -> None:
        self._places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        self._words = LineWords(tuple(self._places))
        self._likely: dict[int, tuple[object, dict[str, Collection[int]]]] = {}
        self.counts: Counter[str] = Counter()
        self._given: dict[tuple[str, str], str] = {}
        self._taken = set(_TAKEN.findall(taken_from))

    def may_hold(self, text: str, form: re.Pattern[str]) -> bool:
        """Tell whether the form may be found in a text; in one that changed, any may."""
        place = self._places.get(text)
        return place is None or place in self._words.may_hold(form)

    def likely(self, text: str, forms: Mapping[str, re.Pattern[str]]) -> frozenset[str]:
        """Return the names of the forms that may be found in a text as it is now."""
        place = self._places.get(text)
        if place is None:
            return frozenset(forms)
        key = id(forms)
        if key not in self._likely:
            places = {name: self._words.may_hold(form) for name, form in forms.items()}
            self._likely[key] = forms, places
        known = self._likely[key][1]
        return frozenset(name for name, places in known.items() if place in places)

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
