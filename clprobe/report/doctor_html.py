# SPDX-License-Identifier: MIT
"""A diagnosis as one page that needs nothing else: for a mail, a ticket, a phone, or paper."""

import json
from collections.abc import Iterable, Iterator
from html import escape

from clprobe.model.comparison import Comparison
from clprobe.model.finding import Diagnosis, Finding, Remedy
from clprobe.report.comparison_words import comparison_heading, comparison_lines
from clprobe.report.doctor_words import (
    command,
    consequence_lines,
    folded,
    headline,
    next_line,
    summary,
    verdict,
)
from clprobe.report.terminal import safe

_SIGNS = {"error": "✗", "warning": "!", "note": "·", "undetermined": "?"}
_OF_DRIVERS = ("driver", "what it is", "stage", "outcome", "detail")
_OF_DEVICES = ("", "device", "type", "platform", "version", "generation")
_STYLE = """
:root { color-scheme: light dark; --line: #8886; --error: #b3261e; --warning: #8a5a00;
  --note: #1f6f8b; --fine: #2a7f3b }
@media (prefers-color-scheme: dark) { :root { --error: #ff8a80; --warning: #ffc266;
  --note: #7cc7e0; --fine: #7bd88f } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem } article h2 { margin-top: .3rem }
article { border-left: .3rem solid var(--line); padding: .1rem 0 .1rem 1rem; margin: 1.2rem 0 }
article.error { border-color: var(--error) } article.warning { border-color: var(--warning) }
article.note, article.undetermined { border-color: var(--note) }
.error .sign { color: var(--error) } .warning .sign { color: var(--warning) }
.note .sign, .undetermined .sign { color: var(--note) }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; overflow-wrap: anywhere }
pre { white-space: pre-wrap; border: 1px solid var(--line); padding: .4rem .6rem; margin: .3rem 0 }
.wide { overflow-x: auto } table { border-collapse: collapse; width: 100% }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top }
@media print { details { display: block } body { margin: 0; max-width: none } }
"""


def diagnosis_as_html(
    diagnosis: Diagnosis,
    *,
    checks: int,
    elapsed_ms: int,
    comparison: Comparison | None = None,
) -> str:
    """Return the page; every text from outside is escaped."""
    result = _text(verdict(diagnosis))
    families = "".join(_family(head, rest) for head, rest in folded(diagnosis.findings))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>clprobe doctor: {escape(diagnosis.status)}</title>\n"
        f"<style>{_STYLE}</style></head>\n<body>\n"
        f"<h1>{result}</h1>\n{_next(diagnosis)}{families}{_since(comparison)}"
        + _table("Drivers", _OF_DRIVERS, _drivers(diagnosis))
        + _table("Devices", _OF_DEVICES, _devices(diagnosis))
        + f"<p>{_text(summary(diagnosis, checks=checks, elapsed_ms=elapsed_ms))}</p>\n"
        "</body>\n</html>\n"
    )


def _next(diagnosis: Diagnosis) -> str:
    line = next_line(diagnosis)
    return f"<p>Next step:</p>\n<pre>{_text(line)}</pre>\n" if line is not None else ""


def _since(comparison: Comparison | None) -> str:
    if comparison is None:
        return ""
    lines = comparison_lines(comparison, whole=True)
    items = "".join(f"<li>{_text(line)}</li>" for line in lines)
    return f"<h2>{_text(comparison_heading(comparison))}</h2>\n<ul>{items}</ul>\n"


def _family(finding: Finding, consequences: list[Finding]) -> str:
    kind = finding.severity if finding.verdict == "present" else "undetermined"
    parts = [
        f'<article class="{kind}" id="{escape(finding.id)}">\n'
        f'<h2><span class="sign">{_SIGNS[kind]}</span> {_text(headline(finding))}</h2>\n'
        f"<p>{kind} · <code>{escape(finding.id)}</code> · {_text(finding.subject)}</p>\n"
    ]
    if finding.because:
        parts.append(f"<p>{_text(finding.because)}</p>\n")
    parts += [_remedy(remedy) for remedy in finding.remedies]
    hence = "".join(f"<li>{_text(line)}</li>" for line in consequence_lines(consequences))
    parts.append(f"<p>Causes:</p><ul>{hence}</ul>\n" if hence else "")
    parts.append(_evidence(finding))
    return "".join([*parts, "</article>\n"])


def _remedy(remedy: Remedy) -> str:
    label = "Then" if remedy.then else "Fix"
    if remedy.argv is None:
        return f"<p>{label}: {_text(remedy.title)}</p>\n"
    undo = ""
    if isinstance(remedy.undo, tuple):
        undo = f"<p>Undo: <code>{_text(command(remedy.undo, remedy))}</code></p>\n"
    line = _text(command(remedy.argv, remedy))
    return f"<p>{label}: {_text(remedy.title)}</p>\n<pre>{line}</pre>\n{undo}"


def _evidence(finding: Finding) -> str:
    rows = [
        (one.fact, json.dumps(one.value, ensure_ascii=False), one.read_from)
        for one in finding.evidence
    ]
    sources = "".join(
        f'<li><a href="{escape(one.url)}" rel="noreferrer">{_text(one.url)}</a> '
        f"({escape(one.checked)})</li>"
        if one.url.startswith("https://")
        else f"<li>{_text(one.url)} ({escape(one.checked)})</li>"
        for one in finding.sources
    )
    table = _rows(("fact", "value", "read from"), rows) if rows else ""
    listed = f"<ul>{sources}</ul>" if sources else ""
    if not table and not listed:
        return ""
    return f"<details><summary>Evidence and sources</summary>{table}{listed}</details>\n"


def _drivers(diagnosis: Diagnosis) -> Iterator[tuple[str | None, ...]]:
    for one in diagnosis.drivers:
        yield one.icd, one.implementation, one.stage, one.outcome, one.detail


def _devices(diagnosis: Diagnosis) -> Iterator[tuple[str | None, ...]]:
    for one in diagnosis.devices:
        yield str(one.index), one.name, one.type, one.platform, one.driver_version, one.generation


def _table(title: str, headings: tuple[str, ...], rows: Iterable[tuple[str | None, ...]]) -> str:
    listed = list(rows)
    return f"<h2>{title}</h2>\n{_rows(headings, listed)}" if listed else ""


def _rows(headings: tuple[str, ...], rows: Iterable[tuple[str | None, ...]]) -> str:
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    body = "".join(
        "<tr>" + "".join(f"<td>{_text(cell or '')}</td>" for cell in row) + "</tr>\n"
        for row in rows
    )
    return f'<div class="wide"><table>\n<tr>{head}</tr>\n{body}</table></div>\n'


def _text(text: str) -> str:
    return escape(safe(text))
