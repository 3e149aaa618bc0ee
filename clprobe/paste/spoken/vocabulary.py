# SPDX-License-Identifier: MIT
"""The lines of all programs in rules/tables/programs, sorted for being looked for."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from itertools import accumulate

from clprobe.knowledge.line_words import LineWords
from clprobe.knowledge.printed import Forms
from clprobe.knowledge.program_table import Means, Program, SpokenLine
from clprobe.knowledge.tables import Tables

_FORMS = Forms("programs")
_NEAR = 40
"""So many characters may stand between a program and the sandbox that it runs in."""


class Spoken:
    """A line that a program may print; its expression is compiled when it is first tried."""

    def __init__(self, program: Program, line: SpokenLine, rank: int) -> None:
        self.program = program
        self.rank = rank
        self.mark = line.mark
        self.if_named = line.if_named
        self.means: Means = line.means
        self._line = line

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The expression of the line."""
        return self._line.pattern()


class Vocabulary:
    """All lines of all programs: those with a mark by it, the others by their program."""

    def __init__(self, programs: Sequence[Program]) -> None:
        self.by_mark: dict[str, list[Spoken]] = {}
        self.between: dict[str, list[Spoken]] = {}
        self._names = {one.program: one.called for one in programs}
        self.by_command = {name: one for one in programs for name in one.called if " " not in name}
        for program in programs:
            for rank, line in enumerate(program.lines):
                spoken = Spoken(program, line, rank)
                known = self.by_mark if line.mark else self.between
                known.setdefault(line.mark or program.program, []).append(spoken)

    def called(self) -> dict[str, str]:
        """Return the programs by each name that people and programs give them."""
        return {name: program for program, names in self._names.items() for name in names}

    def named_in(self, text: str, lines: LineWords) -> frozenset[str]:
        """Return the programs whose names a text of these lines holds as words."""
        low = text.lower()
        return frozenset(
            program
            for program, names in self._names.items()
            if any(lines.may_hold_text(name) and any(_words(name, low)) for name in names)
        )

    def sandboxed_in(self, text: str, named: frozenset[str]) -> dict[str, str]:
        """Return the sandbox that a text names beside a program, by the program."""
        low = text.lower()
        if not any(word in low for word in _FORMS.tables["sandboxes"]):
            return {}
        longest = max((len(name) for one in named for name in self._names[one]), default=0)
        around = {
            word: places
            for word in _FORMS.tables["sandboxes"]
            if word in low and (places := _around(word, low, _NEAR + longest))
        }
        gap = f".{{0,{_NEAR}}}"
        found: dict[str, str] = {}
        for program in named:
            called = "|".join(map(re.escape, self._names[program]))
            for word, places in around.items():
                if not any(name in places for name in self._names[program]):
                    continue
                near = rf"\b(?:{called})\b{gap}\b{word}\b|\b{word}\b{gap}\b(?:{called})\b"
                if re.search(near, places):
                    found.setdefault(program, _FORMS.tables["sandboxes"][word])
        return found

    def marked(
        self,
        lines: Sequence[str],
        named: frozenset[str] = frozenset(),
        words: LineWords | None = None,
    ) -> dict[int, list[Spoken]]:
        """Return the places in `lines` that hold a mark, with what may be said there.

        What counts only where its program is named is left out unless `named` has the program.
        The whole text is searched once for each mark, and lines without one are never looked at.
        What a program's file tells first comes first. `words` are those of at least these lines.
        """
        text = "\n".join(lines)
        starts = [0, *accumulate(len(line) + 1 for line in lines)]
        found: dict[int, list[Spoken]] = {}
        for mark, known in self.by_mark.items():
            if words is not None and not words.may_hold_text(mark):
                continue
            spoken = [one for one in known if not one.if_named or one.program.program in named]
            for place in _places(mark, text, starts) if spoken else ():
                found.setdefault(place, []).extend(spoken)
        for candidates in found.values():
            candidates.sort(key=_rank)
        return found


def _words(name: str, text: str) -> Iterator[re.Match[str]]:
    """Give where a name stands in a text as a word; to look for its letters first is faster."""
    at = text.find(name)
    form = re.compile(rf"\b{re.escape(name)}\b") if at >= 0 else None
    while form is not None and at >= 0:
        found = form.match(text, at)
        if found is not None:
            yield found
        at = text.find(name, at + len(name) if found is not None else at + 1)


def _rank(spoken: Spoken) -> int:
    return spoken.rank


def _places(mark: str, text: str, starts: list[int]) -> Iterator[int]:
    at = text.find(mark)
    while at >= 0:
        place = bisect_right(starts, at) - 1
        yield place
        at = text.find(mark, starts[place + 1])


@cache
def vocabulary() -> Vocabulary:
    """Return the lines of clprobe's own tables. Raises: ClprobeError if one does not fit."""
    return Vocabulary(Tables.load().programs())


def _around(word: str, text: str, reach: int) -> str:
    """Return what of a long text stands around a word, a line for each place."""
    # One character more, so that no word is cut where a name may be found.
    places = (
        text[max(0, one.start() - reach - 1) : one.end() + reach + 1] for one in _words(word, text)
    )
    found = "\n".join(places)
    return found if len(found) < len(text) else text
