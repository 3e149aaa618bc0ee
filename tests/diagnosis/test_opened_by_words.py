# SPDX-License-Identifier: MIT
"""What is decided by watching a program is open in a report whose words tell of it."""

from typing import Any

import msgspec
import pytest

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.diagnosis.presumptions import leaning
from clprobe.facts.derive import derive
from clprobe.model.program import Program
from clprobe.model.snapshot import Snapshot
from clprobe.ruleset.judge import Outcome, ask

KNOWLEDGE = Knowledge.load()
TOLD = ("The miner says: Selected device 4 is out of range, there are 2.", "What do I set?")


def _outcome(rule_id: str, cued: tuple[str, ...], **facts: Any) -> Outcome:
    snapshot = Snapshot(**{"told": TOLD, **facts})
    rules = {rule_id: KNOWLEDGE.rule_named(rule_id)}
    asked = list(ask(tuple(rules.values()), derive(snapshot, KNOWLEDGE.tables)))
    (found,) = leaning(asked, snapshot, KNOWLEDGE.tables, rules, cued)
    return found


def test_words_that_tell_of_it_open_it_and_decide_nothing() -> None:
    rule = "program-chooses-absent-device"
    assert _outcome(rule, ()).answer.truth is False
    found = _outcome(rule, (rule,))
    assert (found.answer.truth, found.leans) == (None, None)
    assert [one.path for one in found.answer.gaps] == ["program.chooses_absent"]


def test_what_was_watched_is_decided_by_what_was_seen() -> None:
    rule = "program-chooses-absent-device"
    assert _outcome(rule, (rule,), program=Program(name="miner")).answer.truth is False


@pytest.mark.parametrize(("value", "truth"), [("iris", False), (None, None)])
def test_the_rest_of_the_condition_refutes_it_as_ever(value: str | None, truth: None) -> None:
    rule = "program-wants-rusticl-device"
    assert _outcome(rule, (rule,), environment={"RUSTICL_ENABLE": value}).answer.truth is truth


def test_no_rule_about_a_watched_program_is_open_without_such_words() -> None:
    """Nobody watched a program here: what nothing tells of is no cause of a report's trouble."""
    asked = ask(KNOWLEDGE.rules, derive(Snapshot(told=TOLD), KNOWLEDGE.tables))
    rules = {one.id: one for one in KNOWLEDGE.rules if not one.loops}
    about = {
        one.rule.id
        for one in asked
        if one.rule.id in rules
        and one.answer.truth is None
        and any(use.path.startswith("program.") for use in one.answer.gaps)
    }
    assert about == set()


def test_a_suspect_of_that_kind_is_told_without_gaps_in_its_words() -> None:
    rules = tuple(
        msgspec.structs.replace(one, cues=("out of range", "selected device & there are"))
        if one.id == "program-chooses-absent-device"
        else msgspec.structs.replace(one, cues=(), frequency="rare")
        for one in KNOWLEDGE.rules
    )
    known = msgspec.structs.replace(KNOWLEDGE, rules=rules, reports=())
    diagnosis = diagnose(Snapshot(told=TOLD), known)
    assert (diagnosis.status, diagnosis.root_cause) == ("undetermined", None)
    found = next(one for one in diagnosis.findings if one.id == "program-chooses-absent-device")
    assert (found.verdict, found.suspect) == ("undetermined", True)
    assert found.title == KNOWLEDGE.rule_named(found.id).summary
    assert "{" not in f"{found.because} {found.confirmed_by}"


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (
            "program-chooses-absent-device",
            "MultiPoolMiner, two cards, each on PCI 16x\n"
            "[12:13:17] Initializing GPU, loading kernel ...\n"
            "[12:13:18] Selected OpenCL device index 2 doesn't exist.",
        ),
        (
            "program-dies-before-opencl",
            "The tool does not work on older CPUs without AVX support: it always ends with\n"
            "illegal instruction (core dumped)\n"
            "My CPUs support SSE2 and SSE4.2.",
        ),
        (
            "program-lacks-module",
            "I compiled and installed the library and all is well, but the example ends with\n"
            "ImportError: No module named 'pyopencl.compyte'\nWindows 10, Python 3.5, Anaconda",
        ),
    ],
)
def test_reports_that_are_not_kept_lead_to_such_causes(rule: str, told: str) -> None:
    """After MultiPoolMiner#2269, crypto1_bs#42 and pyopencl#127, of which no report is kept."""
    diagnosis = diagnose(Snapshot(told=tuple(told.splitlines())), KNOWLEDGE)
    assert rule in [one.id for one in diagnosis.findings[:2]]
    assert diagnosis.root_cause is None
