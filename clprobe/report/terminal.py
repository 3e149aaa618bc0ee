# SPDX-License-Identifier: MIT
"""The console, what it can show, and the parts of which reports on it consist."""

import re
import sys
from collections.abc import Iterator

from rich.console import Console, RenderableType
from rich.text import Text
from rich.theme import Theme

from clprobe.report.escaping import safe as safe  # noqa: PLC0414 - texts that it prints

PIPE_WIDTH = 80
_THEME = Theme(
    {
        "error": "bold red",
        "warning": "bold yellow",
        "note": "cyan",
        "fine": "green",
        "label": "dim",
        "command": "bold",
        "heading": "bold",
    },
    inherit=False,
)
_MARKS = {"error": "✗", "warning": "!", "note": "·", "fine": "✓", "undetermined": "?"}
_PLAIN_MARKS = {"error": "x", "warning": "!", "note": "-", "fine": "+", "undetermined": "?"}
OUTCOMES = {
    "ok": "fine",
    "no-devices": "note",
    "error": "error",
    "crash": "error",
    "hang": "error",
}
"""The sign of how far a driver came; any other end is undetermined."""
_PLAIN_TEXT = str.maketrans({"→": "->", "…": "...", "·": "-"})
# Up to the next blank, or the end. What a shell's quotes hold together is one word; an apostrophe
# behind a letter opens none.
_WORD = re.compile(r"((?:\"'\"|(?<![^\W_])'[^'\n]*'(?=\W|$)|[^ ])*)(?: |$)")
INDENT = 2
LABEL = 9


def make_console(color: str, width: int | None = None) -> Console:
    """Return the console for stdout; `color` is auto, always or never.

    auto means: on a terminal, unless NO_COLOR is set, and in a pipe if FORCE_COLOR is.
    """
    by_environment = Console()  # rich knows NO_COLOR, FORCE_COLOR and TERM=dumb
    is_off = color == "never" or (color == "auto" and by_environment.no_color)
    is_on = not is_off and (color == "always" or by_environment.is_terminal)
    is_terminal = sys.stdout.isatty()
    return Console(
        theme=_THEME,
        width=width if width is not None or is_terminal else PIPE_WIDTH,
        force_terminal=is_on or is_terminal,
        no_color=is_off,
        color_system="auto" if is_on else None,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=False,
    )


def speaks_utf8(console: Console) -> bool:
    """Whether signs beyond ASCII come out right."""
    return console.encoding.lower().replace("-", "") == "utf8" and not console.is_dumb_terminal


def mark(kind: str, *, plain: bool) -> str:
    """Return the sign of a severity or outcome; colour is never the only one."""
    return (_PLAIN_MARKS if plain else _MARKS)[kind]


def in_ascii(text: str) -> str:
    """Return the text for terminals that know only ASCII."""
    return text.translate(_PLAIN_TEXT).encode("ascii", "replace").decode("ascii")


class Screen:
    """Prints the parts of which reports consist to one console: wrapped, labelled and made safe."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.lines = 0
        """How many were printed."""
        self._plain = not speaks_utf8(console)

    def put(self, *parts: RenderableType, soft_wrap: bool = False) -> None:
        """Print what is styled already."""
        self.lines += 1
        self.console.print(*parts, soft_wrap=soft_wrap)

    def styled(self, text: str, style: str = "") -> Text:
        """Return text from outside as it may be printed."""
        return Text(self.clean(text), style)

    def unbroken(self, *parts: str | tuple[str, str]) -> None:
        """Print a line whole, so that it can be copied; a part is a text, or one with a style."""
        pairs = ((part, "") if isinstance(part, str) else part for part in parts)
        self.put(Text.assemble(*(self.styled(*pair) for pair in pairs)), soft_wrap=True)

    def mark(self, kind: str) -> str:
        """Return the sign of `kind`: fine, error, warning, note or undetermined."""
        return mark(kind, plain=self._plain)

    def heading(self, text: str, *, first: bool = False) -> None:
        """Print a heading after an empty line, which the first of a report lacks."""
        if not first:
            self.blank()
        self.put(self.styled(text, "heading"))

    def blank(self) -> None:
        """Print an empty line."""
        self.put()

    def line(self, text: str, style: str = "") -> None:
        """Print a text as it is."""
        self.put(self.styled(text, style))

    def marked(
        self, kind: str, text: str, *, indent: int = 0, hang: int = 0, style: str | None = None
    ) -> None:
        """Print behind the sign of `kind`."""
        chosen = style or (kind if kind != "undetermined" else "note")
        lead = Text(" " * indent + self.mark(kind) + " ", chosen)
        self.wrapped(text, indent + 2, hang=hang, lead=lead)

    def labelled(self, label: str, text: str) -> None:
        """Print behind a label; nothing where there is no text."""
        if text:
            lead = Text(" " * INDENT + label.ljust(LABEL), "label")
            self.wrapped(text, INDENT + LABEL, lead=lead)

    def wrapped(self, text: str, indent: int, *, hang: int = 0, lead: Text | None = None) -> None:
        """Print with a hanging indent."""
        width = max(self.console.width - indent - hang, 20)
        for number, line in enumerate(_lines(self.clean(text), width, width + hang)):
            blank = Text(" " * (indent if number == 0 else indent + hang))
            start = lead if number == 0 and lead is not None else blank
            self.put(Text.assemble(start, line), soft_wrap=True)

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
