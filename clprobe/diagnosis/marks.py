# SPDX-License-Identifier: MIT
"""What speaks for one outcome by itself, whatever else there is."""

from clprobe.facts.hardware_facts import AMBIGUOUS
from clprobe.facts.paths import Use
from clprobe.facts.permissions.people import is_in_gpu_groups, is_outside_gpu_groups
from clprobe.model.unknown import NOT_STATED, NOT_TRIED, UNLISTED, listed
from clprobe.ruleset.evaluate import NOT_LISTED
from clprobe.ruleset.judge import Outcome

_FREQUENCY = {"common": 4, "occasional": 0, "rare": -4}
_FOR, _AGAINST, _SETTING, _TELLING, _REFUSED = 2, 1, 4, 4, 4
"""What a fact that speaks for a problem weighs, one that is lacking, the setting that it is for,
a fact that tells nearly all, and one that we asked for and were refused."""
_LEANS = {"likely": 6, "possible": 3, "unlikely": -8, None: 0}
"""What it weighs that a problem would be there, or not, by what is presumed."""
SETTINGS = ("system.virtualization.", "system.distribution.id")
"""A rule that asks for WSL, a container or a distribution was written for those who have it."""
_TELLING_FACTS = {("linux_binds", "no"), ("linux_binds", "forced")}
"""What is the cause by itself, unless something made up for it."""
_SYMPTOM_FACTS = {
    "usable_device", "gpu_device", "has_device", "device_count", "computes", "outcome", "usable",
    "unnamed_node",
}  # fmt: skip
_USUAL_FACTS = {("loader_found", True)}
"""What nearly every reporter has, so that it speaks for nothing."""
_NOBODY_REFUSED = {NOT_STATED, NOT_TRIED, NOT_LISTED, UNLISTED, AMBIGUOUS}


def marks_of(outcome: Outcome) -> dict[str, float]:
    """Return what speaks for one undecided or present outcome, each as a number."""
    return {
        "weight": weight_of(outcome) / 10,
        "evidence": float(len(evidence_for(outcome))),
        "setting": float(_fits_setting(outcome)),
        "telling": float(_tells_nearly_all(outcome)),
        "refused": float(was_kept_from_us(outcome)),
        "shut_out": float(_is_shut_out(outcome)),
        "admitted": float(_is_admitted(outcome)),
    }


def weight_of(outcome: Outcome) -> int:
    """Return all that speaks for an outcome, and against it, as one number."""
    lacking = {use.fact for use in outcome.answer.gaps}
    return (
        _FREQUENCY[outcome.rule.frequency] // (2 if _is_about_nothing_known(outcome) else 1)
        + _FOR * len(evidence_for(outcome))
        + _LEANS[outcome.leans]
        + _TELLING * _tells_nearly_all(outcome)
        + _SETTING * _fits_setting(outcome)
        + _TELLING * _is_shut_out(outcome)
        + _REFUSED * was_kept_from_us(outcome)
        + len(outcome.scope.variables)
        - _AGAINST * len(lacking)
    )


def evidence_for(outcome: Outcome) -> set[str]:
    """Return the facts beyond the symptom that speak for the problem."""
    return {use.fact for use in outcome.answer.used if _is_evidence(use)}


def was_kept_from_us(outcome: Outcome) -> bool:
    """Whether we asked for a lacking fact and were refused."""
    return not {use.value for use in outcome.answer.gaps} <= _NOBODY_REFUSED


def _is_about_nothing_known(outcome: Outcome) -> bool:
    """Whether it is about a GPU, and nobody tells of one."""
    loops = outcome.rule.loops
    return bool(loops) and loops[0].path == "gpus" and not outcome.scope.variables


def _is_shut_out(outcome: Outcome) -> bool:
    """Whether nobody lists the nodes, and the user is in none of the groups that they belong to."""
    return _asks_for_nodes(outcome) and is_outside_gpu_groups(outcome.scope.facts.user)


def _is_admitted(outcome: Outcome) -> bool:
    """Whether nobody lists all nodes, and one opens, or the user is in their usual groups."""
    facts = outcome.scope.facts
    opens = any(node.open_error is None for node in listed(facts.device_nodes))
    return _asks_for_nodes(outcome) and (opens or is_in_gpu_groups(facts.user))


def _asks_for_nodes(outcome: Outcome) -> bool:
    about_nodes = any(use.path == "device_nodes" for use in outcome.answer.gaps)
    usual = outcome.rule.link == "permission" and outcome.rule.frequency == "common"
    return about_nodes and usual


def _fits_setting(outcome: Outcome) -> bool:
    uses = outcome.answer.used
    return any(use.path.startswith(SETTINGS) and use.value is not None for use in uses)


def _tells_nearly_all(outcome: Outcome) -> bool:
    return any((_last_part(use.path), use.value) in _TELLING_FACTS for use in outcome.answer.used)


def _is_evidence(use: Use) -> bool:
    name = _last_part(use.path)
    return name not in _SYMPTOM_FACTS and (name, use.value) not in _USUAL_FACTS


def _last_part(path: str) -> str:
    return path.rsplit(".", 1)[-1]
