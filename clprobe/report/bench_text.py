# SPDX-License-Identifier: MIT
"""The bench report on a terminal, within 80 columns."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from clprobe.model.measurement import BenchReport, Decision
from clprobe.report.bench_rows import Section, conditions, sections_of
from clprobe.report.terminal import in_ascii, mark

_STYLES: dict[Decision, str] = {
    "device": "fine",
    "cpu": "warning",
    "no-difference": "note",
    "refused": "error",
}
_MARKS: dict[Decision, str] = {
    "device": "fine",
    "cpu": "warning",
    "no-difference": "note",
    "refused": "error",
}


def bench_text(report: BenchReport, *, plain: bool = False) -> RenderableType:
    """Return a table and conclusions per device; `plain` for terminals that show only ASCII."""
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
    for heading in ("device", section.reference):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for row in section.rows:
        figures = (_shown(figure, plain=plain) for figure in (row.device, row.cpu))
        effect = Text(_shown(row.effect, plain=plain), style=_STYLES[row.decision])
        table.add_row(row.workload, *figures, effect)
    yield Padding(table, (1, 0, 1, 2))
    for decision, sentence in section.conclusions:
        yield _item(_MARKS[decision], _STYLES[decision], sentence, plain=plain)
    for lesson in section.training:
        yield _item("fine", "fine", lesson, plain=plain)
    yield Text("")


def _item(kind: str, style: str, text: str, *, plain: bool) -> RenderableType:
    """Return a marked sentence whose lines stand under each other."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_row(Text(mark(kind, plain=plain), style=style), Text(_shown(text, plain=plain)))
    return Padding(grid, (0, 0, 0, 2))


def _shown(text: str, *, plain: bool) -> str:
    if not plain:
        return text
    return in_ascii(text.replace("µs", "us").replace("×", "x"))
