# SPDX-License-Identifier: MIT
"""Cues of a rule: words that tell of its cause when they stand together in a report.

A cue such as `/ suspend|resum & nvidia|cuda & !nouveau` has groups of alternatives, of which each
must stand somewhere, those with `!` nowhere; after `/`, all within three lines that follow each
other. A term is a text that begins a word, so `resum` finds "resumed".
"""

import re
from collections.abc import Sequence

import msgspec

_MOST_LINES = 400
_TOGETHER = 3
_BEGINNING = 3
_BEGINNINGS = re.compile(r"(?<![^\W_])(?=([^\W_].?.?))")
"""The first letters of each word, also of those in one word that `_` divides."""
_MODEL = re.compile(r"\b([a-z]{2,4})-?(\d{3,4})(?![\d.])")
"""A maker's name for a model: people write RX470, RX-470 and RX 470."""

_NEGATIVE = re.compile(r"-\d")
"""An error's number; in a word, as in a date, the sign is a hyphen."""


class Group(msgspec.Struct, frozen=True):
    """Alternatives in lower case; one stands in the text, or, where `absent`, none."""

    terms: tuple[str, ...]
    absent: bool = False


class Cue(msgspec.Struct, frozen=True):
    """Groups that all must fit; `together`: in lines that follow each other."""

    groups: tuple[Group, ...]
    together: bool = False


class Told:
    """The first lines of a report, ready to be searched: in lower case, each blank one space."""

    def __init__(self, lines: Sequence[str]) -> None:
        plain = (" ".join(line.split()).lower() for line in lines[:_MOST_LINES])
        self._lines = [_both_ways(line) for line in plain if line]
        self._whole = "\n".join(self._lines)
        self._beginnings = frozenset(_BEGINNINGS.findall(self._whole))
        self._found: dict[str, frozenset[int]] = {}

    def where(self, term: str) -> frozenset[int]:
        """Return the lines in which a word, or the words, begin so; each term is sought once."""
        if term not in self._found:
            lines = enumerate(self._lines) if self._may_hold(term) else ()
            self._found[term] = frozenset(place for place, line in lines if _begins(term, line))
        return self._found[term]

    def _may_hold(self, term: str) -> bool:
        """Tell whether the term stands anywhere; most do not even by their first letters."""
        begins_word = len(term) >= _BEGINNING and term[0].isalnum()
        if begins_word and term[:_BEGINNING] not in self._beginnings:
            return False
        return term in self._whole


def parse_cue(text: str) -> Cue:
    """Return the cue. Raises: ValueError if a group is empty."""
    together = text.startswith("/ ")
    groups = tuple(map(_group, text.removeprefix("/ ").split(" & ")))
    if all(group.absent for group in groups):
        raise ValueError(f"the cue {text!r} asks for nothing that stands in a text")
    return Cue(groups, together)


def _group(text: str) -> Group:
    terms = tuple(term.strip().lower() for term in text.strip().removeprefix("!").split("|"))
    if not all(terms):
        raise ValueError(f"{text!r} holds an empty term; groups are joined by ' & ', terms by '|'")
    return Group(terms, text.strip().startswith("!"))


def fits(cue: Cue, told: Told) -> bool:
    """Whether all groups of the cue fit."""
    wanted: list[set[int]] = []
    for group in cue.groups:
        lines = {line for term in group.terms for line in told.where(term)}
        if bool(lines) is group.absent:
            return False  # most end at their first group
        if not group.absent:
            wanted.append(lines)
    if not cue.together:
        return True
    starts = ({line - back for line in lines for back in range(_TOGETHER)} for lines in wanted)
    return bool(set.intersection(*starts))


def _both_ways(line: str) -> str:
    """Return the line and, where it writes models otherwise, the same with a space in them."""
    spaced = _MODEL.sub(r"\1 \2", line)
    return line if spaced == line else f"{line}\t{spaced}"


def _begins(term: str, line: str) -> bool:
    start = line.find(term)
    must_begin = term[0].isalnum() or _NEGATIVE.match(term) is not None
    while start > 0 and must_begin and line[start - 1].isalnum():
        start = line.find(term, start + 1)
    return start >= 0
