# SPDX-License-Identifier: MIT
"""A console on which texts are wrapped, indented, labelled and made safe."""

import re
from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from clprobe.report.terminal import in_ascii, mark, safe, speaks_utf8

# Up to the next blank, or the end. What a shell's quotes hold together is one word; an apostrophe
# behind a letter opens none.
_WORD = re.compile(r"((?:\"'\"|(?<![^\W_])'[^'\n]*'(?=\W|$)|[^ ])*)(?: |$)")
INDENT = 2
LABEL = 9


class Screen:
    """Prints the parts of which reports consist to one console."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._plain = not speaks_utf8(console)

    def text(self, text: Text, *, soft_wrap: bool = False) -> None:
        """Print what is styled already."""
        self._console.print(text, soft_wrap=soft_wrap)

    def heading(self, text: str) -> None:
        """Print a heading after an empty line."""
        self.blank()
        self._console.print(Text(text, "heading"))

    def blank(self) -> None:
        """Print an empty line."""
        self._console.print()

    def line(self, text: str) -> None:
        """Print one line as it is."""
        self._console.print(Text(self.clean(text)))

    def marked(
        self, kind: str, text: str, *, indent: int = 0, hang: int = 0, style: str | None = None
    ) -> None:
        """Print behind the sign of `kind`: fine, error, warning, note or undetermined."""
        sign = mark(kind, plain=self._plain)
        chosen = style or (kind if kind != "undetermined" else "note")
        self.wrapped(text, indent + 2, hang=hang, lead=Text(" " * indent + sign + " ", chosen))

    def labelled(self, label: str, text: str) -> None:
        """Print behind a label; nothing where there is no text."""
        if text:
            lead = Text(" " * INDENT + label.ljust(LABEL), "label")
            self.wrapped(text, INDENT + LABEL, lead=lead)

    def wrapped(self, text: str, indent: int, *, hang: int = 0, lead: Text | None = None) -> None:
        """Print with a hanging indent."""
        width = max(self._console.width - indent - hang, 20)
        for number, line in enumerate(_lines(self.clean(text), width, width + hang)):
            blank = Text(" " * (indent if number == 0 else indent + hang))
            start = lead if number == 0 and lead is not None else blank
            self._console.print(Text.assemble(start, line), soft_wrap=True)

    def clean(self, text: str) -> str:
        """Return text that steers no terminal and that this one can show."""
        return in_ascii(safe(text)) if self._plain else safe(text)


def _lines(text: str, width: int, first_width: int) -> Iterator[str]:
    """Break at blanks; a word longer than the line stays whole, as paths and quoted words must."""
    for paragraph in text.split("\n"):
        line, room = "", first_width
        for word in _WORD.findall(paragraph)[:-1]:
            if line and len(line) + 1 + len(word) > room:
                yield line
                line, room = word, width
            else:
                line = f"{line} {word}" if line else word
        yield line
