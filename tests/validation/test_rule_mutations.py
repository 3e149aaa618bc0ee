# SPDX-License-Identifier: MIT
"""Cases must notice: each condition of each rule is negated in turn, and a case must fail."""

from collections.abc import Iterator

import msgspec
import pytest

from clprobe.diagnosis.knowledge import Knowledge
from clprobe.facts.derive import derive
from clprobe.ruleset.conditions import All, AnyOf, Comparison, Condition, Not, Quantified
from clprobe.ruleset.judge import ask_rule
from clprobe.ruleset.rule import Rule
from clprobe.validation.cases import case_file_of, load_cases, snapshot_of, verdict_of

KNOWLEDGE = Knowledge.load()


def _negations(condition: Condition) -> Iterator[tuple[str, Condition]]:
    """Yield the condition with each of its parts negated in turn, itself included."""
    yield f"not {_name(condition)}", Not(condition)
    yield from _inside(condition, _negations)


def _inside(condition: Condition, mutate) -> Iterator[tuple[str, Condition]]:  # type: ignore[no-untyped-def]
    match condition:
        case All(parts) | AnyOf(parts):
            for index, part in enumerate(parts):
                for label, mutant in mutate(part):
                    changed = (*parts[:index], mutant, *parts[index + 1 :])
                    yield label, type(condition)(changed)
        case Not(part):
            for label, mutant in mutate(part):
                yield label, Not(mutant)
        case Quantified():
            for label, mutant in mutate(condition.where):
                yield label, msgspec.structs.replace(condition, where=mutant)


def _name(condition: Condition) -> str:
    match condition:
        case Comparison(path, operator, operand):
            return f"{path} {operator} {operand}"
        case Quantified(kind, path):
            return f"{kind} {path}"
        case Not(part):
            return f"not {_name(part)}"
        case All(parts) | AnyOf(parts):
            return f"{type(condition).__name__}({', '.join(map(_name, parts))})"


def _survivors(rule: Rule, mutants: Iterator[tuple[str, Condition]]) -> list[str]:
    """Return the mutants that no case notices."""
    file = load_cases(case_file_of(rule))
    cases = [(case, derive(snapshot_of(case, file), KNOWLEDGE.tables)) for case in file.cases]
    survivors = []
    for label, condition in mutants:
        mutant = msgspec.structs.replace(rule, when=condition)
        if all(verdict_of(list(ask_rule(mutant, facts))) == case.expect for case, facts in cases):
            survivors.append(label)
    return survivors


@pytest.mark.parametrize("rule", KNOWLEDGE.rules, ids=lambda rule: rule.id)
def test_a_case_notices_every_negated_condition(rule: Rule) -> None:
    assert _survivors(rule, _negations(rule.when)) == []
