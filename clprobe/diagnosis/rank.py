# SPDX-License-Identifier: MIT
"""Finds the one root cause: links findings to what explains them and puts them in order."""

from collections.abc import Iterator

import msgspec

from clprobe.model.finding import Severity
from clprobe.ruleset.consequences import Reach
from clprobe.ruleset.judge import Outcome
from clprobe.ruleset.rule import CHAIN, Rule

SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")


class Ranked(msgspec.Struct, frozen=True, kw_only=True):
    """A present problem with its place among the others.

    `severity` is its own or the worst that it explains, whichever is worse.
    """

    outcome: Outcome
    severity: Severity
    cause: Outcome | None
    depth: int


def rank(present: list[Outcome], rules: dict[str, Rule]) -> list[Ranked]:
    """Return the present problems, the root cause first, each followed by its consequences."""
    present = sorted(present, key=_place)
    reach = Reach(rules)
    causes = [_cause(index, present, reach) for index in range(len(present))]
    weights = _weights(present, causes)
    vital = [
        any(present[one].rule.vital for one, _ in _family(index, causes))
        for index in range(len(present))
    ]
    roots = [index for index, cause in enumerate(causes) if cause is None]
    # Of causes of equal problems, how the machine is made comes behind faults; at one link, one
    # that is no more than a note itself comes last.
    roots.sort(
        key=lambda index: (
            -weights[index],
            not vital[index],
            present[index].rule.circumstance,
            CHAIN.index(present[index].rule.link),
            present[index].rule.severity == "note",
            _place(present[index]),
        )
    )
    return [
        Ranked(
            outcome=present[index],
            severity=SEVERITIES[weights[index]],
            cause=_at(present, causes[index]),
            depth=depth,
        )
        for root in roots
        for index, depth in _family(root, causes)
    ]


def _at(present: list[Outcome], index: int | None) -> Outcome | None:
    return None if index is None else present[index]


def _place(outcome: Outcome) -> tuple[int, str, str]:
    return CHAIN.index(outcome.rule.link), outcome.rule.id, outcome.subject


def _cause(index: int, present: list[Outcome], reach: Reach) -> int | None:
    """Return the best explanation: the worst problem, and of those the earliest in the chain.

    What comes from a mere note, or from how the machine is made, explains it only where nothing
    else does.
    """
    candidates = [
        one for one, cause in enumerate(present) if _explains(cause, present[index], reach)
    ]
    # What explains another candidate is not the direct cause: folding shows the whole chain.
    direct = [
        one
        for one in candidates
        if not any(_explains(present[one], present[other], reach) for other in candidates)
    ]
    return max(direct, key=lambda one: _merit(one, present, reach), default=None)


def _merit(cause: int, present: list[Outcome], reach: Reach) -> tuple[int, bool, bool, int]:
    """Return what makes one explanation better than another: greater is better."""
    origin = _origin(cause, present, reach)
    rule = present[origin].rule
    weight = _weight(present[cause], present, reach)
    return weight, rule.severity != "note", not rule.circumstance, -origin


def _origin(cause: int, present: list[Outcome], reach: Reach) -> int:
    """Return the earliest problem in the chain that could be behind this one, or itself."""
    return next(
        other
        for other in range(cause + 1)
        if other == cause or _explains(present[other], present[cause], reach)
    )


def _weight(cause: Outcome, present: list[Outcome], reach: Reach) -> int:
    """Return the worst severity of the problem and of what could be its own cause."""
    behind = [other for other in present if _explains(other, cause, reach)]
    return max(SEVERITIES.index(one.rule.severity) for one in (cause, *behind))


def _explains(cause: Outcome, effect: Outcome, reach: Reach) -> bool:
    return effect.rule.id in reach[cause.rule.id] and concern_the_same(cause, effect)


def concern_the_same(one: Outcome, other: Outcome) -> bool:
    """Whether nothing says that they are about different hardware or software."""
    return all(other.about.get(key, value) == value for key, value in one.about.items())


def _weights(present: list[Outcome], causes: list[int | None]) -> list[int]:
    weights = [SEVERITIES.index(outcome.rule.severity) for outcome in present]
    for index in range(len(present)):
        cause = causes[index]
        while cause is not None:
            weights[cause] = max(weights[cause], SEVERITIES.index(present[index].rule.severity))
            cause = causes[cause]
    return weights


def _family(root: int, causes: list[int | None], depth: int = 0) -> Iterator[tuple[int, int]]:
    yield root, depth
    for index, cause in enumerate(causes):
        if cause == root:
            yield from _family(index, causes, depth + 1)
