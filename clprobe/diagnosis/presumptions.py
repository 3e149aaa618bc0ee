# SPDX-License-Identifier: MIT
"""What the open questions lean to if everything is as it usually is: it ranks, it never decides."""

from collections import defaultdict
from collections.abc import Callable, Collection
from itertools import groupby
from typing import Any

from msgspec.structs import replace

from clprobe.facts.closure.presume import LEVELS, Level
from clprobe.facts.derive import derive
from clprobe.facts.derive_views import lists_devices
from clprobe.facts.facts import Facts, ProgramFacts
from clprobe.facts.hardware_facts import GpuFacts
from clprobe.knowledge.tables import Tables
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, UNLISTED, Unknown, listed
from clprobe.ruleset.evaluate import Answer
from clprobe.ruleset.judge import Outcome, ask, ask_rule
from clprobe.ruleset.rule import Rule

_SELDOM_LISTED = ("program_faults", "devices")
"""Facts of which none is told where nobody looked."""
_NOTHING_STATED: dict[str, Any] = dict.fromkeys(ProgramFacts.__struct_fields__, NOT_STATED)
_UNWATCHED = ProgramFacts(**_NOTHING_STATED)
"""The program of a report: there is one, and nobody looked at it."""


def leaning(
    outcomes: list[Outcome],
    snapshot: Snapshot,
    tables: Tables,
    rules: dict[str, Rule],
    cued: Collection[str],
) -> list[Outcome]:
    """Return the outcomes, the undecided ones with the side that presumptions put them on.

    One that holds by presumption names the facts that it would then rest on. `cued` are the rules
    of which a cue stands in the report.
    """
    outcomes = _reopened(outcomes)
    open_rules = {one.rule.id: rules[one.rule.id] for one in outcomes if one.answer.truth is None}
    for beyond in LEVELS:
        presumed: dict[str, list[Outcome]] = defaultdict(list)
        for one in ask(tuple(open_rules.values()), derive(snapshot, tables, beyond=beyond)):
            presumed[one.rule.id].append(one)
        outcomes = [_leaning(one, presumed[one.rule.id], beyond) for one in outcomes]
    return _opened_by_words(outcomes, cued) + _of_unnamed(outcomes, rules)


def _of_unnamed(outcomes: list[Outcome], rules: dict[str, Rule]) -> list[Outcome]:
    """Return open outcomes of the rules about things of which a reporter lists none.

    A table lists few faults of programs, and few tell what each device computes; that no outcome
    speaks of any does not tell that there is none.
    """
    facts = next((one.scope.facts for one in outcomes), None)
    if facts is None:
        return []
    asked = {one.rule.id for one in outcomes}
    unlisted = replace(facts, **dict.fromkeys(_SELDOM_LISTED, NOT_STATED))
    of_none = (
        rule
        for rule in rules.values()
        if rule.id not in asked and rule.loops and rule.loops[0].path in _SELDOM_LISTED
    )
    return [one for rule in of_none for one in ask_rule(rule, unlisted) if one.answer.truth is None]


def _reopened(outcomes: list[Outcome]) -> list[Outcome]:
    """Return the outcomes, those asked anew that rest on what a reporter or a table lacks.

    That a program finds no device does not tell that there is none, unless a list of all says so;
    and of a release of which no table lists a fault nobody knows that it has none.
    """
    facts = next((one.scope.facts for one in outcomes), None)
    if facts is None:
        return outcomes
    if not any(map(lists_devices, listed(facts.views))):
        unseen = replace(facts.opencl, usable_device=NOT_STATED, gpu_device=NOT_STATED)
        outcomes = _asked_anew(outcomes, replace(facts, opencl=unseen), _is_of_program)
    return _asked_anew(outcomes, _without_judged_faults(facts), _is_of_release)


def _opened_by_words(outcomes: list[Outcome], cued: Collection[str]) -> list[Outcome]:
    """Return the outcomes, those of a program open again of which the reporter's words tell.

    Where nobody watched a program nothing of it holds, so what is decided by watching is refuted
    in every report. That is right for a machine that was looked at, and says nothing of the program
    that somebody writes about; nor do presumptions, which are about machines.
    """
    facts = next((one.scope.facts for one in outcomes), None)
    if facts is None or not cued or facts.program.watched:
        return outcomes
    unwatched = replace(facts, program=_UNWATCHED)
    return _asked_anew(outcomes, unwatched, lambda told: told[0].rule.id in cued)


def _asked_anew(
    outcomes: list[Outcome], facts: Facts, concerns: Callable[[list[Outcome]], bool]
) -> list[Outcome]:
    """Return the outcomes, those of rules that nothing but the lacking facts refutes open again."""
    found: list[Outcome] = []
    for rule, own in groupby(outcomes, key=lambda one: one.rule):
        told = list(own)
        asked = []
        if all(one.answer.truth is False for one in told) and concerns(told):
            asked = [one for one in ask_rule(rule, facts) if one.answer.truth is None]
        found += asked or told
    return found


def _is_of_program(outcomes: list[Outcome]) -> bool:
    return any(one.rule.link == "application" for one in outcomes)


def _is_of_release(outcomes: list[Outcome]) -> bool:
    return any(use.field == "known_flaw" for one in outcomes for use in one.answer.used)


def _without_judged_faults(facts: Facts) -> Facts:
    return replace(facts, gpus=tuple(map(_without_judged_fault, listed(facts.gpus))))


def _without_judged_fault(gpu: GpuFacts) -> GpuFacts:
    if isinstance(gpu.fits, Unknown):
        return gpu
    return replace(gpu, fits=tuple(replace(one, known_flaw=UNLISTED) for one in gpu.fits))


def _leaning(stated: Outcome, presumed: list[Outcome], beyond: Level) -> Outcome:
    if stated.answer.truth is not None or stated.leans is not None or stated.rule.symptom:
        return stated
    if {use.value for use in stated.answer.gaps} == {UNLISTED}:
        return stated  # what no table lists cannot be presumed from tables either
    same = [one for one in presumed if one.subject == stated.subject] or presumed
    held = next((one for one in same if one.answer.truth), None)
    if held is not None:
        answer = Answer(None, held.answer.used, stated.answer.gaps)
        return replace(held, answer=answer, leans=beyond)
    # What is only possible refutes nothing.
    refuted = beyond == "likely" and same and all(one.answer.truth is False for one in same)
    return replace(stated, leans="unlikely") if refuted else stated
