# SPDX-License-Identifier: MIT
"""What is checked, and condition by condition why a rule holds, does not, or cannot be decided."""

from collections.abc import Iterator

import msgspec

from clprobe.diagnosis.knowledge import Knowledge
from clprobe.facts.derive import derive
from clprobe.facts.paths import Scope, label_of, look_up
from clprobe.model.finding import Severity
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Unknown
from clprobe.ruleset.conditions import All, AnyOf, Comparison, Condition, Not, Quantified
from clprobe.ruleset.evaluate import evaluate
from clprobe.ruleset.judge import ask_rule
from clprobe.ruleset.questions import Questions
from clprobe.ruleset.rule import Link, Rule, facts_of


class RuleEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One rule: `reads` are the kinds of facts that it asks, `needs_root`: one only root reads."""

    id: str
    summary: str
    severity: Severity
    topic: str
    link: Link
    reads: tuple[str, ...]
    needs_root: bool


class RuleList(msgspec.Struct, frozen=True, kw_only=True):
    """What `doctor --list --json` prints."""

    rules: tuple[RuleEntry, ...]


class TraceLine(msgspec.Struct, frozen=True):
    """One condition: how deep it stands, what it asks, its truth, and the value that it met."""

    depth: int
    text: str
    truth: bool | None
    value: str = ""


class Trace(msgspec.Struct, frozen=True):
    """A rule's conditions for one subject."""

    subject: str
    verdict: str
    lines: tuple[TraceLine, ...]


class RuleTrace(msgspec.Struct, frozen=True, kw_only=True):
    """What `doctor --why RULE --json` prints; no `subjects`: there is nothing that it is about."""

    rule: str
    summary: str
    severity: Severity
    subjects: tuple[Trace, ...]


def catalogue(rules: tuple[Rule, ...], questions: Questions) -> RuleList:
    """Return the rules as people and programs may list them."""
    return RuleList(rules=tuple(_entry(rule, questions) for rule in rules))


def _entry(rule: Rule, questions: Questions) -> RuleEntry:
    facts = facts_of(rule)
    asked = [questions.about(fact) for fact in facts]
    return RuleEntry(
        id=rule.id,
        summary=rule.summary,
        severity=rule.severity,
        topic=rule.topic,
        link=rule.link,
        reads=tuple(dict.fromkeys(_kind(fact) for fact in facts)),
        needs_root=any(question is not None and question.needs_root for question in asked),
    )


def _kind(fact: str) -> str:
    """Return the start of a path: `gpus`, and of the system's facts one part more."""
    parts = fact.split(".")
    return ".".join(parts[:2]) if parts[0] == "system" else parts[0]


def trace(rule: Rule, snapshot: Snapshot, knowledge: Knowledge) -> tuple[Trace, ...]:
    """Return the trace of `rule` for each of its subjects; none if there is no subject."""
    facts = derive(snapshot, knowledge.tables)
    verdicts = {True: "present", False: "absent", None: "undetermined"}
    return tuple(
        Trace(
            outcome.subject,
            verdicts[outcome.answer.truth],
            tuple(_lines(rule.when, outcome.scope, 0))
            if len(outcome.scope.variables) == len(rule.loops)
            else tuple(
                TraceLine(0, gap.fact, None, _shown(gap.value)) for gap in outcome.answer.gaps
            ),
        )
        for outcome in ask_rule(rule, facts)
    )


def _lines(condition: Condition, scope: Scope, depth: int) -> Iterator[TraceLine]:
    truth = evaluate(condition, scope).truth
    match condition:
        case Comparison():
            use = look_up(condition.path, scope)
            text = f"{condition.path} {condition.operator} {_operand(condition.operand)}"
            yield TraceLine(depth, text, truth, _shown(use.value))
        case All() | AnyOf():
            yield TraceLine(depth, "all" if isinstance(condition, All) else "any", truth)
            for part in condition.parts:
                yield from _lines(part, scope, depth + 1)
        case Not():
            yield TraceLine(depth, "not", truth)
            yield from _lines(condition.part, scope, depth + 1)
        case Quantified():
            yield TraceLine(depth, f"{condition.kind} of {condition.path}", truth)
            yield from _elements(condition, scope, depth + 1)


def _elements(condition: Quantified, scope: Scope, depth: int) -> Iterator[TraceLine]:
    collection = look_up(condition.path, scope)
    if collection.value is None or isinstance(collection.value, Unknown):
        yield TraceLine(depth, condition.path, None, _shown(collection.value))
        return
    for position, element in enumerate(collection.value):
        label = label_of(element, position)
        inner = scope.binding(condition.name, element, label, collection.path)
        yield TraceLine(depth, label, evaluate(condition.where, inner).truth)
        yield from _lines(condition.where, inner, depth + 1)


def _operand(operand: object) -> str:
    return msgspec.json.encode(operand).decode()


def _shown(value: object) -> str:
    if isinstance(value, Unknown):
        return f"not known: {value.unknown}"
    if isinstance(value, tuple):
        return "[" + ", ".join(label_of(part, n) for n, part in enumerate(value)) + "]"
    return label_of(value, 0) if isinstance(value, msgspec.Struct) else _operand(value)
