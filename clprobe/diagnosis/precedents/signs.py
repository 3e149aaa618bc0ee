# SPDX-License-Identifier: MIT
"""How much of the signs of each rule stands in a text, word by word."""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

import msgspec

from clprobe.diagnosis.precedents.words import words_of
from clprobe.ruleset.rule import Rule

_STEM = 6
"""Words of letters are alike by so many of the first ones: compile, compiler, compilation."""
_COMMON = 0.02
"""Words in more than this share of all signs tell nothing."""
_MOST_LINES = 400
_SEVERAL = 3
_DAMPING = 4.0
"""Information that a sign lacks by nature: one of two common words is hardly a sign."""


class SignFit(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in a text of a rule's signs; 0 is nothing, 1 all of a long one.

    `best` is the best sign's share in two lines that follow each other, `several` the mean of the
    three best, `scattered` the mean of the three best in the whole text.
    """

    best: float = 0.0
    several: float = 0.0
    scattered: float = 0.0


class Signs:
    """The signs of all rules, ready to be looked for."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)

    @cached_property
    def _signs(self) -> list[tuple[str, frozenset[str]]]:
        """Each sign's rule and words."""
        return [(rule.id, stems_of(sign)) for rule in self._rules for sign in rule.signs]

    @cached_property
    def _worth(self) -> dict[str, float]:
        """The information of each word, in nats: few signs have a rare one."""
        found = Counter(word for _, words in self._signs for word in words)
        total = len(self._signs)
        return {
            word: math.log((total + 1) / (n + 0.5))
            for word, n in found.items()
            if n <= max(1, total * _COMMON)
        }

    @cached_property
    def _whole(self) -> list[float]:
        return [
            _DAMPING + sum(self._worth.get(word, 0.0) for word in words) for _, words in self._signs
        ]

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = defaultdict(list)
        for place, (_, words) in enumerate(self._signs):
            for word in words & self._worth.keys():
                places[word].append(place)
        return places

    def fits(self, lines: Sequence[str]) -> dict[str, SignFit]:
        """Return by rule how its signs fit, of those of which anything stands there."""
        told = [words for line in lines[:_MOST_LINES] if (words := stems_of(line))]
        near: dict[int, float] = {}
        for first, second in itertools.pairwise([*told, frozenset()]):
            for place, share in self._shares(first | second).items():
                near[place] = max(share, near.get(place, 0.0))
        anywhere = self._shares(frozenset().union(*told))
        close, wide = self._by_rule(near), self._by_rule(anywhere)
        return {
            rule: SignFit(
                best=close[rule][0], several=_mean(close[rule]), scattered=_mean(wide[rule])
            )
            for rule in close
        }

    def _shares(self, words: frozenset[str]) -> dict[int, float]:
        found: dict[int, float] = defaultdict(float)
        for word in words:
            for place in self._places.get(word, ()):
                found[place] += self._worth[word]
        return {place: worth / self._whole[place] for place, worth in found.items()}

    def _by_rule(self, shares: dict[int, float]) -> dict[str, list[float]]:
        """Return each rule's shares, the greatest first."""
        found: dict[str, list[float]] = defaultdict(list)
        for place, share in shares.items():
            found[self._signs[place][0]].append(share)
        return {rule: sorted(own, reverse=True) for rule, own in found.items()}


def stems_of(text: str) -> frozenset[str]:
    """Return the beginnings of a text's words."""
    return frozenset(word[:_STEM] if word.isalpha() else word for word in words_of(text))


def _mean(shares: list[float]) -> float:
    return sum(shares[:_SEVERAL]) / _SEVERAL
