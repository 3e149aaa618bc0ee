# SPDX-License-Identifier: MIT
"""From a snapshot to a diagnosis: derive facts, ask the rules, find the root cause."""

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from clprobe.engine.derive import derive
from clprobe.engine.evaluate import NOT_LISTED
from clprobe.engine.hardware_facts import AMBIGUOUS, UNLISTED
from clprobe.engine.homes import without_home
from clprobe.engine.inventory import take_inventory
from clprobe.engine.judge import Outcome, ask
from clprobe.engine.load import consequences_of, load_rules
from clprobe.engine.paths import Use, label_of, read_from, was_not_requested
from clprobe.engine.rank import Ranked, rank
from clprobe.engine.remedies import remedies_of
from clprobe.engine.rule import Rule
from clprobe.engine.select import select_devices
from clprobe.engine.tables import Tables
from clprobe.engine.templates import fill
from clprobe.model.errors import ClprobeError
from clprobe.model.finding import Diagnosis, Evidence, Finding, Status
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Unknown

_MOST_EVIDENCE = 12
_MOST_SUSPICIONS = 3
_SYMPTOM_LINKS = ("device", "application")
_SYMPTOM_FACTS = {"usable_device", "gpu_device", "has_device", "device_count", "computes"}
_NOBODY_REFUSED = {NOT_STATED, NOT_LISTED, UNLISTED, AMBIGUOUS}


class Knowledge(msgspec.Struct, frozen=True):
    """The rules database: rules and tables."""

    rules: tuple[Rule, ...]
    tables: Tables

    @classmethod
    def load(cls, root: Path | None = None) -> "Knowledge":
        """Return the database under `root`, or clprobe's own.

        Raises: ClprobeError if a rule is malformed.
        """
        return cls(load_rules(root), Tables.load(root / "tables" if root else None))

    def rule(self, rule_id: str) -> Rule | None:
        """Return the rule with that id."""
        return next((rule for rule in self.rules if rule.id == rule_id), None)

    def rule_named(self, rule_id: str) -> Rule:
        """Return the rule with that id.

        Raises: ClprobeError if there is none; its hint names similar ones.
        """
        found = self.rule(rule_id)
        if found is None:
            close = difflib.get_close_matches(rule_id, [rule.id for rule in self.rules])
            raise ClprobeError(
                reference="no-such-rule",
                message=f"There is no rule {rule_id!r}.",
                hint=f"Did you mean {' or '.join(close)}?" if close else "See clprobe rules list.",
            )
        return found


def diagnose(snapshot: Snapshot, knowledge: Knowledge) -> Diagnosis:
    """Return what is wrong, what explains it, and what there is."""
    facts = derive(snapshot, knowledge.tables)
    outcomes = list(ask(knowledge.rules, facts))
    by_id = {rule.id: rule for rule in knowledge.rules}
    ranked = rank([one for one in outcomes if one.answer.truth], by_id)
    open_questions = _open_questions(outcomes, ranked, by_id)
    findings = (
        *(_present(one, knowledge.tables) for one in ranked),
        *(_undetermined(one) for one in open_questions),
    )
    inventory = take_inventory(facts)
    diagnosis = Diagnosis(
        status=_status(ranked, open_questions),
        root_cause=_root_cause(ranked),
        findings=findings,
        drivers=inventory.drivers,
        devices=inventory.devices,
        gpus=inventory.gpus,
    )
    return without_home(diagnosis, snapshot.user)


def with_devices(diagnosis: Diagnosis, selectors: Sequence[str]) -> Diagnosis:
    """Return the diagnosis with the chosen devices only; its findings stay whole.

    Raises: ClprobeError if a selector names no device.
    """
    chosen = select_devices(diagnosis.devices, selectors)
    return msgspec.structs.replace(diagnosis, devices=chosen)


def _root_cause(ranked: list[Ranked]) -> str | None:
    """Return the first finding if it is at error level: `rank` puts the root cause there."""
    return ranked[0].outcome.rule.id if ranked and ranked[0].severity == "error" else None


def _open_questions(
    outcomes: list[Outcome], ranked: list[Ranked], rules: dict[str, Rule]
) -> list[Outcome]:
    """Return the undetermined outcomes that are worth a line.

    Those are the vital question, our own failures, facts that we failed to read although
    something speaks for the problem, and, while the symptom has no explanation, suspicions.
    What waits only for facts that are gathered on request was never asked.
    """
    undecided = [one for one in outcomes if one.answer.truth is None and _was_asked(one)]
    vital = {rule.id for rule in rules.values() if rule.vital}
    unexplained = not ranked or _is_symptom(ranked[0].outcome.rule, rules)
    certain = [one for one in undecided if one.rule.vital or one.fault or _was_refused(one)]
    suspicions = [
        one
        for one in undecided
        if unexplained
        and one not in certain
        and _speaks_for_itself(one)
        and one.rule.severity == "error"
        and consequences_of(one.rule.id, rules) & vital
        and any(entry.severity == "error" for entry in ranked)
    ]
    suspicions.sort(key=lambda one: len(one.answer.gaps) - len(one.answer.used))
    return [*certain, *suspicions[:_MOST_SUSPICIONS]]


def _was_asked(outcome: Outcome) -> bool:
    gaps = outcome.answer.gaps
    return not gaps or not all(was_not_requested(use) for use in gaps)


def _is_symptom(rule: Rule, rules: dict[str, Rule]) -> bool:
    """Whether the rule states what people see, which other rules could explain."""
    explained = any(rule.id in other.explains for other in rules.values())
    return explained and rule.link in _SYMPTOM_LINKS


def _speaks_for_itself(outcome: Outcome) -> bool:
    """Whether something points to this problem: its subject, or a fact beyond the symptom."""
    return bool(outcome.scope.variables) or _has_evidence(outcome)


def _was_refused(outcome: Outcome) -> bool:
    reasons = {use.value for use in outcome.answer.gaps}
    return _has_evidence(outcome) and not reasons <= _NOBODY_REFUSED


def _has_evidence(outcome: Outcome) -> bool:
    told = {use.fact.rsplit(".", 1)[-1] for use in outcome.answer.used}
    return not told <= _SYMPTOM_FACTS


def _status(ranked: list[Ranked], open_questions: list[Outcome]) -> Status:
    if any(one.severity == "error" for one in ranked):
        return "problems"
    undecided = (
        one.fault or one.rule.vital or (one.rule.severity == "error" and _was_refused(one))
        for one in open_questions
    )
    return "undetermined" if any(undecided) else "healthy"


def _present(ranked: Ranked, tables: Tables) -> Finding:
    outcome = ranked.outcome
    rule, scope = outcome.rule, outcome.scope
    return Finding(
        id=rule.id,
        verdict="present",
        severity=ranked.severity,
        subject=outcome.subject,
        title=fill(rule.title, scope),
        because=fill(rule.because, scope),
        caused_by=ranked.cause.rule.id if ranked.cause is not None else None,
        evidence=_evidence(outcome.answer.used),
        remedies=remedies_of(rule, scope, tables),
        sources=rule.sources,
    )


def _undetermined(outcome: Outcome) -> Finding:
    lacking = "; ".join(
        f"{use.fact}: {use.value.unknown}"
        for use in outcome.answer.gaps
        if isinstance(use.value, Unknown)
    )
    return Finding(
        id=outcome.rule.id,
        verdict="undetermined",
        severity=outcome.rule.severity,
        subject=outcome.subject,
        title=f"Could not tell: {fill(outcome.rule.title, outcome.scope)}",
        because=outcome.fault or f"Not known are {lacking}." if outcome.fault or lacking else "",
        evidence=_evidence((*outcome.answer.used, *outcome.answer.gaps)),
        sources=outcome.rule.sources,
    )


def _evidence(uses: tuple[Use, ...]) -> tuple[Evidence, ...]:
    by_fact = {use.fact: use for use in uses}
    chosen = list(by_fact.values())[:_MOST_EVIDENCE]
    return tuple(
        Evidence(fact=use.fact, value=_shown(use.value), read_from=read_from(use)) for use in chosen
    )


def _shown(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_shown(part) for part in value]
    if isinstance(value, msgspec.Struct) and not isinstance(value, Unknown):
        return label_of(value, 0)
    return msgspec.to_builtins(value)
