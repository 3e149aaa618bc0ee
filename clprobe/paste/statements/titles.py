# SPDX-License-Identifier: MIT
"""Titles of two parts, each about its own program: "foo: no device - bar: works"."""

import re
from collections.abc import Iterator, Sequence

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.statements.fragments import title_of
from clprobe.paste.statements.page import Page
from clprobe.paste.statements.predicates import tidy
from clprobe.paste.statements.sentences import of_sentence

_FORMS = Forms("statements")
_DASH = re.compile(r"\s+[\u2013\u2014-]{1,2}\s+")
_LONGEST = 220
_TWO = 2


def of_title(sentence: Sequence[Clause], page: Page) -> list[Statement]:
    """Return what a title of two parts says; nothing if it is none."""
    return [one for part in _parts(sentence) for one in _of_part(part, page)]


def _parts(sentence: Sequence[Clause]) -> list[list[Clause]]:
    """Return the parts of a title that are about programs of their own; none if it is one."""
    first = sentence[0]
    texts = _DASH.split(first.sentence) if first.is_title else []
    headed = [one for one in texts if _FORMS.part_head.match(one)]
    if len(texts) < _TWO or not headed:
        return []
    parts: list[list[Clause]] = [[] for _ in texts]
    place = 0
    for clause in sentence:
        while clause.text not in texts[place] and place + 1 < len(texts):
            place += 1
        parts[place].append(msgspec.structs.replace(clause, sentence=texts[place]))
    return [one for one in parts if one]


def _of_part(clauses: list[Clause], page: Page) -> Iterator[Statement]:
    """Yield what a part of a title says, of the program with which it begins if there is one."""
    first = clauses[0]
    head = _FORMS.part_head.match(first.sentence)
    if head is None or tidy(first.text) != head["program"]:
        yield from of_sentence(clauses, None, "", page)
        return
    program = head["program"]
    given = list(of_sentence(clauses[1:], None, "", page)) if len(clauses) > 1 else []
    for one in given or [title_of(first, page)]:
        says = one.says if program in one.says else f"{program}: {one.says}"[:_LONGEST]
        subject = one.subject if one.what in ("version", "error") else one.subject or program
        yield msgspec.structs.replace(one, says=says, subject=subject)
