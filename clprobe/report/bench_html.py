# SPDX-License-Identifier: MIT
"""The bench report as one page that needs nothing else."""

from html import escape

from clprobe.model.measurement import BenchReport
from clprobe.report.bench_rows import RATIO_NOTE, Row, Section, conditions, sections_of

_BAR_PIXELS = 160
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { padding: .3rem .6rem; border-bottom: 1px solid #8884; text-align: left }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
td:first-child, td:last-child { white-space: nowrap }
.device { fill: #2a7f3b } .cpu { fill: #c77700 } .no-difference { fill: #777 }
:root { color-scheme: light dark }
"""


def bench_html(report: BenchReport) -> str:
    """Return the page."""
    host = ", ".join(f"{key} {value}" for key, value in report.host.items() if value is not None)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8">'
        f"<title>clprobe bench</title><style>{_STYLE}</style></head>\n<body>\n"
        "<h1>clprobe bench</h1>\n"
        + "".join(map(_section, sections_of(report)))
        + f"<p>{escape(conditions(report))} {RATIO_NOTE} Bars are logarithmic: the "
        "line marks equal speed, the ends 16 times slower and faster.</p>\n"
        f"<p>Host: {escape(host)}</p>\n</body>\n</html>\n"
    )


def _section(section: Section) -> str:
    headings = ("device", section.reference, "ratio", "95 % interval")
    numbers = "".join(f'<th class="number">{escape(heading)}</th>' for heading in headings)
    head = f"<th>workload</th>{numbers}<th></th><th>verdict</th>"
    sentences = [*(sentence for _, sentence in section.conclusions), *section.training]
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return (
        f"<h2>{escape(section.device)}</h2>\n<table>\n<tr>{head}</tr>\n"
        + "".join(map(_line, section.rows))
        + f"</table>\n<ul>{items}</ul>\n"
    )


def _line(row: Row) -> str:
    numbers = "".join(
        f'<td class="number">{escape(text)}</td>'
        for text in (row.device, row.cpu, row.ratio, row.interval)
    )
    return (
        f"<tr><td>{escape(row.workload)}</td>{numbers}<td>{_bar(row)}</td>"
        f"<td>{escape(row.effect)}</td></tr>\n"
    )


def _bar(row: Row) -> str:
    if row.share is None:
        return ""
    width = row.share * _BAR_PIXELS
    middle = _BAR_PIXELS / 2
    return (
        f'<svg width="{_BAR_PIXELS}" height="14" role="img" aria-label="ratio {row.ratio}">'
        f'<rect class="{row.decision}" width="{width:.1f}" height="14"/>'
        f'<line x1="{middle}" x2="{middle}" y2="14" stroke="currentColor"/></svg>'
    )
