# SPDX-License-Identifier: MIT
"""What would have to be the case for an undecided rule to hold, in words."""

from collections.abc import Iterator

import msgspec

from clprobe.facts.paths import Scope
from clprobe.ruleset.conditions import All, Comparison, Condition, Quantified
from clprobe.ruleset.evaluate import evaluate
from clprobe.ruleset.judge import Outcome

_MOST = 2
_SPOKEN = {"is": "is", "is_not": "is not", "in": "is one of", "not_in": "is none of"}


def wanted_conditions(outcome: Outcome) -> tuple[str, ...]:
    """Return the last conditions that are still open, such as `node.may_open is false`.

    The first ones only say what the rule is about at all.
    """
    found = tuple(_open_parts(outcome.rule.when, outcome.scope))
    return found[-_MOST:]


def _open_parts(condition: Condition, scope: Scope) -> Iterator[str]:
    if evaluate(condition, scope).truth is not None:
        return
    match condition:
        case Comparison():
            if condition.operator == "empty":
                yield f"{condition.path} is {'' if condition.operand else 'not '}empty"
                return
            operator = _SPOKEN.get(condition.operator, condition.operator.replace("_", " "))
            yield f"{condition.path} {operator} {_value(condition.operand)}"
        case All():
            for part in condition.parts:
                yield from _open_parts(part, scope)
        case Quantified(kind="some"):
            # Bound to nothing, its variable is unknown, so all of it is open.
            yield from _open_parts(condition.where, scope)
        case _:
            return


def _value(operand: object) -> str:
    if isinstance(operand, list | tuple):
        return ", ".join(map(_value, operand))
    return operand if isinstance(operand, str) else msgspec.json.encode(operand).decode()
