# SPDX-License-Identifier: MIT
"""Puts an outcome into words: the finding about a problem that is there, or may be."""

from clprobe.diagnosis.decide import confirmation
from clprobe.diagnosis.evidence import evidence_of
from clprobe.diagnosis.rank import Ranked
from clprobe.diagnosis.remedies import remedies_of
from clprobe.facts.paths import Use
from clprobe.knowledge.tables import Tables
from clprobe.model.finding import Finding
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Unknown
from clprobe.ruleset.judge import Outcome
from clprobe.ruleset.templates import fill, fill_known, names_unknown, on_one_line

_TOLD_AGAINST_FACTS = "The report tells of it, though what was read of the facts speaks against it."


def present(ranked: Ranked, tables: Tables) -> Finding:
    """Return the finding about a problem that is there."""
    outcome = ranked.outcome
    rule, scope = outcome.rule, outcome.scope
    return Finding(
        id=rule.id,
        verdict="present",
        severity=ranked.severity,
        subject=outcome.subject,
        title=_title(outcome),
        because=fill_known(rule.because, scope) or fill(rule.because, scope),
        caused_by=ranked.cause.rule.id if ranked.cause is not None else None,
        evidence=evidence_of(outcome.answer.used),
        remedies=remedies_of(rule, scope, tables),
        sources=rule.sources,
    )


def undetermined(outcome: Outcome, snapshot: Snapshot, *, suspect: bool) -> Finding:
    """Return the finding about a problem that lacks a fact."""
    rule, scope = outcome.rule, outcome.scope
    reasons = [outcome.fault or ""]
    if not outcome.fault:
        against = "" if outcome.answer.gaps or not suspect else _TOLD_AGAINST_FACTS
        reasons = [fill_known(rule.because, scope), against, _lacking(outcome.answer.gaps)]
    return Finding(
        id=rule.id,
        verdict="undetermined",
        severity=rule.severity,
        subject=outcome.subject,
        title=_title(outcome),
        because=" ".join(filter(None, reasons)),
        suspect=suspect,
        confirmed_by=confirmation(outcome, snapshot) if suspect else None,
        check_failed=outcome.fault is not None,
        evidence=evidence_of((*outcome.answer.used, *outcome.answer.gaps)),
        sources=rule.sources,
    )


def _title(outcome: Outcome) -> str:
    """Return the rule's title; where a fact in it is not known, its summary."""
    rule, scope = outcome.rule, outcome.scope
    if not names_unknown(rule.title, scope):
        return fill(rule.title, scope)
    return f"{rule.summary} ({on_one_line(outcome.subject)})" if scope.variables else rule.summary


def _lacking(gaps: tuple[Use, ...]) -> str:
    """Return which facts are not known, and why where anybody tried to learn them."""
    reasons = {use.fact: use.value.unknown for use in gaps if isinstance(use.value, Unknown)}
    named = (
        fact if why == NOT_STATED.unknown else f"{fact} ({why})" for fact, why in reasons.items()
    )
    return f"Not known: {', '.join(named)}." if reasons else ""
