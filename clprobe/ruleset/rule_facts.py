# SPDX-License-Identifier: MIT
"""Which facts a rule asks about, as whole paths."""

from collections.abc import Iterator

from clprobe.ruleset.conditions import All, AnyOf, Comparison, Condition, Not, Quantified
from clprobe.ruleset.rule import Rule


def facts_of(rule: Rule) -> tuple[str, ...]:
    """Return every path that the rule reads, its variables replaced: `gpus.fits.too_new`."""
    variables: dict[str, str] = {}
    found = []
    for loop in rule.loops:
        variables[loop.name] = _whole(loop.path, variables)
        found.append(variables[loop.name])
    found += _paths(rule.when, variables)
    return tuple(dict.fromkeys(found))


def _paths(condition: Condition, variables: dict[str, str]) -> Iterator[str]:
    match condition:
        case Comparison():
            yield _whole(condition.path, variables)
        case All() | AnyOf():
            for part in condition.parts:
                yield from _paths(part, variables)
        case Not():
            yield from _paths(condition.part, variables)
        case Quantified():
            path = _whole(condition.path, variables)
            yield path
            yield from _paths(condition.where, {**variables, condition.name: path})


def _whole(path: str, variables: dict[str, str]) -> str:
    first, dot, rest = path.partition(".")
    return f"{variables.get(first, first)}{dot}{rest}"
