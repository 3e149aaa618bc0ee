# SPDX-License-Identifier: MIT
"""The one command that decides: every fact has one, and the best one is chosen."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.facts.derive import derive
from clprobe.facts.facts import Facts
from clprobe.facts.paths import Scope, fields_of, look_up
from clprobe.knowledge.solved_reports import report_files
from clprobe.model.codec import snapshot_from_text
from clprobe.model.finding import Diagnosis
from clprobe.model.snapshot import Snapshot
from clprobe.paste.assemble import read_paste
from clprobe.ruleset.questions import Questions
from clprobe.ruleset.rule import facts_of

KNOWLEDGE = Knowledge.load()
QUESTIONS = Questions.load()
REPORTS = report_files()


def _diagnosis(facts: dict[str, Any]) -> Diagnosis:
    return diagnose(snapshot_from_text(yaml.safe_dump(facts), name="facts"), KNOWLEDGE)


def _command(facts: dict[str, Any]) -> str:
    chosen = _diagnosis(facts).next_command
    assert chosen is not None
    return chosen.command


@pytest.mark.parametrize("rule", KNOWLEDGE.rules, ids=lambda rule: rule.id)
def test_every_fact_of_every_rule_has_a_command_or_none_on_purpose(rule: Any) -> None:
    for fact in facts_of(rule):
        is_given_up = any(
            fact == name or fact.startswith(f"{name}.") for name in QUESTIONS.not_askable
        )
        assert QUESTIONS.about(fact) is not None or is_given_up, fact


@pytest.mark.parametrize("question", QUESTIONS.questions, ids=lambda question: question.id)
def test_a_question_asks_for_facts_that_exist_with_commands_of_one_line(question: Any) -> None:
    for path in question.facts:
        first, *rest = path.split(".")
        struct: Any = fields_of(Facts)[first].struct
        for name in rest:
            field = fields_of(struct)[name]
            struct = field.struct
    for line in (question.command, *question.by_manager.values()):
        assert "\n" not in line
        assert "sudo" not in line
    assert set(question.by_manager) <= {"dpkg", "rpm", "pacman", "apk"}


def test_no_two_questions_claim_one_fact() -> None:
    claimed = [fact for question in QUESTIONS.questions for fact in question.facts]
    assert len(claimed) == len(set(claimed))


def test_a_path_holds_no_label_of_an_element() -> None:
    snapshot = snapshot_from_text(
        '{"gpus": [{"name": "Intel Device [8086:a7a0]", "pci_id": "8086:a7a0"}]}', name="test"
    )
    facts = derive(snapshot, KNOWLEDGE.tables)
    scope = Scope(facts).binding("gpu", facts.gpus[0], "gpus[Intel Device [8086:a7a0]]", "gpus")
    use = look_up("gpu.kernel_driver", scope)
    assert (use.fact, use.path) == (
        "gpus[Intel Device [8086:a7a0]].kernel_driver",
        "gpus.kernel_driver",
    )


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)
def test_an_open_cause_of_a_real_report_comes_with_a_command(path: Path) -> None:
    diagnosis = _diagnosis(yaml.safe_load(path.read_text("utf-8")).get("facts", {}))
    suspects = [one.id for one in diagnosis.findings if one.suspect]
    if diagnosis.status == "undetermined":
        assert diagnosis.next_command is not None
        if suspects:
            assert set(diagnosis.next_command.decides) & set(suspects)
    elif all(one.verdict == "present" for one in diagnosis.findings):
        assert diagnosis.next_command is None


def test_the_version_of_a_driver_is_asked_as_the_distribution_tells_it() -> None:
    facts = {
        "gpus": [{"pci_id": "8086:4690"}],
        "packages": [{"name": "intel-opencl-icd"}],
        "views": [{"viewer": "clinfo", "answer": {"platforms": []}}],
        "device_nodes": [{"path": "/dev/dri/renderD128", "open_error": None}],
    }
    for distribution, tool in (("ubuntu", "dpkg -l"), ("fedora", "rpm -qa"), ("arch", "pacman -Q")):
        told = {**facts, "system": {"distribution": {"id": distribution}}}
        assert _command(told).startswith(tool)


def test_a_node_that_nobody_described_is_asked_for() -> None:
    facts = {
        "views": [{"viewer": "clinfo", "answer": {"platforms": []}}],
        "perspectives": [{"who": "root", "facts": {"views": [{"viewer": "clinfo", "answer": {
            "platforms": [{"name": "Intel(R) OpenCL", "devices": [
                {"name": "GPU", "type": "gpu"}]}]}}]}}],
    }  # fmt: skip
    assert _command(facts).startswith("ls -l /dev/dri")


def test_nothing_is_to_be_run_where_nothing_is_open() -> None:
    healthy = {"icds": [{"path": "/etc/OpenCL/vendors/pocl.icd", "answer": {
        "stage": "queries", "outcome": "ok",
        "platforms": [{"name": "PoCL", "devices": [{"name": "cpu", "type": "cpu"}]}]}}],
        "gpus": [], "device_nodes": [], "loaders": [{"path": "/lib/libOpenCL.so.1"}]}  # fmt: skip
    assert _diagnosis(healthy).next_command is None


def test_a_live_run_asks_only_for_what_it_could_not_ask_itself() -> None:
    bare = msgspec.convert({"source": "live"}, Snapshot)
    assert diagnose(bare, KNOWLEDGE).next_command is None


LISTED = """$ ls -l /dev/dri; id
crw-rw----+ 1 root video  226,   0 Nov 22 10:00 card0
crw-rw----+ 1 root render 226, 128 Nov 22 10:00 renderD128
uid=1000(a) gid=1000(a) groups=1000(a)
"""
ACCESS_LIST = """$ getfacl /dev/dri/renderD128
# file: dev/dri/renderD128
# owner: root
# group: render
user::rw-
user:{who}:rw-
group::rw-
mask::rw-
other::---
"""


def _pasted(text: str) -> Diagnosis:
    return diagnose(read_paste(text, name="paste"), KNOWLEDGE)


def test_an_access_list_that_ls_only_marks_is_asked_for_by_its_node() -> None:
    chosen = _pasted(LISTED).next_command
    assert chosen is not None
    # Whether others, such as root, see devices is not told, so the card node may matter.
    assert chosen.command == "getfacl /dev/dri/renderD128 /dev/dri/card0"


@pytest.mark.parametrize(("who", "verdict"), [("a", []), ("b", ["present"])])
def test_the_access_list_that_was_asked_for_decides(who: str, verdict: list[str]) -> None:
    diagnosis = _pasted(LISTED + ACCESS_LIST.format(who=who))
    assert [
        one.verdict for one in diagnosis.findings if one.id == "render-node-not-accessible"
    ] == verdict
    assert diagnosis.next_command is None or "acl" not in diagnosis.next_command.command


def test_no_option_becomes_a_file_to_ask_about() -> None:
    node = {
        "path": "-R", "kind": "render", "mode": "0660", "owner": "root", "uid": 0,
        "group": "render", "gid": 105, "acl": {"unknown": "hidden"},
    }  # fmt: skip
    user = {"name": "a", "uid": 1000, "groups": [{"gid": 1000, "name": "a"}]}
    chosen = _diagnosis({"device_nodes": [node], "user": user}).next_command
    assert chosen is None or "-R" not in chosen.command


@pytest.mark.parametrize("code", ["clGetPlatformIDs(-1001)", "clGetPlatformIDs failed: -1001"])
def test_a_code_that_says_no_platform_makes_nobody_list_one(code: str) -> None:
    diagnosis = _pasted(code)
    assert not [one.title for one in diagnosis.findings if "PoCL" in one.title]
