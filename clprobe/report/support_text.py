# SPDX-License-Identifier: MIT
"""The support matrix for people: a table of signs and the reasons below, or Markdown."""

import re
from collections.abc import Sequence
from textwrap import fill
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from clprobe.compat.support import Support
from clprobe.report.markdown_text import links, plain, row
from clprobe.report.terminal import Screen

_WORDS = {"supported": "yes", "unverified": "?", "not_supported": "no"}
_STYLES = {"supported": "fine", "unverified": "note", "not_supported": "label"}
_LEGEND = (
    "yes: the release drives these GPUs with it; yes*: once environment variables are set. "
    "CPU: it computes on the processor, not on the GPU. ?: nobody confirmed it. no: it does not."
)
_FEW = 40
"""So many reasons are still read; of more cells only the table is shown."""
_SOURCES = 4
_LINES = {"distribution": "release", "generation": "generation"}


class _Axes(NamedTuple):
    """Which attribute of a cell has a table of its own, which a line, which a column."""

    table: str
    line: str
    column: str


def show_support(console: Console, cells: Sequence[Support]) -> None:
    """Print tables that fit what was asked for: of all releases, of one, or of one driver."""
    screen, axes = Screen(console), _axes(cells)
    by = "by" if axes.table == "implementation" else "on"
    for key in _names(cells, axes.table):
        own = [cell for cell in cells if getattr(cell, axes.table) == key]
        screen.heading(f"OpenCL {by} {key}, on x86-64", first=True)
        _show_table(screen, own, axes)
        screen.blank()
    screen.line(fill(_LEGEND, console.width), "label")
    if len(cells) <= _FEW:
        for cell in cells:
            _show_reason(screen, cell)
    else:
        hint = "Reasons and sources: name a generation and a release, or --format json."
        screen.line(hint, "label")


def _axes(cells: Sequence[Support]) -> _Axes:
    several = len(_names(cells, "generation")) > 1
    if several and len(_names(cells, "implementation")) == 1:
        # A driver of processors does not care about the GPU beside it.
        column = "device" if cells[0].device == "cpu" else "generation"
        return _Axes("implementation", "distribution", column)
    if several and len(_names(cells, "distribution")) == 1:
        return _Axes("distribution", "generation", "implementation")
    return _Axes("generation", "distribution", "implementation")


def _show_table(screen: Screen, cells: Sequence[Support], axes: _Axes) -> None:
    """Print the table, and in a line below it the drivers or chips that are "no" throughout."""
    kept, dropped = list(cells), []
    for attribute in ("implementation", "generation"):
        if attribute != axes.table:
            kept, without = _split(kept, attribute)
            dropped += without
    rows, gap = _rows(screen, kept, axes, versions=True), 2
    if sum(_widths(rows, gap)) > screen.console.width:
        rows, gap = _rows(screen, kept, axes, versions=False), 1
    screen.put(_table(rows, _widths(rows, gap)))
    if dropped:
        screen.line(fill(f"no: {', '.join(dropped)}", screen.console.width), "label")


def _split(cells: list[Support], attribute: str) -> tuple[list[Support], list[str]]:
    """Return the cells without what is "no" throughout, unless all is, and the names of that."""
    useful = {getattr(cell, attribute) for cell in cells if cell.status != "not_supported"}
    if not useful:
        return cells, []
    # Drivers of GPUs come first: a processor's are found on every release.
    kept = sorted(cells, key=lambda cell: attribute == "implementation" and cell.device == "cpu")
    dropped = [name for name in _names(cells, attribute) if name not in useful]
    return [cell for cell in kept if getattr(cell, attribute) in useful], dropped


def _rows(
    screen: Screen, cells: Sequence[Support], axes: _Axes, *, versions: bool
) -> list[list[Text]]:
    """Return a row per line of the headers, and one per line of the table."""
    at = {(getattr(cell, axes.line), getattr(cell, axes.column)): cell for cell in cells}
    columns = _names(cells, axes.column)
    headers = [_in_two(name) for name in (_LINES[axes.line], *columns)]
    if not any("\n" in header for header in headers):
        rows = [[screen.styled(header, "label") for header in headers]]
    else:  # what has one line stands beside the second one
        parted = [header.rpartition("\n")[::2] for header in headers]
        rows = [
            [screen.styled(text, "label") for text in line] for line in zip(*parted, strict=True)
        ]
    for line in _names(cells, axes.line):
        signs = [_sign(screen, at[line, column], versions=versions) for column in columns]
        rows.append([screen.styled(line), *signs])
    return rows


def _widths(rows: list[list[Text]], gap: int) -> list[int]:
    """Return how wide each column is, with the `gap` behind all but the last."""
    widths = [max(cell.cell_len for cell in column) + gap for column in zip(*rows, strict=True)]
    return [*widths[:-1], widths[-1] - gap]


def _table(rows: list[list[Text]], widths: list[int]) -> Text:
    """Lay the rows out; rich's own tables take twenty times as long for a thousand cells."""
    laid_out = Text(no_wrap=True, overflow="ellipsis")
    for cells in rows:
        for cell, width in zip(cells, widths, strict=True):
            laid_out.append_text(cell).append(" " * (width - cell.cell_len))
        laid_out.append("\n")
    laid_out.right_crop()
    return laid_out


def _in_two(header: str) -> str:
    """Return a long header on two lines, so that its column is no wider than what it holds."""
    short = header.replace("compute-runtime-", "").replace("compute-", "compute-\n")
    return re.sub(r"^(Xe-|Gen\d+/)", r"\1\n", short)


def _names(cells: Sequence[Support], attribute: str) -> list[str]:
    return list(dict.fromkeys(getattr(cell, attribute) for cell in cells))


def _sign(screen: Screen, cell: Support, *, versions: bool) -> Text:
    word = _WORDS[cell.status]
    if cell.device == "cpu" and cell.status == "supported":
        word = "CPU"
    if cell.environment and cell.status == "supported":
        word += "*"
    if versions and cell.status != "not_supported":
        word = f"{word} {short_version(cell.version)}".strip()
    return screen.styled(word, _STYLES[cell.status])


def short_version(version: str | None) -> str:
    """Return the first two numbers of a version, without epoch and package revision."""
    bare = (version or "").rpartition(":")[2].partition("-")[0].partition("+")[0]
    return ".".join(bare.split(".")[:2])


def _show_reason(screen: Screen, cell: Support) -> None:
    title = f"{cell.implementation} on {cell.distribution}, {cell.generation}: "
    screen.blank()
    screen.line(title + cell.status.replace("_", " "), _STYLES[cell.status])
    lines = [cell.reason, *cell.notes]
    lines += [f"From {cell.origin}."] if cell.origin else []
    lines += [f"To settle it: {cell.next_step}"] if cell.next_step else []
    for line in lines:
        screen.line(fill(line, screen.console.width, initial_indent="  ", subsequent_indent="  "))
    for source in cell.sources[:_SOURCES]:
        screen.unbroken((f"  see {source.url} ({source.checked})", "label"))
    more = len(cell.sources) - _SOURCES
    if more > 0:
        screen.line(f"  see {more} more with --format json", "label")


def support_as_markdown(cells: Sequence[Support]) -> str:
    """Return one table with a line per cell."""
    columns = ("generation", "release", "implementation", "status", "version", "reason", "sources")
    lines = [row(columns), "|" + "---|" * len(columns)]
    for cell in cells:
        told = " ".join((cell.reason, *cell.notes, cell.next_step or "")).strip()
        fields = (cell.generation, cell.distribution, cell.implementation)
        more = (cell.status.replace("_", " "), cell.version or "", told)
        lines.append(row((*map(plain, (*fields, *more)), links(cell.sources))))
    return "\n".join(lines) + "\n"
