# SPDX-License-Identifier: MIT
"""Causes that facts refute and of which the report's words tell all the same.

What a report says is read by programs, and may be of another GPU, program or time than the trouble:
a terminal where all is well, say, beside a service. Half of those that words put first are right,
of the reports in which any is; of the common ones, that words bring up everywhere, none is.
"""

import math
from collections.abc import Collection, Iterable, Mapping

from msgspec.structs import replace

from clprobe.ruleset.evaluate import Answer
from clprobe.ruleset.judge import Outcome

_AGAINST = math.exp(-1)
"""How likely they are beside those that nothing refutes, their words being equal."""


def told_against_facts(outcomes: Iterable[Outcome], told_of: Collection[str]) -> dict[str, Outcome]:
    """Return by rule the refuted outcomes of rules that are told of, open again."""
    found: dict[str, Outcome] = {}
    possible: set[str] = set()
    for one in outcomes:
        rule = one.rule
        if one.answer.truth is not False:
            possible.add(rule.id)
        elif rule.id in told_of and one.answer.used and not rule.symptom:
            found.setdefault(rule.id, replace(one, answer=Answer(None, one.answer.used, ())))
    return {
        rule_id: one
        for rule_id, one in found.items()
        if rule_id not in possible and one.rule.frequency != "common"
    }


def weighed(likely: Mapping[str, float], reopened: Collection[str]) -> dict[str, float]:
    """Return the probabilities, those of reopened rules lowered."""
    return {rule: p * _AGAINST if rule in reopened else p for rule, p in likely.items()}
