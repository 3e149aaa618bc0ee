# SPDX-License-Identifier: MIT
from typing import Any

import msgspec
import pytest

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.finding import Diagnosis
from clprobe.model.snapshot import Snapshot
from clprobe.report.doctor_text import DoctorText
from clprobe.report.markdown import diagnosis_as_markdown
from clprobe.report.terminal import make_console

KNOWLEDGE = Knowledge.load()
CLOSED_NODE = {
    "system": {"distribution": {"id": "debian", "version": "12"}},
    "user": {"uid": 1000, "name": "alice", "groups": [{"gid": 1000}]},
    "gpus": [{"pci_address": "0000:00:02.0", "pci_id": "8086:5916", "kernel_driver": "i915"}],
    "device_nodes": [
        {
            "path": "/dev/dri/renderD128",
            "kind": "render",
            "pci_address": "0000:00:02.0",
            "gid": 105,
            "group": "render",
            "mode": "0660",
            "open_error": "EACCES",
        }
    ],
    "icds": [
        {
            "path": "/etc/OpenCL/vendors/intel.icd",
            "library": {"path": "/usr/lib/libigdrcl.so", "format": "elf"},
            "answer": {
                "stage": "platforms",
                "outcome": "error",
                "error_code": -6,
                "platforms": [],
            },
        }
    ],
}
SCREEN = """\
✗ You cannot open /dev/dri/renderD128, which belongs to group render.

error  render-node-not-accessible
  You cannot open /dev/dri/renderD128, which belongs to group render
  Why      The OpenCL driver reaches the GPU through this file. Its mode 0660
           admits group render, and this user is not in that group, so only root
           sees the GPU.
  Fix      sudo usermod -aG render "$USER"
           Add yourself to the group render; takes effect after logging out and
           in again.
  Undo     sudo gpasswd -d "$USER" render
  Causes   /etc/OpenCL/vendors/intel.icd loads but shows no device
           (icd-shows-no-device)
  Causes   No OpenCL device stands for Intel HD Graphics 620 (8086:5916, at
           0000:00:02.0) (gpu-without-opencl-device)
  Causes   No OpenCL device can be used (no-opencl-device)
  Docs     clprobe explain render-node-not-accessible

Drivers
  · intel.icd  no device, which this driver says with error -6:
               /dev/dri/renderD128 may not be opened

1 problem, 0 warnings, 0 notes, 80 checks, 0.40 s
✗ You cannot open /dev/dri/renderD128, which belongs to group render. Fix: sudo usermod -aG render "$USER"
"""  # noqa: E501 - a screen whose last line is whole


def _diagnose(facts: dict[str, Any]) -> Diagnosis:
    return diagnose(msgspec.convert(facts, Snapshot), KNOWLEDGE)


def _screen(facts: dict[str, Any], capsys: pytest.CaptureFixture[str], verbosity: int = 0) -> str:
    text = DoctorText(make_console("never", 80), verbosity=verbosity)
    text.show(_diagnose(facts), checks=80, elapsed_ms=400)
    return capsys.readouterr().out


def test_the_screen_of_a_closed_node(capsys: pytest.CaptureFixture[str]) -> None:
    assert _screen(CLOSED_NODE, capsys) == SCREEN


def test_quiet_prints_only_the_findings(capsys: pytest.CaptureFixture[str]) -> None:
    screen = _screen(CLOSED_NODE, capsys, verbosity=-1)
    assert "render-node-not-accessible" in screen
    assert "Drivers" not in screen


def test_verbose_adds_evidence_with_its_origin(capsys: pytest.CaptureFixture[str]) -> None:
    screen = _screen(CLOSED_NODE, capsys, verbosity=1)
    assert "may_open = false" in screen
    assert "mode 0660 and group 105 of /dev/dri/renderD128" in " ".join(screen.split())


def test_text_from_drivers_is_escaped_on_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    device = {"name": "evil \x1b[2J\udcff [red]x", "type": "cpu"}
    answer = {"stage": "queries", "outcome": "ok", "platforms": [{"devices": [device]}]}
    icd = {"path": "/etc/OpenCL/vendors/\x1b]0;x.icd", "answer": answer}
    screen = _screen({"icds": [icd]}, capsys)
    assert "\x1b" not in screen
    assert "evil \\x1b[2J\\xff [red]x" in screen


def test_markdown_escapes_what_would_be_markup() -> None:
    device = {"name": "a|b <img src=x> `c`", "type": "cpu"}
    answer = {"stage": "queries", "outcome": "ok", "platforms": [{"devices": [device]}]}
    page = diagnosis_as_markdown(_diagnose({"icds": [{"path": "/a.icd", "answer": answer}]}))
    assert "a\\|b \\<img src=x\\> \\`c\\`" in page


def test_markdown_names_the_root_cause_and_the_command() -> None:
    page = diagnosis_as_markdown(_diagnose(CLOSED_NODE))
    assert "Root cause: `render-node-not-accessible`" in page
    assert '`sudo usermod -aG render "$USER"`' in page


def test_open_questions_with_one_reason_share_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    reason = {"unknown": "the child process could not be started: no memory"}
    names = ("stage", "outcome", "error_code", "signal", "exit_status", "message", "printed")
    answer = dict.fromkeys((*names, "platforms"), reason)
    icd = {"library": {"path": "/usr/lib/libigdrcl.so", "format": "elf"}, "answer": answer}
    icds = [{"path": f"/etc/OpenCL/vendors/{name}.icd", **icd} for name in "ab"]
    facts = {"icds": icds, "gpus": CLOSED_NODE["gpus"]}
    undetermined = [f for f in _diagnose(facts).findings if f.verdict == "undetermined"]
    assert len(undetermined) > 2
    assert " ".join(_screen(facts, capsys).split()).count("no memory") == 1
