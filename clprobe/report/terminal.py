# SPDX-License-Identifier: MIT
"""The console, and what it can show."""

import sys

from rich.console import Console
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
_PLAIN_TEXT = str.maketrans({"→": "->", "…": "...", "·": "-"})


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
