# SPDX-License-Identifier: MIT
"""Which refuted rules of a report are open all the same, for a report is no look at a machine.

What nobody found on a machine that was looked at is not there. A report is what its author chose
to tell, and programs wrote the rest, so that a rule may be refuted

- for want of a fact: of a list of all devices, or of a fault that some table knows;
- for want of somebody who watched the program, though the author's words tell of its trouble;
- for want of things to ask about: few list what programs do wrong, or what a device computes;
- by a fact of another GPU, program or time than the trouble, while words tell of it.

The first three lack something: they are undecided like any other. The last are told against facts,
and count for less.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import groupby
from typing import Any

import msgspec
from msgspec.structs import replace

from clprobe.facts.derive_views import lists_devices
from clprobe.facts.facts import Facts, ProgramFacts
from clprobe.facts.hardware_facts import GpuFacts, NodeFacts
from clprobe.model.unknown import NOT_STATED, UNLISTED, Unknown, listed
from clprobe.ruleset.conditions import All, Comparison, Condition
from clprobe.ruleset.evaluate import Answer
from clprobe.ruleset.judge import Outcome, ask_rule
from clprobe.ruleset.rule import Rule

_SELDOM_LISTED = ("program_faults", "devices")
"""Facts of which none is told where nobody looked."""
_FITS = "gpu.fits"
"""How drivers fit a GPU; where a reporter names none for it, there may be a faulty one."""
_GPU_NODES = ("render", "card", "nvidia", "mali", "kgsl", "dxg")
_NOTHING_STATED: dict[str, Any] = dict.fromkeys(ProgramFacts.__struct_fields__, NOT_STATED)
_UNWATCHED = ProgramFacts(**_NOTHING_STATED)
"""The program of a report: there is one, and nobody looked at it."""
_AGAINST = math.exp(-1)
"""How likely what is told against facts is beside what nothing refutes, their words being equal."""


class Reopened(msgspec.Struct, frozen=True, kw_only=True):
    """The outcomes of a report, those open that are refuted for want of something.

    `unpresumed` are the rules that stay so: presumptions are about machines, and say nothing of a
    program that nobody watched, nor of what nobody lists.
    """

    outcomes: list[Outcome]
    unpresumed: frozenset[str] = frozenset()


def reopened(
    outcomes: list[Outcome], rules: Mapping[str, Rule], told_of: Collection[str]
) -> Reopened:
    """Return the outcomes of a report, those open that are refuted for want of something.

    `told_of` are the rules of which the author's words tell.
    """
    facts = next((one.scope.facts for one in outcomes), None)
    if facts is None:
        return Reopened(outcomes=outcomes)
    found = outcomes
    if not any(map(lists_devices, listed(facts.views))):
        # That a program finds no device does not tell that there is none.
        unseen = replace(facts.opencl, usable_device=NOT_STATED, gpu_device=NOT_STATED)
        found = _asked_anew(found, replace(facts, opencl=unseen), _is_of_program)
    # A release of which no table lists a fault may have one.
    found = _asked_anew(found, _without_judged_faults(facts), _is_of_release)
    if "device_nodes" in facts.excerpts and not any(map(_is_gpu_node, listed(facts.device_nodes))):
        # Who lists /dev/kfd alone tells nothing of the GPU's own node.
        found = _asked_anew(found, replace(facts, device_nodes=NOT_STATED), _is_of_nodes)
    presumed = _open_rules(found)
    if not facts.program.watched:
        unwatched = replace(facts, program=_UNWATCHED)
        found = _asked_anew(found, unwatched, lambda told: told[0].rule.id in told_of)
    found = found + _of_unlisted(found, facts, rules)
    return Reopened(outcomes=found, unpresumed=_open_rules(found) - presumed)


def told_against_facts(outcomes: Iterable[Outcome], told_of: Collection[str]) -> dict[str, Outcome]:
    """Return by rule the refuted outcomes of rules that are told of, open again.

    Half of those that words put first are right, of the reports in which any is; of the common
    ones, that words bring up everywhere, none is.
    """
    found: dict[str, Outcome] = {}
    possible: set[str] = set()
    for one in outcomes:
        rule = one.rule
        if one.answer.truth is not False:
            possible.add(rule.id)
        elif rule.id in told_of and one.answer.used and not rule.symptom:
            found.setdefault(rule.id, replace(one, answer=Answer(None, one.answer.used, ())))
    return {
        rule_id: one
        for rule_id, one in found.items()
        if rule_id not in possible and one.rule.frequency != "common"
    }


def weighed(likely: Mapping[str, float], against_facts: Collection[str]) -> dict[str, float]:
    """Return the probabilities, those of rules that are told against facts lowered."""
    return {rule: p * _AGAINST if rule in against_facts else p for rule, p in likely.items()}


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


def _of_unlisted(outcomes: list[Outcome], facts: Facts, rules: Mapping[str, Rule]) -> list[Outcome]:
    """Return open outcomes of the rules about things of which a reporter lists none.

    A table lists few faults of programs, and few tell what each device computes; that no outcome
    speaks of any does not tell that there is none.
    """
    asked = {one.rule.id for one in outcomes}
    unlisted = replace(
        facts,
        gpus=tuple(map(_without_empty_fits, listed(facts.gpus))) or facts.gpus,
        **dict.fromkeys(_SELDOM_LISTED, NOT_STATED),
    )
    of_none = (
        rule
        for rule in rules.values()
        if rule.id not in asked
        and rule.loops
        and (rule.loops[0].path in _SELDOM_LISTED or _is_about_flaws(rule))
    )
    return [one for rule in of_none for one in ask_rule(rule, unlisted) if one.answer.truth is None]


def _is_about_flaws(rule: Rule) -> bool:
    paths = {one.path.rpartition(".")[2] for one in _comparisons(rule.when)}
    return rule.loops[-1].path == _FITS and paths == {"known_flaw"}


def _comparisons(condition: Condition) -> Iterable[Comparison]:
    if isinstance(condition, Comparison):
        return (condition,)
    parts = condition.parts if isinstance(condition, All) else ()
    return [one for part in parts for one in _comparisons(part)]


def _without_empty_fits(gpu: GpuFacts) -> GpuFacts:
    return replace(gpu, fits=NOT_STATED) if gpu.fits == () else gpu


def _open_rules(outcomes: Iterable[Outcome]) -> frozenset[str]:
    return frozenset(one.rule.id for one in outcomes if one.answer.truth is None)


def _is_of_program(outcomes: list[Outcome]) -> bool:
    return any(one.rule.link == "application" for one in outcomes)


def _is_of_nodes(outcomes: list[Outcome]) -> bool:
    loops = outcomes[0].rule.loops
    return bool(loops) and loops[0].path == "device_nodes"


def _is_gpu_node(node: NodeFacts) -> bool:
    return node.kind in _GPU_NODES


def _is_of_release(outcomes: list[Outcome]) -> bool:
    return any(use.field == "known_flaw" for one in outcomes for use in one.answer.used)


def _without_judged_faults(facts: Facts) -> Facts:
    return replace(facts, gpus=tuple(map(_without_judged_fault, listed(facts.gpus))))


def _without_judged_fault(gpu: GpuFacts) -> GpuFacts:
    if isinstance(gpu.fits, Unknown):
        return gpu
    return replace(gpu, fits=tuple(replace(one, known_flaw=UNLISTED) for one in gpu.fits))
