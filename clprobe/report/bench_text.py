# SPDX-License-Identifier: MIT
"""The bench report on a terminal, within 80 columns."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from clprobe.model.measurement import BenchReport, Decision
from clprobe.report.bench_rows import Row, Section, conditions, sections_of

_BAR_COLUMNS = 10
_STYLES: dict[Decision, str] = {
    "device": "fine",
    "cpu": "warning",
    "no-difference": "note",
    "refused": "error",
}


def bench_text(report: BenchReport, *, ascii_only: bool = False) -> RenderableType:
    """Return tables and verdicts; `ascii_only` for terminals that show nothing else."""
    if not report.verdicts:
        return Text("Nothing was measured.")
    parts: list[RenderableType] = []
    for section in sections_of(report):
        parts += _section(section, ascii_only=ascii_only)
    return Group(*parts, Text(conditions(report), style="label"))


def _section(section: Section, *, ascii_only: bool) -> Iterator[RenderableType]:
    yield Text(section.device, style="heading")
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="label")
    table.add_column("workload", no_wrap=True)
    for heading in ("device", "CPU", "ratio"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("even at |", no_wrap=True)
    for row in section.rows:
        style = _STYLES[row.verdict.decision]
        bar = "" if row.share is None else bar_of(row.share, ascii_only=ascii_only)
        table.add_row(row.workload, row.device, row.cpu, row.ratio, Text(bar, style=style))
    yield Padding(table, (1, 0, 1, 2))
    for lesson in section.training:
        yield Padding(Text(lesson), (0, 0, 0, 2))
    yield Text("")
    for row in section.rows:
        yield Padding(_sentence(row), (0, 0, 0, 2))
    yield Text("")


def _sentence(row: Row) -> Text:
    decision = row.verdict.decision
    return Text.assemble((decision, _STYLES[decision]), "  ", Text(row.verdict.text))


def bar_of(share: float, *, ascii_only: bool) -> str:
    """Return a bar that reaches past its middle mark where the device is faster."""
    filled = round(share * _BAR_COLUMNS)
    bar = ("#" if ascii_only else "█") * filled + " " * (_BAR_COLUMNS - filled)
    middle = _BAR_COLUMNS // 2
    return f"{bar[:middle]}|{bar[middle:]}".rstrip()
