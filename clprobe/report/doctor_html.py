# SPDX-License-Identifier: MIT
"""A diagnosis as one page that needs nothing else: for a mail, a ticket, a phone, or paper."""

import json
from collections.abc import Sequence

from clprobe.model.comparison import Comparison
from clprobe.model.finding import Diagnosis, Finding, Remedy
from clprobe.report import doctor_words as words
from clprobe.report.html_page import items, page, source_list, table, text

_SIGNS = {"error": "✗", "warning": "!", "note": "·", "undetermined": "?"}
_OF_DRIVERS = ("driver", "what it is", "stage", "outcome", "detail")
_OF_DEVICES = ("index", "device", "type", "platform", "version", "generation")
_STYLE = """
body { max-width: 60rem } article h2 { margin-top: .3rem } pre { margin: .3rem 0 }
article { border-left: .3rem solid var(--line); padding: .1rem 0 .1rem 1rem; margin: 1.2rem 0 }
article.error { border-color: var(--error) } article.warning { border-color: var(--warning) }
article.note, article.undetermined { border-color: var(--note) }
.error .sign { color: var(--error) } .warning .sign { color: var(--warning) }
.note .sign, .undetermined .sign { color: var(--note) }
"""


def diagnosis_as_html(
    diagnosis: Diagnosis,
    *,
    checks: int,
    elapsed_ms: int,
    comparison: Comparison | None = None,
) -> str:
    """Return the page; every text from outside is escaped."""
    families = "".join(_family(head, rest) for head, rest in words.folded(diagnosis.findings))
    return page(
        f"clprobe doctor: {diagnosis.status}",
        _STYLE,
        f"<h1>{text(words.verdict(diagnosis))}</h1>\n{_next(diagnosis)}{families}{_since(comparison)}"
        + _section("Drivers", _OF_DRIVERS, words.driver_rows(diagnosis))
        + _section("Devices", _OF_DEVICES, words.device_rows(diagnosis))
        + f"<p>{text(words.summary(diagnosis, checks=checks, elapsed_ms=elapsed_ms))}</p>\n",
    )


def _next(diagnosis: Diagnosis) -> str:
    line = words.next_line(diagnosis)
    next_step = (
        f"<p>{words.next_label(diagnosis)}:</p>\n<pre>{text(line)}</pre>\n"
        if line is not None
        else ""
    )
    told = [words.read_line(diagnosis), words.ignored_line(diagnosis)]
    asked = "\n".join(words.asked_lines(diagnosis))
    block = f"<p>To decide it, run:</p>\n<pre>{text(asked)}</pre>\n" if asked else ""
    return next_step + "".join(f"<p>{text(one)}</p>\n" for one in told if one) + block


def _since(comparison: Comparison | None) -> str:
    if comparison is None:
        return ""
    lines = items(words.comparison_lines(comparison, whole=True))
    return f"<h2>{text(words.comparison_heading(comparison))}</h2>\n<ul>{lines}</ul>\n"


def _family(finding: Finding, consequences: list[Finding]) -> str:
    kind = words.kind_of(finding)
    because = f"<p>{text(finding.because)}</p>\n" if finding.because else ""
    hence = items(words.consequence_lines(consequences))
    causes = f"<p>Causes:</p><ul>{hence}</ul>\n" if hence else ""
    return (
        f'<article class="{kind}" id="{text(finding.id)}">\n'
        f'<h2><span class="sign">{_SIGNS[kind]}</span> {text(words.headline(finding))}</h2>\n'
        f"<p>{kind} · <code>{text(finding.id)}</code> · {text(finding.subject)}</p>\n"
        f"{because}{''.join(map(_remedy, finding.remedies))}{causes}{_evidence(finding)}"
        "</article>\n"
    )


def _remedy(remedy: Remedy) -> str:
    fix = f"<p>{'Then' if remedy.then else 'Fix'}: {text(remedy.title)}</p>\n"
    if remedy.argv is None:
        return fix
    undo = ""
    if isinstance(remedy.undo, tuple):
        undo = f"<p>Undo: <code>{text(words.command(remedy.undo, remedy))}</code></p>\n"
    return f"{fix}<pre>{text(words.command(remedy.argv, remedy))}</pre>\n{undo}"


def _evidence(finding: Finding) -> str:
    rows = [
        (one.fact, json.dumps(one.value, ensure_ascii=False), one.read_from)
        for one in finding.evidence
    ]
    facts = table("Evidence", ("fact", "value", "read from"), rows) if rows else ""
    told = facts + source_list(finding.sources)
    return f"<details><summary>Evidence and sources</summary>{told}</details>\n" if told else ""


def _section(title: str, headings: Sequence[str], rows: Sequence[Sequence[str | None]]) -> str:
    return f"<h2>{title}</h2>\n{table(title, headings, rows)}" if rows else ""
