# SPDX-License-Identifier: MIT
"""Over which lines the sentences stand of which something is said."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.prose.clauses import Clause, Line
from clprobe.paste.statements.outcomes import outcome_in

_FORMS = Forms("statements")
_TRIALS = Forms("trials")

_LONG = 12
"""So many letters tell which line the end of a clause stands on."""
_HEAD = 40
_CLAUSE, _SENTENCE, _LONG_SENTENCE = 4, 3, 7
"""So many words make more of a clause, of a sentence, than a name or a word in passing."""
_MOST_LEFT = 0.6
"""The part of a clause's letters that may be words between what is told."""


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


def left_untold(
    said: Iterable[Statement], clauses: Iterable[Clause], lines: Sequence[Line]
) -> Iterator[tuple[int, str]]:
    """Yield the line and the words of what sentences say and no statement tells.

    A sentence of which nothing is told is given whole, else its clauses of several words. What
    came of an attempt, and what announces a list of them, are told with the attempts; what a
    template has, nobody says.
    """
    of_template = {line.index for line in lines if _FORMS.boilerplate.search(line.text)}
    by_line: dict[int, list[Statement]] = {}
    for one in said:
        by_line.setdefault(one.line - 1, []).append(one)
    for _, group in groupby(clauses, lambda part: (part.sentence, part.lines)):
        sentence = list(group)
        first = sentence[0]
        if first.lines[0] in of_template:
            continue
        near = [one for line in first.lines for one in by_line.get(line, ())]
        left = [part for part in sentence if not _is_told(part, near)]
        if len(left) < len(sentence):
            yield from ((part.lines[0], part.text) for part in left if _has(part.text, _CLAUSE))
        elif _has(first.sentence, _SENTENCE) and not _is_outcome(first, by_line):
            yield first.lines[0], first.sentence


def _has(text: str, words: int) -> bool:
    return len(text.split()) >= words and _TRIALS.list_of_trials.match(text) is None


def _is_outcome(first: Clause, by_line: dict[int, list[Statement]]) -> bool:
    """Tell whether a short sentence is what came of an attempt that is told above it."""
    if len(first.sentence.split()) >= _LONG_SENTENCE or not outcome_in(first.sentence):
        return False
    above = range(first.lines[0] - 2, first.lines[0] + 1)
    return any(one.outcome for line in above for one in by_line.get(line, ()))


def _is_told(clause: Clause, near: Sequence[Statement]) -> bool:
    """Tell whether statements hold the clause, or the most of its words.

    They leave out what joins it to the one before, such as "and so".
    """
    text = _bare(clause.text)
    rest = text
    said = [_bare(one.says) for one in near]
    heads = (text[:_HEAD], _bare(_FORMS.lead.sub("", clause.text))[:_HEAD])
    if any(len(head) >= _LONG and head in one for head in heads for one in said):
        return True
    told = {*said}
    for one in near:
        told |= {_bare(one.subject), _bare(one.version), *map(_bare, one.under)}
    for part in sorted(told - {""}, key=len, reverse=True):
        rest = rest.replace(part, "", 1)
    return len(rest) <= len(text) * _MOST_LEFT


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
