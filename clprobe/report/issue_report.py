# SPDX-License-Identifier: MIT
"""What to paste into an issue: the diagnosis in words, and folded away the facts behind it."""

from collections.abc import Iterator

from clprobe.model.codec import snapshot_document
from clprobe.model.comparison import Comparison
from clprobe.model.finding import Diagnosis
from clprobe.model.snapshot import Snapshot
from clprobe.paste.embedded import HEADING
from clprobe.report.as_json import json_lines
from clprobe.report.markdown import diagnosis_as_markdown

MOST_CHARACTERS = 60_000
"""GitHub takes 65,536 in an issue, and the reporter has something to say, too."""


def issue_report(
    diagnosis: Diagnosis, snapshot: Snapshot, comparison: Comparison | None = None
) -> str:
    """Return the diagnosis as Markdown, with the facts that it follows from."""
    return diagnosis_as_markdown(diagnosis, comparison) + "\n".join(_facts(snapshot))


def _facts(snapshot: Snapshot) -> Iterator[str]:
    yield ""
    yield f"<details><summary>{HEADING}</summary>"
    yield ""
    yield "```json"
    yield json_lines(snapshot_document(snapshot)) + "```"
    yield ""
    yield "</details>"
    yield ""
