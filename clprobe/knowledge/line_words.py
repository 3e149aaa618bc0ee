# SPDX-License-Identifier: MIT
"""In which lines of a long text a form may be found: by an index of all runs of letters in it."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

from clprobe.knowledge.literals import AllOf, Need, need_of, small

_RUNS = re.compile(r"[a-z]{2,}")
_FEW_LINES = 1000


class LineWords:
    """Lines, and the runs of letters in them; of few lines, any may hold anything."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._known: dict[Need, set[int]] = {}
        # By the forms' ids, as hashing an expression takes long; kept with them, so they stay.
        self._likely: dict[tuple[int, ...], tuple[object, Collection[int]]] = {}

    def may_hold(self, *forms: re.Pattern[str]) -> Collection[int]:
        """Return at least the lines in which one of the forms is found."""
        key = tuple(map(id, forms))
        if key not in self._likely:
            self._likely[key] = forms, self._holding(forms)
        return self._likely[key][1]

    def may_hold_text(self, text: str) -> Collection[int]:
        """Return at least the lines in which the text stands as it is."""
        everything = range(len(self._lines))
        runs = _RUNS.findall(small(text)) if len(everything) >= _FEW_LINES else ()
        return set.intersection(*map(self._meeting, runs)) if runs else everything

    def _holding(self, forms: tuple[re.Pattern[str], ...]) -> Collection[int]:
        everything = range(len(self._lines))
        if len(everything) < _FEW_LINES:
            return everything
        found: set[int] = set()
        for form in forms:
            need = need_of(form)
            if need is None:
                return everything
            found |= self._meeting(need)
        return found

    def _meeting(self, need: Need) -> set[int]:
        known = self._known.get(need)
        if known is not None:
            return known
        if isinstance(need, str):
            found = self._index.holding(need)
        else:
            parts = [self._meeting(part) for part in need.parts]
            found = set.intersection(*parts) if isinstance(need, AllOf) else set().union(*parts)
        self._known[need] = found
        return found

    @cached_property
    def _index(self) -> "_Index":
        return _Index(self._lines)


class _Index:
    """Runs of small letters, and the lines that hold each."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        places: dict[str, list[int]] = {}
        for index, line in enumerate(lines):
            for run in set(_RUNS.findall(small(line))):
                places.setdefault(run, []).append(index)
        self._places = list(places.values())
        self._text = "\n".join(places)
        self._starts = [0]
        for run in places:
            self._starts.append(self._starts[-1] + len(run) + 1)

    def holding(self, letters: str) -> set[int]:
        """Return the lines that hold these small letters, in any case, or these marks."""
        if not _RUNS.fullmatch(letters):
            return {index for index, line in enumerate(self._lines) if letters in line}
        return set[int]().union(*self._found(letters))

    def _found(self, letters: str) -> Iterable[list[int]]:
        at = self._text.find(letters)
        while at >= 0:
            run = bisect_right(self._starts, at) - 1
            yield self._places[run]
            at = self._text.find(letters, self._starts[run + 1])
