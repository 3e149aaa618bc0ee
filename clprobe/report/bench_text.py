# SPDX-License-Identifier: MIT
"""The bench report on a terminal, within 80 columns."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from clprobe.model.measurement import BenchReport, Decision
from clprobe.report.bench_rows import Row, Section, conditions, sections_of
from clprobe.report.terminal import in_ascii

_BAR_COLUMNS = 10
_STYLES: dict[Decision, str] = {
    "device": "fine",
    "cpu": "warning",
    "no-difference": "note",
    "refused": "error",
}


def bench_text(report: BenchReport, *, plain: bool = False) -> RenderableType:
    """Return tables and verdicts; `plain` for terminals that show only ASCII."""
    if not report.verdicts:
        return Text("Nothing was measured.")
    parts: list[RenderableType] = []
    for section in sections_of(report):
        parts += _section(section, plain=plain)
    return Group(*parts, Text(conditions(report), style="label"))


def _section(section: Section, *, plain: bool) -> Iterator[RenderableType]:
    yield Text(_shown(section.device, plain=plain), style="heading")
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="label")
    table.add_column("workload", no_wrap=True)
    for heading in ("device", "CPU", "ratio"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("even at |", no_wrap=True)
    for row in section.rows:
        bar = "" if row.share is None else bar_of(row.share, plain=plain)
        figures = (_shown(figure, plain=plain) for figure in (row.device, row.cpu, row.ratio))
        table.add_row(row.workload, *figures, Text(bar, style=_STYLES[row.decision]))
    yield Padding(table, (1, 0, 1, 2))
    for lesson in section.training:
        yield Padding(Text(_shown(lesson, plain=plain)), (0, 0, 0, 2))
    if section.training:
        yield Text("")
    for row in section.rows:
        yield Padding(_sentence(row, plain=plain), (0, 0, 0, 2))
    yield Text("")


def _sentence(row: Row, *, plain: bool) -> Text:
    said = _shown(row.sentence, plain=plain)
    return Text.assemble((row.decision, _STYLES[row.decision]), "  ", said)


def _shown(text: str, *, plain: bool) -> str:
    return in_ascii(text.replace("µs", "us")) if plain else text


def bar_of(share: float, *, plain: bool) -> str:
    """Return a bar that reaches past its middle mark where the device is faster."""
    filled = round(share * _BAR_COLUMNS)
    bar = ("#" if plain else "█") * filled + " " * (_BAR_COLUMNS - filled)
    middle = _BAR_COLUMNS // 2
    return f"{bar[:middle]}|{bar[middle:]}".rstrip()
