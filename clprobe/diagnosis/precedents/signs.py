# SPDX-License-Identifier: MIT
"""How much of the signs of each rule stands in a text, word by word."""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

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


class Signs(msgspec.Struct, frozen=True):
    """The signs of all rules, ready to be looked for; plain data, to be kept.

    `rules` names the rule of each sign, `whole` tells what all of its words are worth. `worth` is
    the information of each word, in nats, `places` are the signs that have it.
    """

    rules: tuple[str, ...]
    whole: tuple[float, ...]
    worth: dict[str, float]
    places: dict[str, tuple[int, ...]]

    @classmethod
    def of(cls, rules: Iterable[Rule]) -> "Signs":
        """Return the signs of rules."""
        signs = [(rule.id, stems_of(sign)) for rule in rules for sign in rule.signs]
        worth = _worth([words for _, words in signs])
        places: dict[str, list[int]] = defaultdict(list)
        for place, (_, words) in enumerate(signs):
            for word in words & worth.keys():
                places[word].append(place)
        return cls(
            rules=tuple(rule for rule, _ in signs),
            whole=tuple(
                # The same in whatever order Python holds the words.
                _DAMPING + math.fsum(worth.get(word, 0.0) for word in words)
                for _, words in signs
            ),
            worth=worth,
            places={word: tuple(own) for word, own in places.items()},
        )

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
            for place in self.places.get(word, ()):
                found[place] += self.worth[word]
        return {place: worth / self.whole[place] for place, worth in found.items()}

    def _by_rule(self, shares: dict[int, float]) -> dict[str, list[float]]:
        """Return each rule's shares, the greatest first."""
        found: dict[str, list[float]] = defaultdict(list)
        for place, share in shares.items():
            found[self.rules[place]].append(share)
        return {rule: sorted(own, reverse=True) for rule, own in found.items()}


def _worth(signs: Sequence[frozenset[str]]) -> dict[str, float]:
    """Return the information of each word: few signs have a rare one."""
    found = Counter(word for words in signs for word in words)
    total = len(signs)
    return {
        word: math.log((total + 1) / (n + 0.5))
        for word, n in found.items()
        if n <= max(1, total * _COMMON)
    }


def stems_of(text: str) -> frozenset[str]:
    """Return the beginnings of a text's words."""
    return frozenset(word[:_STEM] if word.isalpha() else word for word in words_of(text))


def _mean(shares: list[float]) -> float:
    return sum(shares[:_SEVERAL]) / _SEVERAL
