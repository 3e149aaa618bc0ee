# SPDX-License-Identifier: MIT
"""What headings make of the lines below them: a list of what was tried, what is expected."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.paste.prose.clauses import Clause, Line

_FORMS = Forms("statements")
_CLAUSES = Forms("clauses")
_TITLES = Forms("headings")
_LINES = Forms("said_lines")
_MOST_WORDS, _MOST_WORDS_OF_A_MARKED = 8, 14
_LONGEST_KEY = 30
_NEXT = 2


class Announced(msgspec.Struct, frozen=True):
    """What the heading above a line announces: a kind of statement, "" for none of its own.

    `title` is the heading; `opens` says that the line is that heading itself, `own` that the line
    begins with it, as in "Expected: that it works".
    """

    kind: str = ""
    title: str = ""
    opens: bool = False
    own: bool = False


def without_wishes(clauses: Iterable[Clause], lines: Sequence[Line]) -> Iterator[Clause]:
    """Yield the clauses; what "Expected behaviour" announces, or a topic names, is no fact."""
    announced = announced_by_line(lines)
    topics = {line.index for line in lines if line.index and _LINES.topic.match(line.text)}
    for one in clauses:
        is_wish = announced.get(one.lines[0], Announced()).kind == "wants"
        is_wish = (is_wish and not is_contrary(one)) or one.lines[0] in topics
        yield msgspec.structs.replace(one, doubtful=True) if is_wish else one


def is_contrary(clause: Clause) -> bool:
    """Tell whether a sentence below "What I expect" tells how it is instead: "Now it fails"."""
    return _TITLES.contrary.match(clause.sentence) is not None


def announced_by_line(lines: Sequence[Line]) -> dict[int, Announced]:
    """Return what the headings above the lines announce; a list ends with its last entry."""
    announced: dict[int, Announced] = {}
    current, is_section, last = Announced(), False, -1
    for line in lines:
        text = line.text.strip()
        # "GPU" below "### Device" is what was asked for.
        is_value = is_section and current.title[:1] == "#" and line.index - last <= _NEXT
        is_bare = _LINES.bare_title.match(text) is not None and not is_value
        if (_opens(text) or is_bare) and not _FORMS.person_does.match(text):
            kind = _FORMS.meaning("headings", text) or ""
            current, is_section, last = (
                Announced(kind, text),
                is_bare or _is_marked(text),
                line.index,
            )
            announced[line.index] = Announced(kind, text, opens=bool(kind) or is_bare)
            continue
        if not is_section and not _CLAUSES.mark.match(text) and line.index > last + 2:
            current = Announced()
        if _LINES.tried_below.search(text):
            announced[line.index] = current
            current, is_section, last = Announced("tried", text), False, line.index
            continue
        colon = text.find(":")
        own = _FORMS.meaning("headings", text[:colon]) if 2 < colon < _LONGEST_KEY else None
        announced[line.index] = current if own is None else Announced(own, text[:colon], own=True)
        last = line.index
    return announced


def _opens(text: str) -> bool:
    """Tell whether a line is a heading: it is marked as one, or ends with a colon."""
    is_entry = text[:2] in ("- ", "* ", "+ ") or (_is_marked(text) and text[:1].isdigit())
    is_heading = _is_marked(text) and text.rstrip("*_: ")[-1:] != "."
    most = _MOST_WORDS_OF_A_MARKED if text.startswith("#") else _MOST_WORDS
    is_short = len(text.split()) <= most and ". " not in text and ": " not in text
    return is_short and not is_entry and (text.endswith((":", ":**")) or is_heading)


def _is_marked(text: str) -> bool:
    return _TITLES.heading_mark.match(text) is not None
