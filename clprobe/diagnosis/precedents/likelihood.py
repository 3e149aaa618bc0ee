# SPDX-License-Identifier: MIT
"""How likely each rule names the cause: the weights of rules/tables/ranking.yaml, on the traits."""

import math
from collections.abc import Collection, Mapping
from functools import cache

import msgspec

from clprobe.diagnosis.precedents.traits import TRAITS, Traits
from clprobe.knowledge.checked_yaml import read
from clprobe.resources import rules_path


class Figures(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How often the ranking alone was right on reports that its weights had not seen.

    `first` and `first_two` are shares of the `reports`, from `folds` in which all reports of one
    thread lie together.
    """

    reports: int
    folds: int
    first: float
    first_two: float


class Ranking(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The weight of each trait; `made_by` tells which command writes the file."""

    about: str
    made_by: str
    figures: Figures
    weights: dict[str, float]


@cache
def shipped_ranking() -> Ranking:
    """Return rules/tables/ranking.yaml. Raises: ClprobeError if it is malformed."""
    return read(rules_path() / "tables" / "ranking.yaml", Ranking)


def likelihoods(
    traits: Mapping[str, Traits],
    weights: Mapping[str, float],
    only: Collection[str] = TRAITS,
) -> dict[str, float]:
    """Return the probability of each rule by the traits named; together they are 1."""
    scores = {
        rule: sum(weights[name] * value for name, value in own.items() if name in only)
        for rule, own in traits.items()
    }
    most = max(scores.values(), default=0.0)
    powers = {rule: math.exp(score - most) for rule, score in scores.items()}
    total = sum(powers.values())
    return {rule: power / total for rule, power in powers.items()}
