# SPDX-License-Identifier: MIT
"""From clauses and lines to typed statements; what is unsure is left out."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, takewhile

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.prose.clauses import Clause, Line
from clprobe.paste.statements.circumstances import (
    changes_in,
    circumstances_in,
    condition_of,
    distinct,
    is_condition,
)
from clprobe.paste.statements.fragments import (
    elliptic,
    listed,
    may_stand_beside,
    title_of,
    with_words,
)
from clprobe.paste.statements.lines import fields_in, quotes_in
from clprobe.paste.statements.outcomes import is_in_vain, outcome_of
from clprobe.paste.statements.page import Page, page_of
from clprobe.paste.statements.parts import parts_of
from clprobe.paste.statements.predicates import Said, said_in
from clprobe.paste.statements.things import things_in

_FORMS = Forms("statements")
_CLAUSES = Forms("clauses")
_MOST = 300
_DEEDS = ("did", "installed", "removed", "changed")
_ACTS = (*_DEEDS, "uses")
_OUTCOMES = ("works", "fails", "shows", "symptom", "absent")


def statements_of(lines: Sequence[Line], clauses: Sequence[Clause]) -> tuple[Statement, ...]:
    """Return what these lines, and the clauses in them, say; the first of very many."""
    lines = [one for one in lines if not _FORMS.boilerplate.search(one.text)]
    fields = list(fields_in(lines))
    page = page_of(lines, fields)
    told = [*fields, *_of_sentences(clauses, page), *quotes_in(lines)]
    once: dict[tuple[int, str, str, str], Statement] = {}
    for one in told:
        once.setdefault((one.line, one.what, one.subject.lower(), one.says.lower()), one)
    return tuple(sorted(once.values(), key=lambda one: one.line))[:_MOST]


def _of_sentences(clauses: Sequence[Clause], page: Page) -> Iterator[Statement]:
    titles = {one for one, text in page.texts.items() if text.lstrip().startswith("#") and one > 0}
    sentences = [
        list(group) for _, group in groupby(clauses, lambda one: (one.sentence, one.lines))
    ]
    before: Statement | None = None
    for place, sentence in enumerate(sentences):
        first = sentence[0]
        if first.lines[0] not in page.texts or page.above(first).opens:
            continue
        following = sentences[place + 1][0] if place + 1 < len(sentences) else None
        after = following.sentence if following is not None else ""
        for one in _of_sentence(sentence, before, after, page):
            before = one if one.what in _OUTCOMES else before
            if one.what in _OUTCOMES or one.line - 1 not in titles:
                yield one


def _of_sentence(
    clauses: list[Clause], before: Statement | None, after: str, page: Page
) -> Iterator[Statement]:
    first = clauses[0]
    if first.sentence.endswith("?"):
        clauses = list(takewhile(lambda one: not _FORMS.asks.match(one.text), clauses[:-1]))
    if not clauses or _CLAUSES.unsure.search(first.sentence):
        return
    given = list(_of_clauses(clauses, before, after, page))
    if not given and not _is_hearsay(first):
        given = list(listed(clauses, page))
    if not given and first.is_title and _CLAUSES.telling.search(first.sentence):
        given = [title_of(first, page)]
    yield from given


def _of_clauses(
    clauses: list[Clause], before: Statement | None, after: str, page: Page
) -> Sequence[Statement]:
    """Return what the clauses say; one that says nothing by itself is told with its neighbour."""
    given: list[Statement] = []
    ahead: list[Clause] = []
    for place, clause in enumerate(clauses):
        if _is_hearsay(clause):
            continue
        rest = " ".join(one.text for one in clauses[place + 1 :])
        beside = (*clauses[max(place - 1, 0) : place], *clauses[place + 1 : place + 2])
        around = (condition_of(one.text) for one in beside if is_condition(one.text))
        scenes = (*around, *_scenes(clauses[:place]))
        found = list(_of_clause(clause, scenes, (rest, after), page))
        if not found and before is not None:
            found = list(elliptic(clause, before, page))
        before = next((one for one in found if one.what in _OUTCOMES), before)
        if found or not may_stand_beside(clause):
            given += found
        elif given:
            given[-1] = with_words(given[-1], clause)
        else:
            ahead.append(clause)
    if given:
        for clause in reversed(ahead):
            given[0] = with_words(given[0], clause, is_ahead=True)
    return given


def _is_hearsay(clause: Clause) -> bool:
    """Tell whether a clause is about what others say or have, or is said to others."""
    if _FORMS.courtesy.search(clause.text):
        return True
    return _CLAUSES.hearsay.search(clause.text) is not None


def _scenes(clauses: Iterable[Clause]) -> Iterator[str]:
    """Yield the clauses before that only tell circumstances: "On Windows", "as root"."""
    for clause in clauses:
        things = things_in(clause.text)
        if not any(said_in(clause.text, things)) and _CLAUSES.sets_scene.match(clause.text):
            yield from circumstances_in(clause.text)


def _of_clause(
    clause: Clause, scenes: tuple[str, ...], after: tuple[str, str], page: Page
) -> Iterator[Statement]:
    text = clause.text
    things = things_in(text)
    base = page.base(clause)
    if is_condition(text):
        yield from parts_of(text, things, base, clause)
        return
    under = distinct((*scenes, *circumstances_in(text)))
    above = page.above(clause)
    for said in said_in(text, things):
        if said.what != "wants" and _FORMS.modal.search(text[: said.start]):
            continue
        if said.what == "wants" and said.negated:
            continue
        if said.what in ("works", "fails") and _FORMS.open_ahead.match(text):
            continue
        one = _statement(base, said, under, above.kind)
        if one.what == "tried":
            outcome = outcome_of(f"{text[said.start :]} {after[0]}", after[1], above.title)
            one = msgspec.structs.replace(one, outcome=outcome)
        elif (
            one.what in _ACTS
            and one.what != "uses"
            and not one.negated
            and is_in_vain(after[0], after[1])
        ):
            one = msgspec.structs.replace(one, outcome="in vain")
        yield one
        if one.what in _OUTCOMES:
            for change in changes_in(under):
                yield msgspec.structs.replace(one, what="began", says=change, under=())
    yield from parts_of(text, things, base, clause)


def _statement(base: Statement, said: Said, under: tuple[str, ...], kind: str) -> Statement:
    what = said.what
    if kind == "wants" or (kind == "tried" and what in _ACTS):
        what = kind  # as the heading above announces
    return msgspec.structs.replace(
        base,
        what=what,
        who=base.who if what in (*_OUTCOMES, "did", "tried") else "",
        subject=said.subject,
        says=said.says,
        negated=said.negated,
        under=tuple(one for one in under if one.lower() != said.says.lower()),
    )
