# SPDX-License-Identifier: MIT
"""Leaves out the problems that somebody knows of and does not want to hear."""

from collections.abc import Collection, Mapping, Sequence

from clprobe.diagnosis.rank import Ranked, concern_the_same
from clprobe.ruleset.consequences import consequences_of
from clprobe.ruleset.judge import Outcome
from clprobe.ruleset.rule import Rule


def without_ignored(
    ranked: Sequence[Ranked],
    outcomes: Sequence[Outcome],
    ignored: Collection[str],
    rules: Mapping[str, Rule],
) -> tuple[list[Ranked], list[Outcome], tuple[str, ...]]:
    """Return what is left of both, and the ids of what was left out and would have been told.

    What follows from an ignored problem, or might, is left out with it: it is the same trouble.
    """
    if not ignored:
        return list(ranked), list(outcomes), ()
    dropped: list[Outcome] = []
    for one in ranked:  # causes stand before what follows from them
        if one.outcome.rule.id in ignored or any(one.cause is gone for gone in dropped):
            dropped.append(one.outcome)
    reach = {one.rule.id: consequences_of(one.rule.id, rules) for one in dropped}
    gone = {id(one) for one in dropped}
    gone |= {
        id(one)
        for one in outcomes
        if one.rule.id in ignored
        or (
            one.answer.truth is None
            and any(
                one.rule.id in reach[it.rule.id] and concern_the_same(it, one) for it in dropped
            )
        )
    }
    return (
        [one for one in ranked if id(one.outcome) not in gone],
        [one for one in outcomes if id(one) not in gone],
        tuple(dict.fromkeys(one.rule.id for one in dropped)),
    )
