# SPDX-License-Identifier: MIT
"""The bench report, or the comparison of some, on a terminal: within 80 columns."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from clprobe.model.comparison import BenchComparison
from clprobe.model.measurement import BenchReport, Decision
from clprobe.report.bench import compare_words as words
from clprobe.report.bench.answer import facts_line, tiles_of
from clprobe.report.bench.conditions import notes, warnings_of
from clprobe.report.bench.rows import Section, method, sections_of
from clprobe.report.terminal import PIPE_WIDTH, in_ascii, mark, safe

_KINDS: dict[Decision, str] = {
    "device": "fine",
    "cpu": "warning",
    "no-difference": "note",
    "unclear": "undetermined",
    "refused": "error",
}
_INDENT = 2


def bench_text(report: BenchReport, *, plain: bool = False) -> RenderableType:
    """Return a table and conclusions per device; `plain` for terminals that show only ASCII."""
    warnings = [_item("warning", safe(warning), plain=plain) for warning in warnings_of(report)]
    if not report.verdicts:
        return Group(Text("Nothing was measured."), *warnings)
    parts: list[RenderableType] = []
    if report.headline:
        parts += _answer(report, plain=plain)
    for section in sections_of(report):
        parts += _section(section, plain=plain)
    parts += [_item("note", safe(one), plain=plain) for one in notes(report)]
    if len(warnings) + len(notes(report)):
        parts += [*warnings, Text("")]
    return Group(*parts, Text(method(report), style="label"))


def _answer(report: BenchReport, *, plain: bool) -> Iterator[RenderableType]:
    yield Text(_shown(safe(report.headline), plain=plain), style="heading")
    facts = facts_line(report)
    if facts:
        yield Text(_shown(facts, plain=plain), style="label")
    yield Text("")
    tiles = tiles_of(report)
    if tiles:
        grid = Table.grid(padding=(0, 2, 0, 0))
        for tile in tiles:
            figure = Text(_shown(tile.figure, plain=plain), style=_KINDS[tile.decision])
            grid.add_row(_shown(tile.name, plain=plain), figure, tile.said)
        yield Padding(grid, (0, 0, 1, _INDENT))


def _section(section: Section, *, plain: bool) -> Iterator[RenderableType]:
    yield Text(_shown(section.device, plain=plain), style="heading")
    table = _table(section, with_bars=_width(section) + _CELLS + 1 <= PIPE_WIDTH, plain=plain)
    yield Padding(table, (1, 0, 1, _INDENT))
    for decision, sentence in section.conclusions:
        yield _item(_KINDS[decision], sentence, plain=plain)
    for crossover in section.crossovers:
        yield _item("note", crossover, plain=plain)
    for lesson in section.training:
        yield _item("fine", lesson, plain=plain)
    for sentence in section.transfers:
        yield _item("note", sentence, plain=plain)
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
        style = _KINDS[row.decision]
        bar = [Text(ratio_bar(row.share, plain=plain), style=style)] if with_bars else []
        figures = (_shown(one, plain=plain) for one in (row.figure, row.cpu_figure, row.unit))
        effect = Text(_shown(row.effect, plain=plain), style=style)
        table.add_row(_shown(row.workload, plain=plain), *figures, *bar, effect)
    return table


def _width(section: Section) -> int:
    """Return how many columns the table takes without bars."""
    lines = [("workload", "device", section.reference, "unit", "verdict")]
    lines += [(r.workload, r.figure, r.cpu_figure, r.unit, r.effect) for r in section.rows]
    return _INDENT - 1 + sum(max(map(len, column)) + 1 for column in zip(*lines, strict=True))


def _item(kind: str, text: str, *, plain: bool, style: str | None = None) -> RenderableType:
    """Return a marked sentence whose lines stand under each other."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_row(
        Text(mark(kind, plain=plain), style=style or kind), Text(_shown(text, plain=plain))
    )
    return Padding(grid, (0, 0, 0, _INDENT))


def _shown(text: str, *, plain: bool) -> str:
    """Return text that is safe already as this terminal can show it."""
    if not plain:
        return text
    return in_ascii(text.replace("µs", "us").replace("×", "x").replace("°", " "))


_CELLS = 9
"""The middle one stands for equal speed."""
_HALF = _CELLS // 2


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


def bench_compare_text(comparison: BenchComparison, *, plain: bool = False) -> RenderableType:
    """Return what changed, per contestant; `plain` for terminals that show only ASCII."""
    parts: list[RenderableType] = [Text(_shown(run, plain=plain)) for run in words.runs(comparison)]
    parts.append(Text(""))
    parts += [_item("note", line, plain=plain) for line in words.host_changes(comparison)]
    parts += [_item("warning", safe(line), plain=plain) for line in comparison.warnings]
    if not comparison.differences:
        parts.append(Text("No run has a result."))
    for section in words.sections(comparison):
        parts += _compared(section, words.letters(comparison), plain=plain)
    return Group(*parts, Text(words.METHOD, style="label"))


def _compared(section: words.Section, heads: list[str], *, plain: bool) -> Iterator[RenderableType]:
    yield Text(f"\n{_shown(section.name, plain=plain)}", style="heading")
    # Of two runs that agree one sentence says enough; more runs are a table to look up.
    if section.changed or len(heads) > 2:
        for columns in _columns(section, heads):
            table = _comparing(section, heads, columns, plain=plain)
            yield Padding(table, (0, 0, 1, _INDENT))
    for kind, sentence in section.sentences:
        yield _item(kind, sentence, plain=plain, style=_style(kind))


def _columns(section: words.Section, heads: list[str]) -> Iterator[list[int]]:
    """Yield the runs that fit beside each other, by their place."""
    margins = [[row.workload, row.unit, row.change] for row in section.rows]
    fixed = sum(max(map(len, column)) + 1 for column in zip(*margins, strict=True))
    room = PIPE_WIDTH - _INDENT - fixed
    taken: list[int] = []
    left = room
    for place, head in enumerate(heads):
        width = max(len(head), *(len(row.figures[place]) for row in section.rows)) + 1
        if taken and width > left:
            yield taken
            taken, left = [], room
        taken.append(place)
        left -= width
    yield taken


def _comparing(
    section: words.Section, heads: list[str], columns: list[int], *, plain: bool
) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="label")
    table.add_column("workload", overflow="fold")
    for place in columns:
        table.add_column(heads[place], justify="right", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    table.add_column("change", no_wrap=True)
    for row in section.rows:
        figures = [_shown(row.figures[place], plain=plain) for place in columns]
        change = Text(_shown(row.change, plain=plain), style=_style(row.kind))
        unit = _shown(row.unit, plain=plain)
        table.add_row(_shown(row.workload, plain=plain), *figures, unit, change)
    return table


def _style(kind: str) -> str:
    return "note" if kind == "undetermined" else kind
