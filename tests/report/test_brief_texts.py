# SPDX-License-Identifier: MIT
"""Short ways to say it: -q, the last line of a long screen, the first line of Markdown."""

import io
from typing import Any

import msgspec
import pytest
from rich.console import Console

from clprobe import __version__
from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.finding import Diagnosis
from clprobe.model.snapshot import Snapshot
from clprobe.report import doctor_words as words
from clprobe.report.doctor_text import DoctorText
from clprobe.report.markdown import diagnosis_as_markdown

KNOWLEDGE = Knowledge.load()
CLOSED: dict[str, Any] = {
    "system": {
        "distribution": {"id": "ubuntu", "version": "22.04", "name": "Ubuntu 22.04.5 LTS"},
        "linux": {"release": "6.8.0-51-generic"}, "virtualization": {"container": None},
    },
    "user": {"uid": 1000, "name": "karl", "groups": [{"gid": 1000, "name": "karl"},
                                                     {"gid": 27, "name": "sudo"}]},
    "gpus": [{"pci_address": "0000:00:02.0", "pci_id": "8086:5916", "kernel_driver": "i915"}],
    "device_nodes": [{"path": "/dev/dri/renderD128", "kind": "render", "gid": 105,
                      "group": "render", "mode": "0660", "open_error": "EACCES"}],
    "icds": [{"path": "/etc/OpenCL/vendors/intel.icd", "library_name": "libigdrcl.so",
              "answer": {"stage": "devices", "outcome": "no-devices", "platforms": []}}],
    "views": [{"viewer": "clinfo", "answer": {"platforms": []}}],
}  # fmt: skip
UNDECIDED: dict[str, Any] = {
    "gpus": [{"pci_id": "8086:5916", "kernel_driver": "i915"}],
    "views": [{"viewer": "clinfo", "answer": {"platforms": []}}],
}
HOSTILE = "\x1b[31mevil\n```\n| `x`\u202e"


def _diagnosis(facts: dict[str, Any], **more: Any) -> Diagnosis:
    return diagnose(msgspec.convert(facts, Snapshot), KNOWLEDGE, **more)


def _screen(diagnosis: Diagnosis, verbosity: int = 0) -> list[str]:
    stream = io.StringIO()
    console = Console(file=stream, width=80, color_system=None)
    DoctorText(console, verbosity=verbosity).show(diagnosis, checks=1, elapsed_ms=1)
    return stream.getvalue().splitlines()


@pytest.mark.parametrize("facts", [CLOSED, UNDECIDED], ids=["closed", "undecided"])
def test_quiet_is_a_line_per_finding_and_the_verdict(facts: dict[str, Any]) -> None:
    diagnosis = _diagnosis(facts)
    *findings, verdict = _screen(diagnosis, -1)
    assert [line.split(": ")[1] for line in findings] == [one.id for one in diagnosis.findings]
    kinds = [line.split(": ")[0] for line in findings]
    assert kinds == [words.kind_of(one) for one in diagnosis.findings]
    assert verdict == words.verdict(diagnosis)


def test_a_long_screen_ends_with_the_verdict_and_the_first_fix() -> None:
    lines = _screen(_diagnosis(CLOSED))
    assert len(lines) > 20
    assert (
        lines[-1] == f'✗ {words.verdict(_diagnosis(CLOSED))} Fix: sudo usermod -aG render "$USER"'
    )


def test_a_short_screen_says_it_once() -> None:
    device = {"name": "cpu", "type": "cpu"}
    answer = {
        "stage": "queries",
        "outcome": "ok",
        "platforms": [{"name": "P", "devices": [device]}],
    }
    icds = [{"path": "/etc/OpenCL/vendors/pocl.icd", "answer": answer}]
    healthy = {"gpus": [], "device_nodes": [], "loaders": [{"path": "/lib/libOpenCL.so.1"}]}
    lines = _screen(_diagnosis({**healthy, "icds": icds}))
    assert len(lines) <= 20
    assert lines[-1].startswith("0 problems, ")


def test_an_undecided_screen_says_what_was_read_and_ends_with_the_next_step() -> None:
    diagnosis = _diagnosis(UNDECIDED)
    lines = _screen(diagnosis)
    assert any(line.strip().startswith("Read: Intel HD Graphics 620") for line in lines)
    assert diagnosis.next_command is not None
    assert lines[-1].endswith(f"Next step: {diagnosis.next_command.command}")


def test_the_block_to_send_back_holds_each_command_once() -> None:
    diagnosis = _diagnosis(UNDECIDED)
    lines = _screen(diagnosis)
    start, end = (number for number, line in enumerate(lines) if line == "```")
    assert tuple(lines[start + 1 : end]) == diagnosis.ask
    markdown = diagnosis_as_markdown(diagnosis)
    assert "```sh\n" + "\n".join(diagnosis.ask) + "\n```" in markdown
    assert len(set(diagnosis.ask)) == len(diagnosis.ask) > 1


def test_markdown_begins_with_what_a_maintainer_asks_first() -> None:
    first = diagnosis_as_markdown(_diagnosis(CLOSED)).splitlines()[0]
    for part in (
        f"clprobe {__version__}", "Ubuntu 22.04.5 LTS", "Linux 6.8.0-51-generic", "8086:5916",
        "i915", "intel.icd", "a user in sudo", "no container", "You cannot open",
    ):  # fmt: skip
        assert part in first
    assert "karl" not in first


def test_what_is_not_known_is_said_in_the_first_line() -> None:
    first = diagnosis_as_markdown(_diagnosis({})).splitlines()[0]
    for part in ("distribution", "Linux", "GPUs", "drivers", "user", "container"):
        assert part in first
    assert first.count("not known") == 6


@pytest.mark.parametrize("verbosity", [-1, 0, 1])
def test_hostile_names_break_no_line_and_no_fence(verbosity: int) -> None:
    facts = {
        "gpus": [{"name": HOSTILE}],
        "packages": [{"name": HOSTILE, "version": HOSTILE}],
        "icds": [{"path": f"/{HOSTILE}.icd"}],
        "views": [{"viewer": HOSTILE, "answer": {"platforms": []}}],
        "system": {"distribution": {"name": HOSTILE}, "virtualization": {"container": HOSTILE}},
        "environment": {"OCL_ICD_VENDORS": HOSTILE},
    }
    diagnosis = _diagnosis(facts, log_of="gpu")
    texts = ["\n".join(_screen(diagnosis, verbosity)), diagnosis_as_markdown(diagnosis)]
    for text in texts:
        assert all(char.isprintable() or char == "\n" for char in text)
    assert diagnosis_as_markdown(diagnosis).count("\n```") in (0, 2)
