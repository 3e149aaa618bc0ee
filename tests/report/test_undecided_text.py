# SPDX-License-Identifier: MIT
"""An undecided diagnosis on the screen: the likeliest cause, and what to run to decide."""

import io
from typing import Any

import msgspec
import pytest
from rich.console import Console

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.snapshot import Snapshot
from clprobe.report.doctor_html import diagnosis_as_html
from clprobe.report.doctor_text import DoctorText
from clprobe.report.markdown import diagnosis_as_markdown

KNOWLEDGE = Knowledge.load()
FACTS: dict[str, Any] = {
    "icds": [{"path": "/etc/OpenCL/vendors/amdocl64.icd"}],
    "views": [{"viewer": "clinfo", "answer": {"platforms": []}}],
    "perspectives": [{"who": "root", "facts": {"views": [{"viewer": "clinfo", "answer": {
        "platforms": [{"name": "AMD", "devices": [{"name": "GPU", "type": "gpu"}]}]}}]}}],
}  # fmt: skip
DIAGNOSIS = diagnose(msgspec.convert(FACTS, Snapshot), KNOWLEDGE)
COMMAND = "ls -l /dev/dri /dev/kfd; id"


def _screen(verbosity: int, width: int = 80) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=width, color_system=None)
    DoctorText(console, verbosity=verbosity).show(DIAGNOSIS, checks=1, elapsed_ms=1)
    return stream.getvalue()


def test_the_command_that_decides_stands_under_the_verdict() -> None:
    verdict, _, rest = _screen(0).partition("\n  Next step: ")
    assert "not decided; most likely: The user is not in the group" in " ".join(verdict.split())
    assert rest.startswith(f"{COMMAND}\n")


@pytest.mark.parametrize("width", [40, 80, 200])
def test_suspects_are_one_line_each_in_the_order_of_likelihood(width: int) -> None:
    section = _screen(0, width).partition("Possible causes")[2].partition("\n\n")[0]
    suspects = [one.id for one in DIAGNOSIS.findings if one.verdict == "undetermined"]
    assert [line.split()[1].rstrip(":") for line in section.splitlines() if " ? " in line] == (
        suspects
    )
    assert "Why" not in section


def test_verbose_tells_the_reasons_of_suspects() -> None:
    screen = _screen(1)
    assert "Possible causes" not in screen
    assert "Perhaps: The user is not in the group" in screen


def test_markdown_and_html_name_the_command_too() -> None:
    assert f"Next step: `{COMMAND}`" in diagnosis_as_markdown(DIAGNOSIS)
    assert f"<pre>{COMMAND}</pre>" in diagnosis_as_html(DIAGNOSIS, checks=1, elapsed_ms=1)
