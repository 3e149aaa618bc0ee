# SPDX-License-Identifier: MIT
"""What the open questions lean to if everything is as it usually is: it ranks, it never decides."""

from collections import defaultdict
from collections.abc import Collection

from msgspec.structs import replace

from clprobe.diagnosis.reopened import reopened
from clprobe.facts.closure.presume import LEVELS, Level
from clprobe.facts.derive import derive
from clprobe.knowledge.tables import Tables
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import UNLISTED
from clprobe.ruleset.evaluate import Answer
from clprobe.ruleset.judge import Outcome, ask
from clprobe.ruleset.rule import Rule


def leaning(
    outcomes: list[Outcome],
    snapshot: Snapshot,
    tables: Tables,
    rules: dict[str, Rule],
    cued: Collection[str],
) -> list[Outcome]:
    """Return a report's outcomes, the undecided ones with the side that presumptions put them on.

    One that holds by presumption names the facts that it would then rest on. `cued` are the rules
    of which a cue stands in the report. Those refuted for want of something are open again.
    """
    again = reopened(outcomes, rules, cued)
    outcomes = again.outcomes
    undecided = {one.rule.id for one in outcomes if one.answer.truth is None} - again.unpresumed
    asked = tuple(rule for rule_id, rule in rules.items() if rule_id in undecided)
    for beyond in LEVELS:
        presumed: dict[str, list[Outcome]] = defaultdict(list)
        for one in ask(asked, derive(snapshot, tables, beyond=beyond)):
            presumed[one.rule.id].append(one)
        outcomes = [_leaning(one, presumed[one.rule.id], beyond) for one in outcomes]
    return outcomes


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
