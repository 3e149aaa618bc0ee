# SPDX-License-Identifier: MIT
"""The support matrix for people: a table of signs and the reasons below, or Markdown."""

from collections.abc import Sequence
from textwrap import fill

from rich.console import Console
from rich.table import Table
from rich.text import Text

from clprobe.engine.support import Support
from clprobe.report.markdown_text import links, plain, row
from clprobe.report.terminal import in_ascii, safe, speaks_utf8

_WORDS = {"supported": "yes", "unverified": "?", "not_supported": "no"}
_STYLES = {"supported": "fine", "unverified": "note", "not_supported": "label"}
_LEGEND = (
    "yes: the release drives these GPUs with it; yes*: once environment variables are set. "
    "CPU: it computes on the processor, not on the GPU. ?: nobody confirmed it. no: it does not."
)
_FEW = 40
"""So many reasons are still read; of more cells only the table is shown."""
_SOURCES = 4


def show_support(console: Console, cells: Sequence[Support]) -> None:
    """Print one table per generation: a line per release, a column per implementation."""
    for generation in dict.fromkeys(cell.generation for cell in cells):
        own = [cell for cell in cells if cell.generation == generation]
        console.print(_text(console, f"OpenCL on {generation}, on x86-64", "heading"))
        _show_table(console, own)
        console.print()
    console.print(_text(console, fill(_LEGEND, console.width), "label"))
    if len(cells) <= _FEW:
        for cell in cells:
            _show_reason(console, cell)
    else:
        hint = "Reasons and sources: name a generation and a release, or --format json."
        console.print(_text(console, hint, "label"))


def _show_table(console: Console, cells: Sequence[Support]) -> None:
    """Print the table, and in a line below it what is "no" on every release shown."""
    keys = list(dict.fromkeys(cell.implementation for cell in cells))
    lines = {release: _line(cells, release) for release in _releases(cells)}
    useful = [k for k in keys if any(line[k].status != "not_supported" for line in lines.values())]
    columns = sorted(useful or keys, key=lambda key: (_on_cpu(cells, key), keys.index(key)))
    table = _table(console, lines, columns, versions=True)
    if table.__rich_measure__(console, console.options).minimum > console.width:
        table = _table(console, lines, columns, versions=False)
    console.print(table)
    rest = [key for key in keys if key not in columns]
    if rest:
        console.print(_text(console, fill(f"no: {', '.join(rest)}", console.width), "label"))


def _table(
    console: Console, lines: dict[str, dict[str, Support]], columns: list[str], *, versions: bool
) -> Table:
    table = Table(box=None, pad_edge=False, header_style="label", collapse_padding=not versions)
    for name in ("release", *columns):
        header = name.replace("compute-runtime-", "").replace("compute-", "compute-\n")
        table.add_column(header, no_wrap=True)
    for release, line in lines.items():
        signs = [_sign(console, line[key], versions=versions) for key in columns]
        table.add_row(_text(console, release), *signs)
    return table


def _releases(cells: Sequence[Support]) -> list[str]:
    return list(dict.fromkeys(cell.distribution for cell in cells))


def _line(cells: Sequence[Support], release: str) -> dict[str, Support]:
    return {cell.implementation: cell for cell in cells if cell.distribution == release}


def _on_cpu(cells: Sequence[Support], key: str) -> bool:
    return any(cell.device == "cpu" for cell in cells if cell.implementation == key)


def _sign(console: Console, cell: Support, *, versions: bool) -> Text:
    word = _WORDS[cell.status]
    if cell.device == "cpu" and cell.status == "supported":
        word = "CPU"
    if cell.environment and cell.status == "supported":
        word += "*"
    if versions and cell.status != "not_supported":
        word = f"{word} {short_version(cell.version)}".strip()
    return _text(console, word, _STYLES[cell.status])


def short_version(version: str | None) -> str:
    """Return the first two numbers of a version, without epoch and package revision."""
    bare = (version or "").rpartition(":")[2].partition("-")[0].partition("+")[0]
    return ".".join(bare.split(".")[:2])


def _show_reason(console: Console, cell: Support) -> None:
    title = f"{cell.implementation} on {cell.distribution}, {cell.generation}: "
    console.print()
    console.print(_text(console, title + cell.status.replace("_", " "), _STYLES[cell.status]))
    lines = [cell.reason, *cell.notes]
    lines += [f"From {cell.origin}."] if cell.origin else []
    lines += [f"To settle it: {cell.next_step}"] if cell.next_step else []
    for line in lines:
        wrapped = fill(line, console.width, initial_indent="  ", subsequent_indent="  ")
        console.print(_text(console, wrapped))
    for source in cell.sources[:_SOURCES]:
        see = f"  see {source.url} ({source.checked})"
        console.print(_text(console, see, "label"), soft_wrap=True)
    more = len(cell.sources) - _SOURCES
    if more > 0:
        console.print(_text(console, f"  see {more} more with --format json", "label"))


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
