# SPDX-License-Identifier: MIT
"""From a snapshot to a diagnosis: derive facts, ask the rules, find the root cause."""

from collections.abc import Collection, Sequence

import msgspec

from clprobe.diagnosis.decide import commands, next_command
from clprobe.diagnosis.findings import present, undetermined
from clprobe.diagnosis.ignoring import without_ignored
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.diagnosis.likeliest import likeliest_causes, resemblance_of
from clprobe.diagnosis.log.device_log import Found, device_log
from clprobe.diagnosis.of_program import focused, program_report
from clprobe.diagnosis.precedents.seen_before import seen_before
from clprobe.diagnosis.presumptions import leaning
from clprobe.diagnosis.rank import Ranked, rank
from clprobe.diagnosis.status import status_of_working, unproven_gpus
from clprobe.diagnosis.suspects import Case, unexplained
from clprobe.diagnosis.without_home import without_home
from clprobe.facts.derive import derive
from clprobe.facts.facts import Facts
from clprobe.facts.host_report import host_report, outside_report
from clprobe.facts.inventory import select_devices, take_inventory
from clprobe.facts.permissions.as_user import spoken_name
from clprobe.model.finding import Diagnosis, Status
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Unknown
from clprobe.ruleset.judge import Outcome, ask

_MOST_COMPARED = 3
"""Of so many first findings solved reports are looked for."""


def diagnose(
    snapshot: Snapshot,
    knowledge: Knowledge,
    *,
    ignored: Collection[str] = (),
    log_of: str | None = None,
    resembling: bool = True,
) -> Diagnosis:
    """Return what is wrong, what explains it, and what there is.

    `ignored` are rules whose problems do not count, nor what follows from them. `log_of` selects
    the device whose log is wanted. Not `resembling`: without solved reports that are like the case,
    which takes most of the time.

    Raises: ClprobeError if `log_of` fits no device, GPU or driver.
    """
    facts = derive(snapshot, knowledge.tables)
    by_id = {rule.id: rule for rule in knowledge.rules}
    asked = list(ask(knowledge.rules, facts))
    everything = rank([one for one in asked if one.answer.truth], by_id)
    ranked, outcomes, left_out = without_ignored(everything, asked, ignored, by_id)
    ranked, beside = focused(ranked, facts, snapshot)
    reported = not isinstance(snapshot.clprobe, str)
    # Of a report its words are wanted anyway; else solved reports are read only in trouble. Words
    # around facts that clprobe gathered do not outweigh the cause that these prove.
    proven = not reported and _root_cause(ranked) is not None
    is_told = bool(snapshot.told) and not proven
    like = resemblance_of(snapshot, knowledge.precedents) if is_told else None
    case = Case(outcomes, ranked, by_id, reported=reported)
    if reported and (case.is_open or snapshot.told):
        cues = like.cues if like is not None else ()
        outcomes = leaning(outcomes, snapshot, knowledge.tables, by_id, cues)
        case = Case(outcomes, ranked, by_id, reported=reported)
    causes = likeliest_causes(snapshot, case, like, knowledge, resembling=resembling)
    suspects = causes.suspects
    open_questions = [one for one in case.open_questions() if one not in suspects]
    if not any(one.severity == "error" for one in ranked):
        told = (*suspects, *open_questions)
        open_questions += [one for one in unproven_gpus(outcomes, facts) if one not in told]
    # What is told of against the facts lacks none of them, so that no command would decide it.
    unsettled = [one for one in (*suspects, *open_questions) if one.answer.gaps or one.fault]
    others = [one for one in ranked if one is not causes.decided]
    findings = (
        *(undetermined(one, snapshot, suspect=True) for one in causes.leading),
        *(present(one, knowledge.tables) for one in filter(None, [causes.decided])),
        *(undetermined(one, snapshot, suspect=True) for one in causes.following),
        *(present(one, knowledge.tables) for one in others),
        *(undetermined(one, snapshot, suspect=False) for one in open_questions),
    )
    possible = {one.id for one in findings[:_MOST_COMPARED] if one.caused_by is None}
    inventory = take_inventory(facts)
    root_cause = None if suspects else _root_cause(ranked)
    found = Found(facts, tuple(ranked), tuple(suspects), root_cause)
    status = "undetermined" if suspects else _status(ranked, open_questions, snapshot, facts)
    if status == "undetermined" and not unsettled:
        unsettled = case.behind_symptom()
    diagnosis = Diagnosis(
        status=status,
        root_cause=root_cause,
        findings=findings,
        drivers=inventory.drivers,
        devices=inventory.devices,
        gpus=inventory.gpus,
        nodes=inventory.nodes,
        asked_as=_asked_as(snapshot),
        unread=snapshot.unread,
        statements=snapshot.statements,
        next_command=next_command(unsettled, snapshot),
        ask=commands(unsettled, snapshot),
        ignored=left_out,
        host=host_report(facts, snapshot),
        log=device_log(log_of, found) if log_of is not None else None,
        reports=seen_before(causes.like, possible, facts, knowledge.tables),
        program=program_report(facts),
        beside=beside,
        outside=outside_report(snapshot),
    )
    return without_home(diagnosis, snapshot.user)


def _asked_as(snapshot: Snapshot) -> str | None:
    if snapshot.user.is_asker is not False:
        return None
    return spoken_name(snapshot.user, snapshot.system.service_unit)


def with_devices(diagnosis: Diagnosis, selectors: Sequence[str]) -> Diagnosis:
    """Return the diagnosis with the chosen devices only; its findings stay whole.

    Raises: ClprobeError if a selector names no device.
    """
    chosen = select_devices(diagnosis.devices, selectors)
    return msgspec.structs.replace(diagnosis, devices=chosen)


def _root_cause(ranked: list[Ranked]) -> str | None:
    """Return the first finding if it is at error level: `rank` puts the root cause there.

    A symptom that explains nothing else is no cause.
    """
    if not ranked or ranked[0].severity != "error" or _is_mere_symptom(ranked):
        return None
    return ranked[0].outcome.rule.id


def _is_mere_symptom(ranked: list[Ranked]) -> bool:
    first = ranked[0].outcome
    return first.rule.symptom and not any(one.cause is first for one in ranked)


def _status(
    ranked: list[Ranked], open_questions: list[Outcome], snapshot: Snapshot, facts: Facts
) -> Status:
    if any(one.severity == "error" for one in ranked):
        return "undetermined" if _is_mere_symptom(ranked) else "problems"
    if not isinstance(snapshot.clprobe, str) and unexplained(ranked, "warning") is not None:
        return "undetermined"  # whoever reports that programs disagree has a problem
    if isinstance(facts.program.wants_opencl, Unknown):
        return "undetermined"  # what was looked at stayed hidden
    if snapshot.unread:  # the problem may stand in the lines that nobody understood
        return "undetermined"
    undecided = any(
        one.fault or one.rule.vital or one.rule.severity == "error" for one in open_questions
    )
    return "undetermined" if undecided else status_of_working(facts)
