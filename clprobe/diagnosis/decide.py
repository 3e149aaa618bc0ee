# SPDX-License-Identifier: MIT
"""The commands whose output decides between the causes that are still possible."""

import msgspec

from clprobe.commands.command_words import is_file_name
from clprobe.facts.hardware_facts import Fit, GpuFacts, NodeFacts
from clprobe.facts.paths import Use
from clprobe.model.finding import NextCommand
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Unknown
from clprobe.ruleset.judge import Outcome
from clprobe.ruleset.questions import (
    Question,
    Questions,
    command_for,
    is_answered,
    unanswered_parts,
)
from clprobe.ruleset.wanted import wanted_conditions

_FOR_ROOT = 0.6
"""Many who report may not become root, so a command that needs it must decide more."""
_MOST_COMMANDS = 6
"""More than that nobody runs for somebody else."""
_MOST_REREAD = 2
_JOINED = "; "
_FILTERED = " | "
_OUR_OWN = "clprobe snapshot"
_OUR_OWN_TITLE = "Let clprobe itself look there, and send what it writes"
_JUDGED = {"too_old", "too_new", "covers", "likely_covers", "known_flaw"}
_JUDGED_WITH_LINUX = {"linux_fits", "linux_problem"}
_JUDGED_WITH_ACL = {"may_open", "errno", "denied_because", "admitted_by"}


class _Candidate(msgspec.Struct):
    question: Question
    decides: list[str]
    weight: float
    paths: dict[str, None]
    """The nodes that are asked about, in their order."""


def next_command(open_outcomes: list[Outcome], snapshot: Snapshot) -> NextCommand | None:
    """Return the command that decides most of these, the likeliest first; None if none does.

    Where all that would decide was given already, it is clprobe's own look at that host.
    """
    candidates = _candidates(open_outcomes, snapshot)
    if not candidates:
        return None
    wanted = [one for one in candidates if not is_answered(one.question, snapshot)]
    best = wanted[0] if wanted else None
    decides = best.decides if best else [name for one in candidates for name in one.decides]
    return NextCommand(
        title=best.question.title if best else _OUR_OWN_TITLE,
        command=_command(best, snapshot) if best else _OUR_OWN,
        needs_root=best.question.needs_root if best else False,
        decides=tuple(dict.fromkeys(decides)),
    )


def commands(open_outcomes: list[Outcome], snapshot: Snapshot) -> tuple[str, ...]:
    """Return what to run to decide all of these, the most telling first, each command once.

    Nothing is asked for that was given. Where that leaves nothing, it is our own look.
    """
    candidates = _candidates(open_outcomes, snapshot)
    lines = [
        f"{'sudo ' if one.question.needs_root else ''}{_command(one, snapshot)}"
        for one in candidates
        if not is_answered(one.question, snapshot)
    ]
    if candidates and not lines:
        return (_OUR_OWN,)
    chosen = list(dict.fromkeys(lines))[:_MOST_COMMANDS]
    return tuple(line for line in chosen if not any(_parts(line) < _parts(one) for one in chosen))


def confirmation(suspect: Outcome, snapshot: Snapshot) -> str:
    """Return what would confirm the suspicion, in a line: the command, and what it has to show."""
    if not suspect.answer.gaps:
        return _read_otherwise(suspect)
    wanted = " and ".join(wanted_conditions(suspect))
    line = next(
        (
            _command(one, snapshot).split(_FILTERED)[0]
            for one in _candidates([suspect], snapshot)
            if not is_answered(one.question, snapshot)
        ),
        None,
    )
    if line is None and not wanted:
        return f"all of {', '.join(dict.fromkeys(gap.fact for gap in suspect.answer.gaps))}"
    return f"{line}, if {wanted}" if line and wanted else line or wanted


def _read_otherwise(suspect: Outcome) -> str:
    """Return which facts, as they were read, speak against it."""
    facts = list(dict.fromkeys(use.fact for use in suspect.answer.used))
    return f"another look at {' and '.join(facts[-_MOST_REREAD:])}, if it is not as it was read"


def _parts(line: str) -> set[str]:
    return set(line.split(_JOINED))


def _candidates(open_outcomes: list[Outcome], snapshot: Snapshot) -> list[_Candidate]:
    """Return the questions that would decide any of these, the most telling first."""
    if not open_outcomes:
        return []
    questions, candidates = Questions.load(), dict[str, _Candidate]()
    for place, outcome in enumerate(open_outcomes):
        asked = _questions(outcome, snapshot, questions)
        for question in asked:
            one = candidates.setdefault(question.id, _Candidate(question, [], 0.0, {}))
            one.paths.update(_nodes(outcome))
            one.decides.append(outcome.rule.id)
            # A cause that lacks several answers is only partly decided by one of them.
            one.weight += (len(open_outcomes) - place) / len(asked)
    return sorted(candidates.values(), key=lambda one: -_worth(one))


def _command(candidate: _Candidate, snapshot: Snapshot) -> str:
    """Return the command without those of its parts that were answered already."""
    line = command_for(candidate.question, snapshot, candidate.paths)
    return _JOINED.join(unanswered_parts(candidate.question, line.split(_JOINED), snapshot))


def _worth(candidate: _Candidate) -> float:
    return candidate.weight * (_FOR_ROOT if candidate.question.needs_root else 1)


def _questions(outcome: Outcome, snapshot: Snapshot, questions: Questions) -> list[Question]:
    found = []
    for gap in outcome.answer.gaps:
        if snapshot.source == "live" and gap.value == NOT_STATED:
            continue  # whatever a live run can ask without root it has asked
        question = questions.about(_lacking(gap, outcome, snapshot))
        if question is not None and question not in found:
            found.append(question)
    if snapshot.source == "live":
        return [one for one in found if one.needs_root]
    return found


def _lacking(gap: Use, outcome: Outcome, snapshot: Snapshot) -> str:
    """Return the path of the fact behind the gap: what is derived lacks what it derives from."""
    gpus = [b.value for b in outcome.scope.variables.values() if isinstance(b.value, GpuFacts)]
    nameless = any(isinstance(gpu.generation, Unknown) for gpu in gpus)
    if isinstance(gap.owner, Fit):
        if gap.field in _JUDGED_WITH_LINUX and _linux_is_unknown(snapshot):
            return "system.linux.release"
        if gap.field in _JUDGED | _JUDGED_WITH_LINUX:
            is_versionless = isinstance(gap.owner.version, Unknown)
            return "gpus.fits.version" if is_versionless or not nameless else "gpus.pci_id"
    if isinstance(gap.owner, GpuFacts) and gap.field == "linux_suspect":
        return "system.linux.release" if _linux_is_unknown(snapshot) else "gpus.pci_id"
    if isinstance(gap.owner, NodeFacts) and gap.field in _JUDGED_WITH_ACL and _hides_acl(gap.owner):
        return "device_nodes.acl"
    return gap.path


def _nodes(outcome: Outcome) -> dict[str, None]:
    """Return the paths of the nodes of which access lists keep the problem open."""
    owners = (gap.owner for gap in outcome.answer.gaps)
    return {one.path: None for one in owners if isinstance(one, NodeFacts) and _hides_acl(one)}


def _hides_acl(node: NodeFacts) -> bool:
    """Whether there is an access list, and what it says is not known: the `+` of ls -l."""
    is_hidden = isinstance(node.acl, Unknown) and node.acl != NOT_STATED
    return is_hidden and is_file_name(node.path)


def _linux_is_unknown(snapshot: Snapshot) -> bool:
    return isinstance(snapshot.system.linux.release, Unknown)
