# SPDX-License-Identifier: MIT
"""The bench report as Markdown, for issues and pull requests."""

from clprobe.model.measurement import BenchReport
from clprobe.report.bench_rows import RATIO_NOTE, Row, Section, conditions, sections_of
from clprobe.report.markdown_text import plain, row


def bench_markdown(report: BenchReport) -> str:
    """Return one table per device and the conditions below."""
    parts = ["# clprobe bench", *map(_section, sections_of(report))]
    parts.append(f"{conditions(report)} {RATIO_NOTE}")
    host = ", ".join(f"{key} {value}" for key, value in report.host.items() if value is not None)
    return "\n\n".join([*parts, f"Host: {plain(host)}"]) + "\n"


def _section(section: Section) -> str:
    table = [
        f"| workload | device | {plain(section.reference)} | ratio | 95 % interval | verdict |",
        "|---|---:|---:|---:|---:|---|",
        *map(_line, section.rows),
    ]
    sentences = [*(sentence for _, sentence in section.conclusions), *section.training]
    items = [f"- {plain(sentence)}" for sentence in sentences]
    return "\n".join([f"## {plain(section.device)}", "", *table, "", *items]).rstrip()


def _line(one: Row) -> str:
    cells = (one.workload, one.device, one.cpu, one.ratio, one.interval, one.effect)
    return row(map(plain, cells))
