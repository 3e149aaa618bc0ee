# SPDX-License-Identifier: MIT
"""How conditions of rules are read from YAML, and what is refused."""

import difflib
import re
import warnings
from typing import Any, Literal

from clprobe.facts.paths import Field, PathError, Variables, check_path
from clprobe.ruleset.conditions import All, AnyOf, Comparison, Condition, Not, Quantified
from clprobe.ruleset.literals import words_of


class ConditionError(Exception):
    """A condition that is none; `keys` lead to it in the document."""

    def __init__(self, message: str, keys: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.keys = keys


OPERATORS: dict[str, type | tuple[type, ...]] = {
    "is": (str, int, bool, type(None)),
    "is_not": (str, int, bool, type(None)),
    "in": list,
    "not_in": list,
    "contains": (str, int),
    "contains_any": list,
    "matches": str,
    "older_than": str,
    "at_least": str,
    "less_than": int,
    "more_than": int,
    "empty": bool,
}
"""Each operator with the type of its operand; rules/README.md says what they mean."""

_EXACT = ("is", "is_not", "in", "not_in", "contains", "contains_any")
_KINDS: dict[type, str] = {
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def parse_condition(data: Any, variables: Variables) -> Condition:
    """Return the condition written as `data`.

    Raises: ConditionError on unknown operators and on paths that lead to no fact.
    """
    if not isinstance(data, dict) or not data:
        raise ConditionError(f"a condition is a mapping, this is {data!r}")
    parts = tuple(_parse_entry(key, value, variables) for key, value in data.items())
    return parts[0] if len(parts) == 1 else All(parts)


def _parse_entry(key: Any, value: Any, variables: Variables) -> Condition:
    try:
        if key in ("all", "any"):
            return _parse_parts(key, value, variables)
        if key == "not":
            return Not(parse_condition(value, variables))
        if key in ("some", "every", "none"):
            return _parse_quantified(key, value, variables)
        return _parse_tests(str(key), value, variables)
    except (ConditionError, PathError) as error:
        raise ConditionError(str(error), (key, *error.keys)) from error


def _parse_parts(key: str, value: Any, variables: Variables) -> Condition:
    if not isinstance(value, list) or not value:
        raise ConditionError(f"{key} takes a list of conditions")
    parts = tuple(parse_condition(part, variables) for part in value)
    return All(parts) if key == "all" else AnyOf(parts)


def _parse_quantified(
    kind: Literal["some", "every", "none"], value: Any, variables: Variables
) -> Condition:
    if not isinstance(value, dict) or set(value) != {"in", "as", "where"}:
        raise ConditionError(f"{kind} takes in, as and where")
    if not isinstance(value["in"], str) or not isinstance(value["as"], str):
        raise ConditionError(f"{kind} takes a path in `in` and a name in `as`")
    field = check_path(value["in"], variables)
    if not field.is_list:
        raise ConditionError(f"{value['in']} is no list")
    inner = {**variables, value["as"]: field.struct}
    return Quantified(kind, value["in"], value["as"], parse_condition(value["where"], inner))


def _parse_tests(path: str, value: Any, variables: Variables) -> Condition:
    field = check_path(path, variables)
    if not isinstance(value, dict) or not value:
        raise ConditionError(f"{path} takes an operator and its operand, such as {{is: …}}")
    tests = []
    for operator, operand in value.items():
        _check_operator(operator, operand, path, field)
        words = words_of(operand) if operator == "matches" else None
        operand = tuple(operand) if isinstance(operand, list) else operand  # noqa: PLW2901 - a list cannot be hashed
        tests.append(Comparison(path, operator, operand, words))
    return tests[0] if len(tests) == 1 else All(tuple(tests))


def _check_operator(operator: Any, operand: Any, path: str, field: Field) -> None:
    if operator not in OPERATORS:
        raise ConditionError(f"no operator {operator!r}; there are {', '.join(OPERATORS)}", (path,))
    if not isinstance(operand, OPERATORS[operator]):
        raise ConditionError(f"{operator} cannot take {operand!r}", (path,))
    if field.is_list and operator not in ("contains", "contains_any", "empty", "is", "is_not"):
        raise ConditionError(f"{path} is a list, {operator} asks about one value", (path,))
    if operator == "matches" and isinstance(operand, str):
        try:
            with warnings.catch_warnings():
                # What Python only warns of, such as [[, will mean something else one day.
                warnings.simplefilter("error", FutureWarning)
                re.compile(operand)
        except (re.error, FutureWarning) as error:
            raise ConditionError(f"{operand!r} is no pattern: {error}", (path,)) from error
    if operator in _EXACT:
        for value in operand if isinstance(operand, list) else [operand]:
            _check_value(value, path, field)


def _check_value(value: Any, path: str, field: Field) -> None:
    """Refuse what the fact can never be: such a condition would hold for nobody."""
    if field.kinds and type(value) not in field.kinds:
        named = ", ".join(sorted(_KINDS[kind] for kind in field.kinds))
        raise ConditionError(f"{path} is never {value!r}; it takes {named}", (path,))
    if field.values and isinstance(value, str) and value not in field.values:
        close = difflib.get_close_matches(value, field.values, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise ConditionError(
            f"{path} is never {value!r}; {hint}it can be {', '.join(field.values)}", (path,)
        )
