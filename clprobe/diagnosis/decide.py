# SPDX-License-Identifier: MIT
"""The one command whose output decides most between the causes that are still possible."""

import msgspec

from clprobe.commands.command_words import is_file_name
from clprobe.facts.hardware_facts import Fit, GpuFacts, NodeFacts
from clprobe.facts.paths import Use
from clprobe.model.finding import NextCommand
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Unknown
from clprobe.ruleset.judge import Outcome
from clprobe.ruleset.questions import Question, Questions, command_for

_FOR_ROOT = 0.6
"""Many who report may not become root, so a command that needs it must decide more."""
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
    """Return the command that decides most of these, the likeliest first; None if none does."""
    if not open_outcomes:
        return None
    questions, candidates = Questions.load(), dict[str, _Candidate]()
    for place, outcome in enumerate(open_outcomes):
        asked = _questions(outcome, snapshot, questions)
        for question in asked:
            one = candidates.setdefault(question.id, _Candidate(question, [], 0.0, {}))
            one.paths.update(_nodes(outcome))
            one.decides.append(outcome.rule.id)
            # A cause that lacks several answers is only partly decided by one of them.
            one.weight += (len(open_outcomes) - place) / len(asked)
    if not candidates:
        return None
    best = max(candidates.values(), key=_worth)
    return NextCommand(
        title=best.question.title,
        command=command_for(best.question, snapshot, best.paths),
        needs_root=best.question.needs_root,
        decides=tuple(dict.fromkeys(best.decides)),
    )


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
