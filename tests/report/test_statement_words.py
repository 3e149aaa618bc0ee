# SPDX-License-Identifier: MIT
"""What a report says is shown by -v, in JSON and in Markdown, by its kind and its line."""

import json

import pytest

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.snapshot import Snapshot
from clprobe.model.statement import Statement
from clprobe.report.as_json import document
from clprobe.report.doctor_text import DoctorText
from clprobe.report.markdown import diagnosis_as_markdown
from clprobe.report.statement_words import statement_words
from clprobe.report.terminal import make_console

SAID = Statement(
    line=4, what="fails", subject="darktable", says="darktable crashes", under=("with Mesa 20.3",)
)
DIAGNOSIS = diagnose(Snapshot(statements=(SAID,), told=("x",)), Knowledge.load())


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (SAID, "fails: darktable crashes (with Mesa 20.3)"),
        (Statement(line=1, what="tried", says="Tried docker", outcome="in vain"), "tried in vain: Tried docker"),  # noqa: E501
        (Statement(line=1, what="tried", says="another cable", outcome="helped"), "tried, helped: another cable"),  # noqa: E501
        (Statement(line=1, what="version", subject="gcc", version="12.2"), "version: gcc 12.2"),
        (Statement(line=1, what="field", subject="OS", says="Fedora 39"), "field: OS: Fedora 39"),
        (Statement(line=1, what="did", says="I didn't update", negated=True), "did, denied: I didn't update"),  # noqa: E501
        (Statement(line=1, what="works", says="it works", where="host", when="before"), "works: it works (on the host; before)"),  # noqa: E501
        (Statement(line=1, what="works", says="it works", where="another machine", who="root"), "works: it works (as root; on another machine)"),  # noqa: E501
        (Statement(line=1, what="fails", subject="clinfo", says="but it doesn't"), "fails: clinfo: but it doesn't"),  # noqa: E501
    ],
)  # fmt: skip
def test_a_statement_is_told_in_a_line(statement: Statement, words: str) -> None:
    assert statement_words(statement) == words


@pytest.mark.parametrize(("verbosity", "is_shown"), [(-1, False), (0, False), (1, True)])
def test_statements_are_shown_where_all_is_asked_for(verbosity: int, *, is_shown: bool) -> None:
    console = make_console("never", width=100)
    with console.capture() as capture:
        DoctorText(console, verbosity=verbosity).show(DIAGNOSIS, checks=1, elapsed_ms=1)
    line = "line 4: fails: darktable crashes (with Mesa 20.3)"
    assert (f"What was read\n  {line}" in capture.get()) is is_shown


def test_json_and_markdown_hold_every_statement() -> None:
    told = json.loads(document("clprobe.doctor/1", DIAGNOSIS))["statements"]
    assert [(one["line"], one["what"], one["under"]) for one in told] == [
        (4, "fails", ["with Mesa 20.3"])
    ]
    assert "- line 4: fails: darktable crashes" in diagnosis_as_markdown(DIAGNOSIS)


def test_what_a_report_says_is_no_markup_of_ours() -> None:
    evil = Statement(line=1, what="is", says="</details> **x** `y` <b>")
    diagnosis = diagnose(Snapshot(statements=(evil,), told=("x",)), Knowledge.load())
    assert "<b>" not in diagnosis_as_markdown(diagnosis)
    assert diagnosis_as_markdown(diagnosis).count("</details>") == 2
