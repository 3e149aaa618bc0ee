# SPDX-License-Identifier: MIT
"""The comparison of bench runs on a terminal."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from clprobe.model.comparison import BenchComparison, Effect
from clprobe.report.bench.compare_words import (
    KINDS,
    METHOD,
    Section,
    host_changes,
    letters,
    runs,
    sections,
)
from clprobe.report.bench.text import item, shown
from clprobe.report.terminal import PIPE_WIDTH, safe

_INDENT = 2


def bench_compare_text(comparison: BenchComparison, *, plain: bool = False) -> RenderableType:
    """Return what changed, per contestant; `plain` for terminals that show only ASCII."""
    parts: list[RenderableType] = [Text(shown(run, plain=plain)) for run in runs(comparison)]
    parts.append(Text(""))
    parts += [item("note", "note", line, plain=plain) for line in host_changes(comparison)]
    parts += [item("warning", "warning", safe(line), plain=plain) for line in comparison.warnings]
    if not comparison.differences:
        parts.append(Text("No run has a result."))
    for section in sections(comparison):
        parts += _section(section, letters(comparison), plain=plain)
    return Group(*parts, Text(METHOD, style="label"))


def _section(section: Section, heads: list[str], *, plain: bool) -> Iterator[RenderableType]:
    yield Text(f"\n{shown(section.name, plain=plain)}", style="heading")
    # Of two runs that agree one sentence says enough; more runs are a table to look up.
    if section.changed or len(heads) > 2:
        for columns in _columns(section, heads):
            table = _table(section, heads, columns, plain=plain)
            yield Padding(table, (0, 0, 1, _INDENT))
    for effect, sentence in section.sentences:
        kind = KINDS[effect]
        yield item(kind, _style(effect), sentence, plain=plain)


def _columns(section: Section, heads: list[str]) -> Iterator[list[int]]:
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


def _table(section: Section, heads: list[str], columns: list[int], *, plain: bool) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="label")
    table.add_column("workload", overflow="fold")
    for place in columns:
        table.add_column(heads[place], justify="right", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    table.add_column("change", no_wrap=True)
    for row in section.rows:
        figures = [shown(row.figures[place], plain=plain) for place in columns]
        change = Text(shown(row.change, plain=plain), style=_style(row.effect))
        unit = shown(row.unit, plain=plain)
        table.add_row(shown(row.workload, plain=plain), *figures, unit, change)
    return table


def _style(effect: Effect) -> str:
    return "note" if KINDS[effect] == "undetermined" else KINDS[effect]
