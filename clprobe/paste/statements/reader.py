# SPDX-License-Identifier: MIT
"""From clauses and lines to typed statements; what is unsure is left out."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, takewhile

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.prose.clauses import Clause, Line
from clprobe.paste.statements.certainty import is_hearsay, sure_of
from clprobe.paste.statements.circumstances import (
    changes_in,
    circumstances_in,
    condition_of,
    distinct,
    is_condition,
)
from clprobe.paste.statements.fields import fields_in, named_versions_alone, values_in
from clprobe.paste.statements.fragments import (
    alike,
    elliptic,
    listed,
    may_stand_beside,
    title_of,
    with_subject,
    with_words,
)
from clprobe.paste.statements.headings import announced_by_line
from clprobe.paste.statements.lines import command_of, quotes_in
from clprobe.paste.statements.named import named_in
from clprobe.paste.statements.outcomes import is_in_vain, outcome_of
from clprobe.paste.statements.page import Page, page_of
from clprobe.paste.statements.parts import parts_of
from clprobe.paste.statements.predicates import Said, said_in, tidy
from clprobe.paste.statements.things import things_in

_FORMS = Forms("statements")
_CLAUSES = Forms("clauses")
_MOST = 300
_LONGEST = 220
_DEEDS = ("did", "installed", "removed", "changed")
_ACTS = (*_DEEDS, "uses")
_OUTCOMES = ("works", "fails", "shows", "symptom", "absent")


def statements_of(lines: Sequence[Line], clauses: Sequence[Clause]) -> tuple[Statement, ...]:
    """Return what these lines, and the clauses in them, say; the first of very many."""
    fields = _fields(lines)
    lines = [one for one in lines if not _FORMS.boilerplate.search(one.text)]
    page = page_of(lines, fields)
    sentences = [one for one in _of_sentences(clauses, page) if not _is_of_field(one, fields)]
    told = [*fields, *sentences, *quotes_in(lines)]
    told += named_in(clauses, page, told)
    once: dict[tuple[int, str, str, str], Statement] = {}
    for one in told:
        once.setdefault((one.line, one.what, one.subject.lower(), one.says.lower()), one)
    return tuple(sorted(once.values(), key=lambda one: one.line))[:_MOST]


def _fields(lines: Sequence[Line]) -> list[Statement]:
    """Return the lines that are keys and values, or the values of the headings above them."""
    plain = [one for one in lines if not _FORMS.boilerplate.search(one.text)]
    found = [*fields_in(plain), *named_versions_alone(plain)]
    told = {one.line for one in found}
    values = values_in(lines, announced_by_line(lines))
    return [*found, *(one for one in values if one.line not in told)]


def _is_of_field(one: Statement, fields: Sequence[Statement]) -> bool:
    """Tell whether a version is that of a longer name, which its line tells as a whole."""
    return one.what == "version" and any(
        told.line == one.line and told.what == "version" and told.version == one.version
        for told in fields
    )


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
        line = page.texts[first.lines[0]]
        if (typed := command_of(line)) and (not first.is_title or line.startswith("$ ")):
            if place == 0 or sentences[place - 1][0].lines[0] != first.lines[0]:
                yield msgspec.structs.replace(page.base(first), what="did", says=typed[:_LONGEST])
            continue
        if _FORMS.machine_line.match(line):
            yield _printed_error(first, page)
            continue
        for one in _of_sentence(sentence, before, after, page):
            before = one if one.what in _OUTCOMES else before
            if one.what in _OUTCOMES or one.line - 1 not in titles:
                yield one


def _printed_error(first: Clause, page: Page) -> Statement:
    """Return a program's complaint that stands among sentences: it is one, whatever its words."""
    says = tidy(page.texts[first.lines[0]])[:_LONGEST]
    return msgspec.structs.replace(page.base(first), what="error", says=says)


def _of_sentence(
    clauses: list[Clause], before: Statement | None, after: str, page: Page
) -> Iterator[Statement]:
    first = clauses[0]
    if first.sentence.endswith("?"):
        clauses = list(takewhile(lambda one: not _FORMS.asks.match(one.text), clauses[:-1]))
    clauses = sure_of(clauses)
    if not clauses:
        return
    given = list(_of_clauses(clauses, before, after, page))
    if not given and not is_hearsay(first):
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
        if is_hearsay(clause):
            continue
        rest = " ".join(one.text for one in clauses[place + 1 :])
        beside = (*clauses[max(place - 1, 0) : place], *clauses[place + 1 : place + 2])
        around = (condition_of(one.text) for one in beside if is_condition(one.text))
        scenes = (*around, *_scenes(clauses[:place]))
        found = list(_of_clause(clause, scenes, (rest, after), page))
        if before is not None:
            found = list(elliptic(clause, before, page)) or found
        if given and _FORMS.alike.match(clause.text):
            found = [alike(clause, given[-1], page)]
        before = next((one for one in found if one.what in _OUTCOMES), before)
        found = [with_subject(one, clause, ahead) for one in found]
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
        behind = _FORMS.main_behind.match(text)
        if behind is None:
            yield from parts_of(text, things, base, clause)
            return
        scenes = (*scenes, condition_of(behind["condition"]))
        text = text[behind.end() :]
        things = things_in(text)
    under = distinct((*scenes, *circumstances_in(text)))
    above = page.above(clause)
    for said in said_in(text, things):
        if said.what != "wants" and _FORMS.modal.search(text[: said.start]):
            continue
        if said.what == "wants" and said.negated:
            continue
        if said.what in ("works", "fails") and _FORMS.open_ahead.match(text):
            continue
        one = _with_outcome(_statement(base, said, under, above.kind), clause, after, above.title)
        yield one
        if one.what in _OUTCOMES:
            for change in changes_in(under):
                yield msgspec.structs.replace(one, what="began", says=change, under=())
    yield from parts_of(text, things, base, clause)


def _with_outcome(one: Statement, clause: Clause, after: tuple[str, str], title: str) -> Statement:
    """Return the statement with what came of it, by the rest of its sentence or the next one."""
    if one.what == "tried":
        outcome = outcome_of(f"{clause.sentence} {after[0]}", after[1], title)
        return msgspec.structs.replace(one, outcome=outcome)
    if one.what in _DEEDS and not one.negated and is_in_vain(after[0], after[1]):
        return msgspec.structs.replace(one, outcome="in vain")
    return one


def _statement(base: Statement, said: Said, under: tuple[str, ...], kind: str) -> Statement:
    what = said.what
    when = base.when or (
        "before" if what in (*_OUTCOMES, "has") and _FORMS.was_so.search(said.says) else ""
    )
    if kind == "wants" or (kind == "tried" and what in _ACTS):
        what = kind  # as the heading above announces
    return msgspec.structs.replace(
        base,
        what=what,
        who=base.who if what in (*_OUTCOMES, "did", "tried") else "",
        subject=said.subject,
        says=said.says,
        negated=said.negated,
        when=when,
        under=tuple(one for one in under if one.lower() != said.says.lower()),
    )
