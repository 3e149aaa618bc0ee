# SPDX-License-Identifier: MIT
"""A diagnosis to paste into an issue: the result in sight, the details folded away."""

from collections.abc import Iterator

from clprobe.model.comparison import Comparison
from clprobe.model.finding import Diagnosis, Finding
from clprobe.report import doctor_words as words
from clprobe.report.markdown_text import code, plain, table

_OF_DRIVERS = "| driver | implementation | stage | outcome | detail |"
_OF_DEVICES = "| | device | type | platform | version | generation |"


def diagnosis_as_markdown(diagnosis: Diagnosis, comparison: Comparison | None = None) -> str:
    """Return the diagnosis as GitHub Markdown; text from outside is escaped."""
    return "\n".join((*_lines(diagnosis), *_since(comparison))) + "\n"


def _since(comparison: Comparison | None) -> Iterator[str]:
    if comparison is None:
        return
    yield ""
    yield f"**{plain(words.comparison_heading(comparison))}**"
    yield ""
    for line in words.comparison_lines(comparison, whole=True):
        yield f"- {plain(line)}"


def _lines(diagnosis: Diagnosis) -> Iterator[str]:
    yield f"**clprobe doctor: {diagnosis.status}**"
    if diagnosis.root_cause is not None:
        yield f"Root cause: `{diagnosis.root_cause}`"
    line = words.next_line(diagnosis)
    if line is not None:
        yield f"Next step: {code(line)}"
    yield ""
    for finding in diagnosis.findings:
        yield from _finding(finding)
    yield ""
    yield "<details><summary>Drivers and devices</summary>"
    yield ""
    yield from table(_OF_DRIVERS, words.driver_rows(diagnosis))
    yield ""
    yield from table(_OF_DEVICES, words.device_rows(diagnosis))
    yield ""
    yield "</details>"


def _finding(finding: Finding) -> Iterator[str]:
    indent = "  " if finding.caused_by is not None else ""
    kind = finding.severity if finding.verdict == "present" else finding.verdict
    yield f"{indent}- **{kind}** `{finding.id}`: {plain(words.headline(finding))}"
    if finding.caused_by is not None:
        return
    if finding.because:
        yield f"  {plain(finding.because)}"
    for remedy in finding.remedies:
        then = "then: " if remedy.then else ""
        if remedy.argv is None:
            yield f"  - {then}{plain(remedy.title)}"
        else:
            yield f"  - {then}{plain(remedy.title)}: {code(words.command(remedy.argv, remedy))}"
