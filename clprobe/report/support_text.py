# SPDX-License-Identifier: MIT
"""The support matrix for people: a table of signs and the reasons below, or Markdown."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from clprobe.engine.support import Support
from clprobe.report.markdown_text import links, plain, row
from clprobe.report.terminal import in_ascii, safe, speaks_utf8

_WORDS = {"supported": "yes", "unverified": "?", "not_supported": "no"}
_STYLES = {"supported": "fine", "unverified": "note", "not_supported": "label"}
_FEW = 40
"""So many reasons are still read; of more cells only the table is shown."""


def show_support(console: Console, cells: Sequence[Support]) -> None:
    """Print one table per generation: a line per release, a column per implementation."""
    for generation in dict.fromkeys(cell.generation for cell in cells):
        own = [cell for cell in cells if cell.generation == generation]
        console.print(_text(console, f"OpenCL on {generation}", "heading"))
        console.print(_table(console, own))
    if len(cells) <= _FEW:
        for cell in cells:
            _show_reason(console, cell)
    else:
        console.print(
            _text(console, "Reasons and sources: name fewer, or --format json.", "label"),
            soft_wrap=True,
        )


def _table(console: Console, cells: Sequence[Support]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="label")
    columns = list(dict.fromkeys(cell.implementation for cell in cells))
    for name in ("release", *columns):
        table.add_column(name.replace("compute-runtime-", ""), overflow="fold")
    for release in dict.fromkeys(cell.distribution for cell in cells):
        line = {cell.implementation: cell for cell in cells if cell.distribution == release}
        table.add_row(_text(console, release), *(_cell(console, line[key]) for key in columns))
    return table


def _cell(console: Console, cell: Support) -> Text:
    version = ".".join((cell.version or "").split(".")[:2])
    said = f"{_WORDS[cell.status]} {version}" if cell.status != "not_supported" else "no"
    return _text(console, said.strip(), _STYLES[cell.status])


def _show_reason(console: Console, cell: Support) -> None:
    title = f"{cell.implementation} on {cell.distribution}, {cell.generation}: "
    console.print()
    console.print(_text(console, title + cell.status.replace("_", " "), _STYLES[cell.status]))
    lines = [cell.reason, *cell.notes]
    lines += [f"From {cell.origin}."] if cell.origin else []
    lines += [f"To settle it: {cell.next_step}"] if cell.next_step else []
    for line in lines:
        console.print(_text(console, f"  {line}"))
    for source in cell.sources:
        see = f"  see {source.url} ({source.checked})"
        console.print(_text(console, see, "label"), soft_wrap=True)


def _text(console: Console, text: str, style: str = "") -> Text:
    clean = safe(text)
    return Text(clean if speaks_utf8(console) else in_ascii(clean), style=style)


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
