# SPDX-License-Identifier: MIT
"""What headings make of the lines below them: a list of what was tried, what is expected."""

from collections.abc import Sequence

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.paste.prose.clauses import Line

_FORMS = Forms("statements")
_CLAUSES = Forms("clauses")
_TITLES = Forms("headings")
_MOST_WORDS = 8
_LONGEST_KEY = 30


class Announced(msgspec.Struct, frozen=True):
    """What the heading above a line announces: a kind of statement, "" for none of its own.

    `title` is the heading; `opens` says that the line is that heading itself, `own` that the line
    begins with it, as in "Expected: that it works".
    """

    kind: str = ""
    title: str = ""
    opens: bool = False
    own: bool = False


def announced_by_line(lines: Sequence[Line]) -> dict[int, Announced]:
    """Return what the headings above the lines announce; a list ends with its last entry."""
    announced: dict[int, Announced] = {}
    current, is_section, last = Announced(), False, -1
    for line in lines:
        text = line.text.strip()
        if _opens(text):
            kind = _FORMS.meaning("headings", text) or ""
            current, is_section, last = Announced(kind, text), _is_marked(text), line.index
            announced[line.index] = Announced(kind, text, opens=bool(kind))
            continue
        if not is_section and not _CLAUSES.mark.match(text) and line.index > last + 2:
            current = Announced()
        colon = text.find(":")
        own = _FORMS.meaning("headings", text[:colon]) if 2 < colon < _LONGEST_KEY else None
        announced[line.index] = current if own is None else Announced(own, text[:colon], own=True)
        last = line.index
    return announced


def _opens(text: str) -> bool:
    """Tell whether a line is a heading: it is marked as one, or ends with a colon."""
    is_entry = text[:2] in ("- ", "* ", "+ ") or (_is_marked(text) and text[:1].isdigit())
    is_heading = _is_marked(text) and text.rstrip("*_: ")[-1:] != "."
    is_short = len(text.split()) <= _MOST_WORDS and ". " not in text and ": " not in text
    return is_short and not is_entry and (text.endswith((":", ":**")) or is_heading)


def _is_marked(text: str) -> bool:
    return _TITLES.heading_mark.match(text) is not None
