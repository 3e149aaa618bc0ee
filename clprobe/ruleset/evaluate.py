# SPDX-License-Identifier: MIT
"""Three-valued evaluation: a condition holds, does not hold, or lacks a fact to be decided."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec.structs import replace

from clprobe.facts.paths import Scope, Use, look_up
from clprobe.knowledge.versions import compare
from clprobe.model.errors import ClprobeError
from clprobe.model.unknown import SET, Unknown
from clprobe.ruleset.conditions import All, AnyOf, Comparison, Condition, Not, Quantified
from clprobe.ruleset.literals import can_match

NOT_LISTED = Unknown(unknown="the list is only an excerpt")


class Answer(msgspec.Struct, frozen=True):
    """Whether a condition holds (None: undetermined), by which facts, and for want of which.

    `used` of an undetermined answer are the facts that spoke for the condition.
    """

    truth: bool | None
    used: tuple[Use, ...] = ()
    gaps: tuple[Use, ...] = ()


def evaluate(condition: Condition, scope: Scope) -> Answer:
    """Return Kleene's strong three-valued truth of `condition` with the facts behind it."""
    match condition:
        case Comparison():
            return _compare(condition, scope)
        case All():
            return _joined(condition.parts, (scope,), decisive=False)
        case AnyOf():
            return _joined(condition.parts, (scope,), decisive=True)
        case Not():
            return _negated(evaluate(condition.part, scope))
        case Quantified():
            return _quantified(condition, scope)


def _joined(parts: Sequence[Condition], scopes: Iterable[Scope], *, decisive: bool) -> Answer:
    """Return the first answer that decides, or what all of them come to."""
    settled: list[Use] = []
    speaking: list[Use] = []
    gaps: list[Use] = []
    for scope in scopes:
        for part in parts:
            answer = evaluate(part, scope)
            if answer.truth is decisive:
                return answer
            gaps += answer.gaps
            (speaking if answer.truth is None else settled).extend(answer.used)
    if not gaps:
        return Answer(not decisive, tuple(settled))
    # What does not hold speaks for nothing.
    return Answer(None, tuple(speaking if decisive else settled + speaking), tuple(gaps))


def _negated(answer: Answer) -> Answer:
    if answer.truth is None:
        return Answer(None, (), answer.gaps)
    return Answer(not answer.truth, answer.used)


def _quantified(condition: Quantified, scope: Scope) -> Answer:
    # "every" is "none fails", "none" is "not some": one loop serves all three.
    where = Not(condition.where) if condition.kind == "every" else condition.where
    some = _some(condition, where, scope)
    return some if condition.kind == "some" else _negated(some)


def _some(condition: Quantified, where: Condition, scope: Scope) -> Answer:
    collection = look_up(condition.path, scope)
    if collection.value is None or isinstance(collection.value, Unknown):
        return Answer(None, (), (collection,))
    answer = _joined((where,), scope.each(condition.name, collection), decisive=True)
    if answer.truth:
        return answer
    if not collection.whole:
        speaking = answer.used if answer.truth is None else ()
        return Answer(None, speaking, (*answer.gaps, _excerpt(collection)))
    return answer if answer.truth is None else Answer(False, (collection, *answer.used))


def _excerpt(use: Use) -> Use:
    return replace(use, value=NOT_LISTED, whole=True)


def _compare(test: Comparison, scope: Scope) -> Answer:
    use = look_up(test.path, scope)
    if isinstance(use.value, Unknown):
        if use.value == SET and test.operand is None and test.operator in ("is", "is_not"):
            return Answer(test.operator == "is_not", (use,))
        return Answer(None, (), (use,))
    truth = _truth(test, use.value)
    if not use.whole and not _settled_by_excerpt(test.operator, use.value, truth):
        return Answer(None, (), (_excerpt(use),))
    if truth is None:
        gap = replace(use, value=Unknown(unknown="it has no value to compare"), whole=True)
        return Answer(None, (), (gap,))
    return Answer(truth, (use,))


def _settled_by_excerpt(operator: str, value: Sequence[Any], truth: bool | None) -> bool:
    return bool(value) if operator == "empty" else bool(truth)


def _contains(value: Any, operand: Any) -> bool:
    if isinstance(value, str):
        return str(operand).casefold() in value.casefold()
    return value is not None and operand in value


def _truth(test: Comparison, value: Any) -> bool | None:
    if test.operator != "matches":
        return _OPERATIONS[test.operator](value, test.operand)
    if value is None or not can_match(test.words, value):
        return False
    return _form(str(test.operand)).search(value) is not None


@cache
def _form(pattern: str) -> re.Pattern[str]:
    """Return a rule's pattern, compiled once: re forgets the first of so many."""
    return re.compile(pattern)


def _compared(value: Any, operand: str, wanted: tuple[int, ...]) -> bool | None:
    if value is None:
        return None
    try:
        return compare(value.split(":", 1)[-1], operand, "dotted") in wanted
    except ClprobeError:
        return None


_OPERATIONS: dict[str, Callable[[Any, Any], bool | None]] = {
    "is": lambda value, operand: bool(value == operand),
    "is_not": lambda value, operand: bool(value != operand),
    "in": lambda value, operand: value in operand,
    "not_in": lambda value, operand: value not in operand,
    "contains": _contains,
    "contains_any": lambda value, operand: any(_contains(value, one) for one in operand),
    "older_than": lambda value, operand: _compared(value, operand, (-1,)),
    "at_least": lambda value, operand: _compared(value, operand, (0, 1)),
    "less_than": lambda value, operand: None if value is None else bool(value < operand),
    "more_than": lambda value, operand: None if value is None else bool(value > operand),
    "empty": lambda value, operand: (not value) is operand,
}
