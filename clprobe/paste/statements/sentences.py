# SPDX-License-Identifier: MIT
"""From the clauses of one sentence to typed statements; what is unsure is left out."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.statements.certainty import (
    asks,
    guesses_in,
    is_hearsay,
    is_idle,
    question_of,
    sure_of,
)
from clprobe.paste.statements.circumstances import (
    changes_in,
    circumstances_in,
    condition_of,
    distinct,
    holds,
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
    printed,
    title_of,
    with_subject,
    with_words,
)
from clprobe.paste.statements.outcomes import came_of, outcome_in, outcome_of
from clprobe.paste.statements.page import Page
from clprobe.paste.statements.parts import parts_of
from clprobe.paste.statements.predicates import Said, said_in, tidy
from clprobe.paste.statements.things import things_in
from clprobe.paste.statements.ties import (
    continues_list,
    held_over,
    is_bare,
    is_of_next,
    scenes_of,
    since_when,
    tied,
    verdict,
    with_failures,
)
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
_LONGEST = 220
_MOST_OF_A_NOUN = 4
_ACTS = (*(one for one in DEEDS if one != "tried"), "uses")
OUTCOMES = ("works", "fails", "shows", "symptom", "absent")
"""What happens, and not what somebody did or has."""


def of_sentence(
    clauses: list[Clause], before: Statement | None, after: str, page: Page
) -> Iterator[Statement]:
    """Yield what a sentence says; `before` is what was told before it, `after` the next one."""
    first = clauses[0]
    is_question = first.is_title and _FORMS.asks_title.match(first.sentence)
    if is_question and not _FORMS.error_code.search(first.sentence):
        yield msgspec.structs.replace(title_of(first, page), what="asks")
        return
    asked = question_of(clauses)
    yield from _beside_facts("asks", first, page, [asked])
    if first.sentence.endswith("?"):
        clauses = list(takewhile(lambda one: not asks(one), clauses[:-1]))
    yield from _beside_facts("supposes", first, page, guesses_in(clauses))
    clauses = [one for one in sure_of(clauses) if condition_of(one.text) not in asked]
    if not clauses or only_announces_trials(clauses):
        return
    given = list(with_result(clauses, page)) or list(_of_clauses(clauses, before, after, page))
    if not given and not is_hearsay(first):
        is_empty = _FORMS.no_answer.match(first.sentence) or _FORMS.asks_look.match(first.sentence)
        given = printed(first, page) or ([] if is_empty else list(listed(clauses, page)))
    if first.is_title:
        given = [_requested(one) for one in given] or list(_about(first, page))
    yield from given
    outcomes = {one.what for one in given if one.what in (*OUTCOMES, "wants")}
    if outcomes and outcomes <= {"wants", "works"}:
        yield from _as_elsewhere(clauses, page)


def _about(first: Clause, page: Page) -> Iterator[Statement]:
    """Yield what a title is about that says nothing, if it names anything that matters here."""
    forms = (_CLAUSES.telling, _FORMS.error_like, _FORMS.title_trouble)
    if any(one.search(first.sentence) for one in forms):
        yield title_of(first, page)


def _requested(one: Statement) -> Statement:
    """Return what a title says; what it bids is wanted, and not done."""
    if one.what not in (*DEEDS, "uses") or not _FORMS.title_request.match(one.says):
        return one
    what = "fails" if _FORMS.error_like.search(one.says) else "wants"
    return msgspec.structs.replace(one, what=what, outcome="")


def _as_elsewhere(clauses: Sequence[Clause], page: Page) -> Iterator[Statement]:
    """Yield where or when a wish is met: "it should find it, as it does on the host"."""
    for clause in clauses[1:]:
        found = _FORMS.as_elsewhere.match(clause.text)
        if found is not None and not is_hearsay(clause):
            around = circumstances_in(found["around"]) or (tidy(found["around"]),)
            when = "before" if found["past"] else clause.context.when
            base = msgspec.structs.replace(page.base(clause), when=when)
            says = tidy(clause.text)[:_LONGEST]
            yield msgspec.structs.replace(base, what="works", says=says, under=around)


def _beside_facts(what: str, first: Clause, page: Page, told: Iterable[str]) -> Iterator[Statement]:
    """Yield what is only asked or supposed in a sentence; a title and a wish are told as such."""
    if first.is_title or page.above(first).kind == "wants":
        return
    for words in told:
        if words:
            base = page.base(first)
            when = "" if what == "supposes" else base.when
            yield msgspec.structs.replace(base, what=what, says=words[:_LONGEST], when=when)


def _of_clauses(
    clauses: list[Clause], before: Statement | None, after: str, page: Page
) -> Sequence[Statement]:
    """Return what the clauses say; one that says nothing by itself is told with its neighbour."""
    given: list[Statement] = []
    ahead: list[Clause] = []
    is_list = announces_trials(clauses)
    outcome = came_of(clauses[0].sentence, after)
    named: list[str] = []
    held: list[str] = []
    is_parted = False  # what says nothing goes on with a clause that is left out
    for place, clause in enumerate(clauses):
        if (is_list and place == 0) or _is_left_out(clauses, place, page):
            continue
        rest = " , ".join(one.text for one in clauses[place + 1 :])
        beside = (*clauses[max(place - 1, 0) : place], *clauses[place + 1 : place + 2])
        around = (condition_of(one.text) for one in beside if holds(one.text))
        held = held_over(held, clause)
        scenes = (*around, *held, *scenes_of(clauses[:place]), *named)
        found = list(_of_clause(clause, scenes, (rest, after), page))
        last = next((one for one in reversed(given) if one.what in OUTCOMES), None)
        found = _beside(clause, before, last, scenes, page) or found
        if not any(one.what in (*OUTCOMES, "tried") for one in found):
            found = list(attempts_in(clause, outcome, page, is_listed=is_list)) or found
        found = list(verdict(clause, clauses[:place], page)) or found
        has_verb = not is_bare(found)
        is_listed = since_when(clause, found, given) or continues_list(clause, found, given)
        if is_listed:
            given[-1] = with_words(given[-1], clause)
        else:
            found = _named(clause, found, given, page)
        named += [one.says for one in found if not has_verb and heads(clause) and one.what == "has"]
        before = next((one for one in found if one.what in OUTCOMES), before)
        found = [with_subject(one, clause, ahead) for one in found]
        found = tied(found, given, clause, held)
        if holds(clause.text) and not any(one.what in OUTCOMES for one in found):
            held.append(condition_of(clause.text))
        if found or is_listed or not may_stand_beside(clause):
            given += found
            is_parted = not (found or is_listed)
        elif not given:
            ahead.append(clause)
        elif not is_parted and not is_of_next(clause, clauses[:place], clauses[place + 1 :]):
            given[-1] = with_words(given[-1], clause)
    for clause in reversed(ahead if given else []):
        given[0] = with_words(given[0], clause, is_ahead=True)
    return with_failures(given)


def _is_left_out(clauses: Sequence[Clause], place: int, page: Page) -> bool:
    """Tell whether a clause is hearsay, or one of the nouns behind a "can cause"."""
    clause = clauses[place]
    if is_hearsay(clause, is_step=page.above(clause).kind == "did"):
        return True
    caused = any(_FORMS.may_cause.search(one.text) for one in clauses[:place])
    return caused and len(clause.text.split()) <= _MOST_OF_A_NOUN


def _beside(
    clause: Clause,
    before: Statement | None,
    last: Statement | None,
    scenes: tuple[str, ...],
    page: Page,
) -> list[Statement]:
    """Return what a clause says with another one's verb: of `before` it, `last` in its sentence."""
    found = list(elliptic(clause, before, page)) if before is not None else []
    if found and not found[0].under and _FORMS.it_is_same.match(clause.text):
        found = [msgspec.structs.replace(found[0], under=scenes)]
    return found or list(contrasted(clause, last, scenes, page))


def _named(
    clause: Clause, found: list[Statement], given: list[Statement], page: Page
) -> list[Statement]:
    """Return what a clause says, with what it names, or says by likeness, where it has no verb."""
    if is_bare(found):
        found += list(nominal(clause, page))
    if given and not found:
        found = list(number_of(clause, given[-1], page))
    is_alike = given and _FORMS.alike.match(clause.text) is not None
    return [alike(clause, given[-1], page)] if is_alike else found


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
        if is_idle(said, text):
            continue
        one = _with_outcome(_statement(base, said, under, above.kind), clause, after, above.title)
        yield one
        if one.what in OUTCOMES:
            for change in changes_in(under):
                yield msgspec.structs.replace(one, what="began", says=change, under=())
    if above.kind != "wants":
        yield from _parts_beside(told, parts_of(text, things, base, clause))


def _parts_beside(told: list[Said], parts: Iterator[Statement]) -> Iterator[Statement]:
    """Yield what a clause tells beside its verbs; a Linux that was tried may not run now."""
    is_trial = any(said.what == "tried" for said in told)
    for part in parts:
        if not (is_trial and part.what == "version" and part.subject == "Linux"):
            yield part


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


def _was_so(says: str) -> bool:
    return _FORMS.was_so.search(says) is not None and not _FORMS.is_now.search(says)


def _statement(base: Statement, said: Said, under: tuple[str, ...], kind: str) -> Statement:
    what = said.what
    when = base.when or ("before" if what in (*OUTCOMES, "has") and _was_so(said.says) else "")
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
