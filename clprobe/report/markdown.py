# SPDX-License-Identifier: MIT
"""A diagnosis to paste into an issue: the result in sight, the details folded away."""

from collections.abc import Iterator

from clprobe.model.comparison import Comparison
from clprobe.model.finding import Diagnosis, Finding
from clprobe.report import doctor_words as words
from clprobe.report.log_text import log_as_markdown
from clprobe.report.markdown_text import code, one_line, plain, table
from clprobe.report.statement_words import HEADING, statement_lines
from clprobe.version import __version__

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
    yield _first_line(diagnosis)
    yield ""
    if diagnosis.root_cause is not None:
        yield f"Root cause: `{diagnosis.root_cause}`"
    line = words.next_line(diagnosis)
    if line is not None:
        yield f"{words.next_label(diagnosis)}: {code(line)}"
    if (outside := words.outside_line(diagnosis)) is not None:
        yield plain(outside)
    if (read := words.read_line(diagnosis)) is not None:
        yield plain(read)
    if (ignored := words.ignored_line(diagnosis)) is not None:
        yield plain(ignored)
    yield ""
    if diagnosis.log is not None:
        yield from log_as_markdown(diagnosis.log)
        yield ""
    for finding in diagnosis.findings:
        yield from _finding(finding)
    for report in diagnosis.reports:
        told = " ".join(line.rstrip(".") + "." for line in words.seen_lines(report)[:-1])
        yield f"- Seen before: {plain(told)} <{plain(report.url)}>"
    yield from _asked(words.asked_lines(diagnosis))
    yield ""
    yield "<details><summary>Drivers and devices</summary>"
    yield ""
    yield from table(_OF_DRIVERS, words.driver_rows(diagnosis))
    yield ""
    yield from table(_OF_DEVICES, words.device_rows(diagnosis))
    yield ""
    yield "</details>"
    yield from _statements(diagnosis)


def _statements(diagnosis: Diagnosis) -> Iterator[str]:
    """Yield what the report says, folded away."""
    if not diagnosis.statements:
        return
    yield ""
    yield f"<details><summary>{HEADING}</summary>"
    yield ""
    for line in statement_lines(diagnosis.statements):
        yield f"- {plain(line)}"
    yield ""
    yield "</details>"


def _first_line(diagnosis: Diagnosis) -> str:
    """Return what a maintainer asks for first: with what, on what, by whom, and the verdict."""
    host = diagnosis.host
    told = [f"**clprobe {__version__} doctor: {diagnosis.status}**"]
    if host is not None:
        container = host.container or "not known whether in a container"
        told += (
            plain(host.distribution or "distribution not known"),
            plain(f"Linux {host.linux or 'not known'}"),
            plain(_listed(host.gpus, "GPU")),
            plain(_listed(host.drivers, "driver")),
            plain(host.user or "user not known"),
            plain("no container" if container == "none" else container),
        )
    return " · ".join([*told, plain(words.verdict(diagnosis))])


def _listed(names: tuple[str, ...] | None, noun: str) -> str:
    if names is None:
        return f"{noun}s not known"
    return " + ".join(names) if names else f"no {noun}"


def _asked(lines: tuple[str, ...]) -> Iterator[str]:
    """Yield the commands to send back; none of them holds a fence."""
    if not lines:
        return
    yield ""
    yield "To decide it, please run this and post what it prints:"
    yield ""
    yield "```sh"
    yield from map(one_line, lines)
    yield "```"


def _finding(finding: Finding) -> Iterator[str]:
    indent = "  " if finding.caused_by is not None else ""
    kind = finding.severity if finding.verdict == "present" else finding.verdict
    yield f"{indent}- **{kind}** `{finding.id}`: {plain(words.headline(finding))}"
    if finding.caused_by is not None:
        return
    if finding.because:
        yield f"  {plain(finding.because)}"
    if finding.confirmed_by:
        yield f"  Confirmed by {plain(finding.confirmed_by)}"
    for remedy in finding.remedies:
        then = "then: " if remedy.then else ""
        if remedy.argv is None:
            yield f"  - {then}{plain(remedy.title)}"
        else:
            yield f"  - {then}{plain(remedy.title)}: {code(words.command(remedy.argv, remedy))}"
