# SPDX-License-Identifier: MIT
"""The bench report on a terminal, within 80 columns."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from clprobe.model.measurement import BenchReport, Decision
from clprobe.report.bench.conditions import notes, warnings_of
from clprobe.report.bench.rows import Section, method, sections_of
from clprobe.report.terminal import PIPE_WIDTH, in_ascii, mark, safe

_STYLES: dict[Decision, str] = {
    "device": "fine",
    "cpu": "warning",
    "no-difference": "note",
    "unclear": "undetermined",
    "refused": "error",
}
_INDENT = 2


def bench_text(report: BenchReport, *, plain: bool = False) -> RenderableType:
    """Return a table and conclusions per device; `plain` for terminals that show only ASCII."""
    warnings = [
        item("warning", "warning", safe(warning), plain=plain) for warning in warnings_of(report)
    ]
    if not report.verdicts:
        return Group(Text("Nothing was measured."), *warnings)
    parts: list[RenderableType] = []
    for section in sections_of(report):
        parts += _section(section, plain=plain)
    parts += [item("note", "note", safe(one), plain=plain) for one in notes(report)]
    if len(warnings) + len(notes(report)):
        parts += [*warnings, Text("")]
    return Group(*parts, Text(method(report), style="label"))


def _section(section: Section, *, plain: bool) -> Iterator[RenderableType]:
    yield Text(shown(section.device, plain=plain), style="heading")
    table = _table(section, with_bars=_width(section) + CELLS + 1 <= PIPE_WIDTH, plain=plain)
    yield Padding(table, (1, 0, 1, _INDENT))
    for decision, sentence in section.conclusions:
        yield item(_STYLES[decision], _STYLES[decision], sentence, plain=plain)
    for crossover in section.crossovers:
        yield item("note", "note", crossover, plain=plain)
    for lesson in section.training:
        yield item("fine", "fine", lesson, plain=plain)
    yield Text("")


def _table(section: Section, *, with_bars: bool, plain: bool) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="label")
    table.add_column("workload", no_wrap=True)
    for heading in ("device", section.reference):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    if with_bars:
        table.add_column("slow|fast" if plain else "slow│fast", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for row in section.rows:
        style = _STYLES[row.decision]
        bar = [Text(ratio_bar(row.share, plain=plain), style=style)] if with_bars else []
        figures = (shown(one, plain=plain) for one in (row.figure, row.cpu_figure, row.unit))
        effect = Text(shown(row.effect, plain=plain), style=style)
        table.add_row(shown(row.workload, plain=plain), *figures, *bar, effect)
    return table


def _width(section: Section) -> int:
    """Return how many columns the table takes without bars."""
    columns = (
        ["workload", *(row.workload for row in section.rows)],
        ["device", *(row.figure for row in section.rows)],
        [section.reference, *(row.cpu_figure for row in section.rows)],
        ["unit", *(row.unit for row in section.rows)],
        ["verdict", *(row.effect for row in section.rows)],
    )
    return _INDENT - 1 + sum(max(map(len, column)) + 1 for column in columns)


def item(kind: str, style: str, text: str, *, plain: bool) -> RenderableType:
    """Return a marked sentence whose lines stand under each other."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_row(Text(mark(kind, plain=plain), style=style), Text(shown(text, plain=plain)))
    return Padding(grid, (0, 0, 0, _INDENT))


def shown(text: str, *, plain: bool) -> str:
    """Return text that is safe already as this terminal can show it."""
    if not plain:
        return text
    return in_ascii(text.replace("µs", "us").replace("×", "x").replace("°", " "))


CELLS = 9
"""The middle one stands for equal speed."""
_HALF = CELLS // 2


def ratio_bar(share: float | None, *, plain: bool) -> str:
    """Return a bar from the middle to the left (slower) or right (faster); "" without a ratio.

    `share` is the ratio on a scale from 0 over ½ (equal) to 1. `plain`: in ASCII.
    """
    if share is None:
        return ""
    full, half, turned, middle = ("#", "-", "-", "|") if plain else ("█", "▌", "▐", "│")
    halves = min(round(abs(share - 0.5) * 2 * _HALF * 2), _HALF * 2)
    blocks = full * (halves // 2)
    if share < 0.5:
        return ((turned if halves % 2 else "") + blocks).rjust(_HALF) + middle + " " * _HALF
    return " " * _HALF + middle + (blocks + (half if halves % 2 else "")).ljust(_HALF)
