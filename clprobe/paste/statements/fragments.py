# SPDX-License-Identifier: MIT
"""What clauses tell that have no verb of their own: names, ellipses, what stands beside a verb."""

from collections.abc import Iterator, Sequence

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.statements.circumstances import circumstances_in, condition_of, is_condition
from clprobe.paste.statements.lines import command_of
from clprobe.paste.statements.outcomes import outcome_of
from clprobe.paste.statements.page import Page
from clprobe.paste.statements.predicates import subject_of, tidy
from clprobe.paste.statements.things import Thing, things_in

_FORMS = Forms("statements")
_LONGEST = 220
_SHORTEST = 4
_MOST_OF_A_NOUN = 7


def elliptic(clause: Clause, before: Statement, page: Page) -> Iterator[Statement]:
    """Yield what a clause without a verb of its own denies or affirms: "but darktable doesn't"."""
    if before.what not in ("works", "fails", "shows"):
        return
    no, yes = (form.match(clause.text) for form in (_FORMS.elliptic_no, _FORMS.elliptic_yes))
    found = no or yes
    if found is None:
        return
    parts = found.groupdict()
    about = parts["subject"] or parts.get("around") or ""
    subject = subject_of(about, things_in(about), len(about))
    base = page.base(clause)
    if before.what == "shows":
        change = {"what": "shows", "negated": no is not None}
    else:
        change = {"what": "fails" if no is not None else "works"}
    under = circumstances_in(about)
    yield msgspec.structs.replace(
        base, subject=subject or before.subject, says=tidy(clause.text), under=under, **change
    )


def alike(clause: Clause, before: Statement, page: Page) -> Statement:
    """Return that the same happens to what the clause before is about: "..., same crash"."""
    says = f"{before.says}, {tidy(clause.text)}"[:_LONGEST]
    return msgspec.structs.replace(
        page.base(clause), what="fails", subject=before.subject, says=says, under=before.under
    )


def listed(clauses: Sequence[Clause], page: Page) -> Iterator[Statement]:
    """Yield a sentence without a verb: an entry of a list, or what there is, by its names."""
    first = clauses[0]
    base = page.base(first)
    kind, title = page.above(first).kind, page.above(first).title
    if kind in ("tried", "did", "wants") and len(first.sentence.split()) > 1:
        outcome = outcome_of(first.sentence, "", title) if kind == "tried" else ""
        says = tidy(first.sentence)[:_LONGEST]
        yield msgspec.structs.replace(base, what=kind, says=says, outcome=outcome)
        return
    if first.lines[0] in page.fields or first.is_title:
        return
    for clause in clauses:
        things = things_in(clause.text)
        is_unsure = clause.negated or clause.foreign or _FORMS.modal.search(clause.text)
        is_package = clause is not first and _FORMS.package_like.match(clause.text) is not None
        if is_unsure or not (is_package or _is_named(things)):
            continue
        if _FORMS.no_names.search(clause.text) and not is_package:
            continue
        if is_package:
            name = clause.text.removeprefix("and ").removeprefix("the ")
            yield msgspec.structs.replace(page.base(clause), what="has", subject=name, says=name)
            continue
        name = next(one.name for one in things if one.sort in _REAL)
        is_command = bool(command_of(page.texts.get(first.lines[0], "")))
        is_state = _FORMS.state.search(clause.text) is not None
        words = " ".join(clause.text.split()) if is_command else tidy(clause.text)
        sort = next(one.sort for one in things if one.sort in _REAL)
        if words == name and clause is not first and sort in _NAMED:
            continue  # a name within a sentence, which is told with its number and kind
        what = "did" if is_command else "is" if is_state else "has"
        yield msgspec.structs.replace(
            page.base(clause), what=what, who="", subject=name, says=words[:_LONGEST]
        )
        if is_command:
            return


_NAMED = ("gpu", "processor", "distribution")
_REAL = ("gpu", "processor", "distribution", "windows", "kernel", "driver", "package", "toolkit",
         "program", "place", "part")  # fmt: skip


def _is_named(things: tuple[Thing, ...]) -> bool:
    return any(one.sort in _REAL for one in things)


def may_stand_beside(clause: Clause) -> bool:
    """Tell whether a clause that says nothing by itself may be told with its neighbour."""
    text = clause.text
    is_open = _FORMS.modal.search(text) or _FORMS.not_beside.search(text)
    return not is_open and not is_condition(text)


def with_words(one: Statement, clause: Clause, *, is_ahead: bool = False) -> Statement:
    """Return the statement with the words of a clause of its sentence that says nothing itself."""
    words = tidy(clause.text)
    if len(words) < _SHORTEST or not one.says or words in one.says:
        return one
    says = f"{words}, {one.says}" if is_ahead else f"{one.says}, {words}"
    return one if len(says) > _LONGEST else msgspec.structs.replace(one, says=says)


def with_subject(one: Statement, clause: Clause, ahead: list[Clause]) -> Statement:
    """Return the statement; one whose clause begins with its verb is of the noun ahead of it."""
    if one.subject or one.what not in ("works", "fails", "shows", "symptom", "absent") or not ahead:
        return one
    head = condition_of(ahead[0].text)
    is_noun = _FORMS.noun_ahead.match(head) and len(head.split()) <= _MOST_OF_A_NOUN
    if not is_noun or not _FORMS.verb_first.match(clause.text):
        return one
    when = one.when or ahead[0].context.when
    return msgspec.structs.replace(one, subject=head, when=when)


def title_of(clause: Clause, page: Page) -> Statement:
    """Return what a post is about by its title."""
    says = tidy(clause.sentence)[:_LONGEST]
    return msgspec.structs.replace(page.base(clause), what="about", says=says)
