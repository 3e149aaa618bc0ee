# SPDX-License-Identifier: MIT
"""What is asked for where facts are lacking: all of it, each once, nothing that was given."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.facts.paths import fields_of
from clprobe.knowledge.solved_reports import report_files
from clprobe.model.codec import snapshot_from_text
from clprobe.model.snapshot import Snapshot
from clprobe.paste.assemble import read_paste
from clprobe.ruleset.questions import Questions, is_answered

KNOWLEDGE = Knowledge.load()
QUESTIONS = Questions.load()
REPORTS = report_files()
CLINFO = "$ clinfo\nNumber of platforms                               0\n"
LSPCI = (
    "$ lspci -nnk\n00:02.0 VGA compatible controller [0300]: Intel Corporation HD Graphics 620 "
    "[8086:5916] (rev 02)\n\tKernel driver in use: i915\n"
)
LISTING = "$ ls -l /dev/dri\ncrw-rw---- 1 root render 226, 128 Nov 22 10:00 renderD128\n"
ID = "$ id\nuid=1000(a) gid=1000(a) groups=1000(a),27(sudo)\n"
UNAME = "$ uname -a\nLinux box 6.8.0-51-generic #52-Ubuntu SMP x86_64 GNU/Linux\n"
PACKAGES = "$ dpkg -l\nii  intel-opencl-icd  23.43.27642.40-1ubuntu3  amd64  Intel graphics\n"


def _asked(text: str) -> tuple[str, ...]:
    return diagnose(read_paste(text, name="paste"), KNOWLEDGE).ask


@pytest.mark.parametrize("question", QUESTIONS.questions, ids=lambda one: one.id)
def test_what_answers_a_question_are_facts_of_a_snapshot(question: Any) -> None:
    for path in question.answered:
        struct: Any = Snapshot
        for name in path.split("."):
            field = fields_of(struct)[name]
            struct = field.struct


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (LSPCI, "lspci"), (LSPCI + LISTING, "ls -l /dev/dri"), (LSPCI + ID, "id"),
        (LSPCI + UNAME, "uname"), (LSPCI + PACKAGES, "dpkg -l"),
    ],
)  # fmt: skip
def test_nothing_is_asked_for_that_was_given(text: str, command: str) -> None:
    for line in _asked(CLINFO + text):
        assert not [part for part in line.split("; ") if part.startswith(command)], line


def test_what_was_not_given_is_asked_for() -> None:
    """Else the test above could not fail."""
    asked = "; ".join(_asked(CLINFO + LSPCI + ID)) + "; ".join(_asked(LSPCI + LISTING))
    for command in ("ls -l /dev/dri", "dpkg -l", "clinfo"):
        assert command in asked


def test_a_line_asks_only_for_the_part_that_is_lacking() -> None:
    assert "ls -l /dev/dri /dev/kfd" in _asked(CLINFO + LSPCI + ID)
    assert "id" in _asked(CLINFO + LSPCI + LISTING)


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)
def test_a_real_report_is_asked_each_command_once(path: Path) -> None:
    facts = yaml.safe_load(path.read_text("utf-8")).get("facts", {})
    snapshot = snapshot_from_text(yaml.safe_dump(facts), name=path.name)
    diagnosis = diagnose(snapshot, KNOWLEDGE)
    parts = [part for line in diagnosis.ask for part in line.split("; ")]
    assert len(set(parts)) == len(parts)
    given = {one.command for one in QUESTIONS.questions if is_answered(one, snapshot)}
    assert not given & set(parts)
    if diagnosis.status == "undetermined":
        assert diagnosis.ask
    for finding in diagnosis.findings:
        assert finding.suspect or finding.confirmed_by is None
        assert not finding.suspect or finding.confirmed_by


def test_where_all_was_given_clprobe_itself_is_to_look() -> None:
    told = {
        "gpus": [{"pci_id": "8086:5916", "kernel_driver": "i915"}],
        "views": [{"viewer": "clinfo", "answer": {"platforms": [{"name": "Intel", "devices": {
            "unknown": "cut off"}}]}}],
    }  # fmt: skip
    asked = diagnose(msgspec.convert(told, Snapshot), KNOWLEDGE)
    assert asked.ask
    assert asked.next_command is not None


def test_what_was_read_is_told_in_words() -> None:
    host = diagnose(read_paste(CLINFO + LSPCI + ID + UNAME, name="paste"), KNOWLEDGE).host
    assert host is not None
    assert host.linux == "6.8.0-51-generic"
    told = "; ".join(host.read)
    for word in ("Linux 6.8.0-51-generic", "8086:5916", "i915", "sudo", "clinfo: 0 platforms"):
        assert word in told
