# SPDX-License-Identifier: MIT
"""Over which lines the sentences stand of which something is said."""

from collections.abc import Iterable, Iterator, Sequence

from clprobe.model.statement import Statement
from clprobe.paste.prose.clauses import Clause, Line

_LONG = 12
"""So many letters tell which line the end of a clause stands on."""


def lines_of_sentences(
    said: Iterable[Statement], clauses: Iterable[Clause], lines: Sequence[Line]
) -> list[int]:
    """Return the lines on which the clauses stand that the statements are of.

    A clause of which nothing is said leaves its lines to others, and to what was not understood.
    """
    texts = {line.index: _bare(line.text) for line in lines}
    by_line: dict[int, list[Statement]] = {}
    for one in said:
        by_line.setdefault(one.line - 1, []).append(one)
    return [
        line
        for clause in clauses
        if any(_is_of(one, clause) for place in clause.lines for one in by_line.get(place, ()))
        for line in _lines(clause, texts)
    ]


def _is_of(one: Statement, clause: Clause) -> bool:
    said, text = _bare(one.says), _bare(clause.text)
    if one.says:
        return text[:40] in said or said[:40] in text
    return one.version in clause.text and _bare(one.subject) in text


def _lines(clause: Clause, texts: dict[int, str]) -> Iterator[int]:
    text = _bare(clause.text)
    for line in clause.lines:
        own = texts.get(line, "")
        is_within = bool(own) and own in text
        if is_within or text in own or text[:_LONG] in own or text[-_LONG:] in own:
            yield line


def _bare(text: str) -> str:
    return "".join(one for one in text.lower() if one.isalnum())
