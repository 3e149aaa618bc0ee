# SPDX-License-Identifier: MIT
"""From the clauses of one sentence to typed statements; what is unsure is left out."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.statements.certainty import is_hearsay, sure_of
from clprobe.paste.statements.circumstances import (
    changes_in,
    circumstances_in,
    condition_of,
    distinct,
    is_condition,
)
from clprobe.paste.statements.contrasts import contrasted
from clprobe.paste.statements.fragments import (
    alike,
    elliptic,
    heads,
    listed,
    may_stand_beside,
    nominal,
    number_of,
    title_of,
    with_subject,
    with_words,
)
from clprobe.paste.statements.outcomes import came_of, outcome_in, outcome_of
from clprobe.paste.statements.page import Page
from clprobe.paste.statements.parts import parts_of
from clprobe.paste.statements.predicates import Said, said_in
from clprobe.paste.statements.things import things_in
from clprobe.paste.statements.trials import (
    DEEDS,
    announces_trials,
    attempts_in,
    measured,
    only_announces_trials,
    with_result,
)

_FORMS = Forms("statements")
_CLAUSES = Forms("clauses")
_ACTS = (*(one for one in DEEDS if one != "tried"), "uses")
OUTCOMES = ("works", "fails", "shows", "symptom", "absent")
"""What happens, and not what somebody did or has."""
_LONGEST_VERB = 12
""""It will crash" tells what happens, "it will be mended" does not: the verb decides."""


def of_sentence(
    clauses: list[Clause], before: Statement | None, after: str, page: Page
) -> Iterator[Statement]:
    """Yield what a sentence says; `before` is what was told before it, `after` the next one."""
    first = clauses[0]
    if first.sentence.endswith("?"):
        clauses = list(takewhile(lambda one: not _FORMS.asks.match(one.text), clauses[:-1]))
    clauses = sure_of(clauses)
    if not clauses or only_announces_trials(clauses):
        return
    given = list(with_result(clauses, page)) or list(_of_clauses(clauses, before, after, page))
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
    is_list = announces_trials(clauses)
    outcome = came_of(clauses[0].sentence, after)
    named: list[str] = []
    for place, clause in enumerate(clauses):
        if is_hearsay(clause) or (is_list and place == 0):
            continue
        rest = " , ".join(one.text for one in clauses[place + 1 :])
        beside = (*clauses[max(place - 1, 0) : place], *clauses[place + 1 : place + 2])
        around = (condition_of(one.text) for one in beside if is_condition(one.text))
        scenes = (*around, *_scenes(clauses[:place]), *named)
        found = list(_of_clause(clause, scenes, (rest, after), page))
        last = next((one for one in reversed(given) if one.what in OUTCOMES), None)
        found = _beside(clause, before, last, scenes, page) or found
        if not any(one.what in (*OUTCOMES, "tried") for one in found):
            found = list(attempts_in(clause, outcome, page, is_listed=is_list)) or found
        if all(one.what in ("version", "sets") for one in found):
            things = list(nominal(clause, page))
            named += [one.says for one in things if heads(clause)]
            found += things
        if given and not found:
            found = list(number_of(clause, given[-1], page))
        found = _alike(clause, given, page) or found
        before = next((one for one in found if one.what in OUTCOMES), before)
        found = [with_subject(one, clause, ahead) for one in found]
        if found or not may_stand_beside(clause):
            given += found
        elif given:
            given[-1] = with_words(given[-1], clause)
        else:
            ahead.append(clause)
    for clause in reversed(ahead if given else []):
        given[0] = with_words(given[0], clause, is_ahead=True)
    return given


def _beside(
    clause: Clause,
    before: Statement | None,
    last: Statement | None,
    scenes: tuple[str, ...],
    page: Page,
) -> list[Statement]:
    """Return what a clause says with another one's verb: of `before` it, `last` in its sentence."""
    found = list(elliptic(clause, before, page)) if before is not None else []
    return found or list(contrasted(clause, last, scenes, page))


def _alike(clause: Clause, given: list[Statement], page: Page) -> list[Statement]:
    is_alike = given and _FORMS.alike.match(clause.text) is not None
    return [alike(clause, given[-1], page)] if is_alike else []


def _scenes(clauses: Iterable[Clause]) -> Iterator[str]:
    """Yield the clauses before that only tell circumstances: "On Windows", "as root"."""
    for clause in clauses:
        things = things_in(clause.text)
        if not any(said_in(clause.text, things)) and _CLAUSES.sets_scene.match(clause.text):
            yield from circumstances_in(clause.text)


def _of_clause(
    clause: Clause, scenes: tuple[str, ...], after: tuple[str, str], page: Page
) -> Iterator[Statement]:
    if attempt := list(measured(clause, page)):
        yield from attempt
        return
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
    told = list(said_in(text, things))
    for said in told:
        if said.what != "wants" and _is_open(text, said.start):
            continue
        if said.what == "wants" and said.negated:
            continue
        if said.what in ("works", "fails") and _FORMS.open_ahead.match(text):
            continue
        one = _with_outcome(_statement(base, said, under, above.kind), clause, after, above.title)
        yield one
        if one.what in OUTCOMES:
            for change in changes_in(under):
                yield msgspec.structs.replace(one, what="began", says=change, under=())
    yield from _parts_beside(told, parts_of(text, things, base, clause))


def _parts_beside(told: list[Said], parts: Iterator[Statement]) -> Iterator[Statement]:
    """Yield what a clause tells beside its verbs; a Linux that was tried may not run now."""
    is_trial = any(said.what == "tried" for said in told)
    for part in parts:
        if not (is_trial and part.what == "version" and part.subject == "Linux"):
            yield part


def _is_open(text: str, start: int) -> bool:
    """Tell whether what begins at `start` is only wished, supposed or to come."""
    found = _FORMS.modal.search(text[: start + _LONGEST_VERB])
    return found is not None and found.start() < start


def _with_outcome(one: Statement, clause: Clause, after: tuple[str, str], title: str) -> Statement:
    """Return the statement with what came of it, by the rest of its sentence or the next one."""
    if one.what == "tried":
        outcome = outcome_of(f"{clause.sentence} {after[0]}", after[1], title)
        return msgspec.structs.replace(one, outcome=outcome)
    if one.what in DEEDS and not one.negated and not (one.what == "did" and one.subject):
        is_in_vain = outcome_in(one.says) == "in vain"
        outcome = "in vain" if is_in_vain else came_of(after[0], after[1])
        return msgspec.structs.replace(one, outcome=outcome)
    return one


def _statement(base: Statement, said: Said, under: tuple[str, ...], kind: str) -> Statement:
    what = said.what
    when = base.when or (
        "before" if what in (*OUTCOMES, "has") and _FORMS.was_so.search(said.says) else ""
    )
    if kind == "wants" or (kind == "tried" and what in _ACTS):
        what = kind  # as the heading above announces
    return msgspec.structs.replace(
        base,
        what=what,
        who=base.who if what in (*OUTCOMES, "did", "tried") else "",
        subject=said.subject,
        says=said.says,
        negated=said.negated,
        when=when,
        under=tuple(one for one in under if one.lower() != said.says.lower()),
    )
