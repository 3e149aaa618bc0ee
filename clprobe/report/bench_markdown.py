# SPDX-License-Identifier: MIT
"""The bench report as Markdown, for issues and pull requests."""

from clprobe.model.measurement import BenchReport
from clprobe.report.bench_rows import RATIO_NOTE, Row, Section, conditions, sections_of


def bench_markdown(report: BenchReport) -> str:
    """Return one table per device and the conditions below."""
    parts = ["# clprobe bench", *map(_section, sections_of(report))]
    parts.append(f"{conditions(report)} {RATIO_NOTE}")
    host = ", ".join(f"{key} {value}" for key, value in report.host.items() if value is not None)
    return "\n\n".join([*parts, f"Host: {_cell(host)}"]) + "\n"


def _section(section: Section) -> str:
    table = [
        f"| workload | device | {_cell(section.reference)} | ratio | 95 % interval | verdict |",
        "|---|---:|---:|---:|---:|---|",
        *map(_line, section.rows),
    ]
    sentences = [*(sentence for _, sentence in section.conclusions), *section.training]
    items = [f"- {_cell(sentence)}" for sentence in sentences]
    return "\n".join([f"## {_cell(section.device)}", "", *table, "", *items]).rstrip()


def _line(row: Row) -> str:
    cells = (row.workload, row.device, row.cpu, row.ratio, row.interval, row.effect)
    return "| " + " | ".join(map(_cell, cells)) + " |"


def _cell(text: str) -> str:
    """Keep what a driver says from ending a cell, a line or the page's structure."""
    printable = "".join(character if character.isprintable() else " " for character in text)
    for special in "\\|<`*_[":
        printable = printable.replace(special, "\\" + special)
    return printable
