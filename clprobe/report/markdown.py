# SPDX-License-Identifier: MIT
"""A diagnosis to paste into an issue: the result in sight, the details folded away."""

from collections.abc import Iterator

from clprobe.model.comparison import Comparison
from clprobe.model.finding import Diagnosis, Finding
from clprobe.model.shell_words import command_line
from clprobe.report.comparison_words import comparison_heading, comparison_lines
from clprobe.report.doctor_words import headline, next_line
from clprobe.report.markdown_text import code, plain, row


def diagnosis_as_markdown(diagnosis: Diagnosis, comparison: Comparison | None = None) -> str:
    """Return the diagnosis as GitHub Markdown; text from outside is escaped."""
    return "\n".join((*_lines(diagnosis), *_since(comparison))) + "\n"


def _since(comparison: Comparison | None) -> Iterator[str]:
    if comparison is None:
        return
    yield ""
    yield f"**{plain(comparison_heading(comparison))}**"
    yield ""
    for line in comparison_lines(comparison, whole=True):
        yield f"- {plain(line)}"


def _lines(diagnosis: Diagnosis) -> Iterator[str]:
    yield f"**clprobe doctor: {diagnosis.status}**"
    if diagnosis.root_cause is not None:
        yield f"Root cause: `{diagnosis.root_cause}`"
    line = next_line(diagnosis)
    if line is not None:
        yield f"Next step: {code(line)}"
    yield ""
    for finding in diagnosis.findings:
        yield from _finding(finding)
    yield ""
    yield "<details><summary>Drivers and devices</summary>"
    yield ""
    yield "| driver | implementation | stage | outcome | detail |"
    yield "|---|---|---|---|---|"
    for driver in diagnosis.drivers:
        cells = (driver.icd, driver.implementation, driver.stage, driver.outcome, driver.detail)
        yield row(map(plain, cells))
    yield ""
    yield "| | device | type | platform | version | generation |"
    yield "|---|---|---|---|---|---|"
    for device in diagnosis.devices:
        facts = (device.name, device.type, device.platform, device.driver_version)
        yield row(map(plain, (str(device.index), *facts, device.generation)))
    yield ""
    yield "</details>"


def _finding(finding: Finding) -> Iterator[str]:
    indent = "  " if finding.caused_by is not None else ""
    kind = finding.severity if finding.verdict == "present" else finding.verdict
    yield f"{indent}- **{kind}** `{finding.id}`: {plain(headline(finding))}"
    if finding.caused_by is not None:
        return
    if finding.because:
        yield f"  {plain(finding.because)}"
    for remedy in finding.remedies:
        then = "then: " if remedy.then else ""
        if remedy.argv is None:
            yield f"  - {then}{plain(remedy.title)}"
        else:
            root = "sudo " if remedy.needs_root else ""
            yield f"  - {then}{plain(remedy.title)}: {code(root + command_line(remedy.argv))}"
