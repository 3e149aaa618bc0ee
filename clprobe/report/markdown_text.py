# SPDX-License-Identifier: MIT
"""Text in Markdown: what comes from a host or a table ends no cell and makes no markup."""

import re
from collections.abc import Iterable

from clprobe.model.finding import Source
from clprobe.report.escaping import safe

# An underscore inside a word is no markup, and names are full of them.
_MARKUP = re.compile(r"[\\`*\[\]<>|~]|(?<!\w)_|_(?!\w)|^#")


def plain(text: str | None) -> str:
    """Return text on one line in which nothing is markup."""
    return _MARKUP.sub(r"\\\g<0>", one_line(text or ""))


def code(text: str) -> str:
    """Return text as code, on one line, character by character: it may be a command."""
    shown = safe(text).replace("\n", " ")
    longest = max(map(len, re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    room = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{room}{shown}{room}{fence}"


def one_line(text: str) -> str:
    """Return text on one line, as it may stand inside a code block."""
    return " ".join(safe(text).split())


def row(cells: Iterable[str]) -> str:
    """Return a line of a table; the cells are Markdown already."""
    return "| " + " | ".join(cells) + " |"


def table(head: str, rows: Iterable[Iterable[str | None]]) -> list[str]:
    """Return the lines of a table below its head; the cells are texts from outside."""
    return [head, "|---" * (head.count("|") - 1) + "|", *(row(map(plain, one)) for one in rows)]


def links(sources: Iterable[Source]) -> str:
    """Return the sources with the day each was checked."""
    return ", ".join(f"<{source.url}> ({source.checked})" for source in sources)
