# SPDX-License-Identifier: MIT
"""Pages of `clprobe explain`: a title, labelled facts, and the sources."""

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from clprobe.engine.lexicon import Entry
from clprobe.report.terminal import in_ascii, safe, speaks_utf8

_LABEL = 16


def show_entry(console: Console, entry: Entry) -> None:
    """Print one page."""
    plain = not speaks_utf8(console)
    console.print(
        Text.assemble((f"{entry.kind}  ", "label"), (_clean(entry.title, plain), "heading"))
    )
    for label, text in entry.facts:
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
