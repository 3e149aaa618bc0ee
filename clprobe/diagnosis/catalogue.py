# SPDX-License-Identifier: MIT
"""What is checked: every rule with what it reads and whether that needs root."""

import msgspec

from clprobe.diagnosis.why import Trace
from clprobe.model.finding import Severity
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
