# SPDX-License-Identifier: MIT
"""The bench report as Markdown, for issues and pull requests."""

from clprobe.model.measurement import BenchReport
from clprobe.report.bench_rows import Row, Section, conditions, sections_of


def bench_markdown(report: BenchReport) -> str:
    """Return one table per device and the conditions below."""
    parts = ["# clprobe bench", *map(_section, sections_of(report)), conditions(report)]
    host = ", ".join(f"{key} {value}" for key, value in report.host.items() if value is not None)
    return "\n\n".join([*parts, f"Host: {_cell(host)}"]) + "\n"


def _section(section: Section) -> str:
    table = [
        "| workload | device | CPU | ratio | 95 % interval | verdict |",
        "|---|---:|---:|---:|---:|---|",
        *map(_line, section.rows),
    ]
    lessons = [f"- {_cell(lesson)}" for lesson in section.training]
    return "\n".join([f"## {_cell(section.device)}", "", *table, "", *lessons]).rstrip()


def _line(row: Row) -> str:
    cells = (row.workload, row.device, row.cpu, row.ratio, row.interval, row.sentence)
    return "| " + " | ".join(map(_cell, cells)) + " |"


def _cell(text: str) -> str:
    """Keep what a driver says from ending a cell, a line or the page's structure."""
    printable = "".join(character if character.isprintable() else " " for character in text)
    for special in "\\|<`*_[":
        printable = printable.replace(special, "\\" + special)
    return printable
