# SPDX-License-Identifier: MIT
"""Pages of `clprobe explain`: a title, labelled facts, and the sources."""

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from clprobe.explain.lexicon import Entry, Explained
from clprobe.report.terminal import in_ascii, safe, speaks_utf8

_LABEL = 16
_MOST_PAGES = 5


def show_explained(console: Console, explained: Explained) -> None:
    """Print the page of everything that the name stands for; what is meant by it comes first."""
    plain = not speaks_utf8(console)
    if explained.taken_for is not None:
        taken = f"{explained.name} has no entry of that name; this is {explained.taken_for}."
        console.print(Text(_clean(taken, plain), style="warning"), soft_wrap=True)
        console.print()
    if len(explained.entries) > 1:
        console.print(Text(_clean(f"{explained.name} may be:", plain), style="label"))
        for entry in explained.entries:
            line = f"  {entry.kind}  {entry.title}"
            console.print(Text(_clean(line, plain)), soft_wrap=True)
        console.print()
    if len(explained.entries) > _MOST_PAGES:
        # Sixteen releases of Ubuntu are no answer: the reader picks one first.
        console.print(Text("Ask for one of them.", style="label"))
        return
    for number, entry in enumerate(explained.entries):
        if number:
            console.print()
        show_entry(console, entry)


def show_entry(console: Console, entry: Entry) -> None:
    """Print one page."""
    plain = not speaks_utf8(console)
    console.print(
        Text.assemble((f"{entry.kind}  ", "label"), (_clean(entry.title, plain), "heading"))
    )
    for name, text in entry.facts:
        label = name
        if len(label) >= _LABEL:  # "24.35.30872.22 drives" has a line of its own
            console.print(Text(f"  {_clean(label, plain)}", style="label"), soft_wrap=True)
            label = ""
        for number, line in enumerate(_wrapped(_clean(text, plain), console.width - _LABEL - 2)):
            lead = f"  {label if number == 0 else '':<{_LABEL}}"
            console.print(Text.assemble((lead, "label"), line), soft_wrap=True)
    for number, source in enumerate(entry.sources):
        lead = f"  {'sources' if number == 0 else '':<{_LABEL}}"
        console.print(
            Text.assemble((lead, "label"), _clean(f"{source.url} ({source.checked})", plain)),
            soft_wrap=True,
        )


def _clean(text: str, plain: bool) -> str:
    return in_ascii(safe(text)) if plain else safe(text)


def _wrapped(text: str, width: int) -> Iterator[str]:
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split(" "):
            if line and len(line) + 1 + len(word) > max(width, 20):
                yield line
                line = word
            else:
                line = f"{line} {word}" if line else word
        yield line
