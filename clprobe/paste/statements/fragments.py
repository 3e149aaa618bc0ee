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
    if _FORMS.it_is_same.match(clause.text):
        told = {"subject": before.subject, "what": before.what, "negated": before.negated}
        yield msgspec.structs.replace(page.base(clause), says=tidy(clause.text), **told)
        return
    no, yes = (form.match(clause.text) for form in (_FORMS.elliptic_no, _FORMS.elliptic_yes))
    found = no or yes
    if found is None:
        return
    parts = found.groupdict()
    about = parts["subject"] or parts.get("around") or ""
    subject = subject_of(about, things_in(about), len(about))
    if before.subject and _FORMS.only_versions.match(about):
        subject = f"{before.subject} {tidy(about)}"
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


def printed(first: Clause, page: Page) -> list[Statement]:
    """Return the error that a sentence is as a program printed it: "Unknown OpenCL Error"."""
    text = first.sentence
    is_error = _FORMS.error_like.search(text) and _FORMS.prints_error.match(text)
    if not is_error or first.is_title:
        return []
    error = msgspec.structs.replace(page.base(first), what="error", says=tidy(text)[:_LONGEST])
    return [error]


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
        is_unsure = is_unsure or _FORMS.in_comparison.match(clause.text)
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


def nominal(clause: Clause, page: Page) -> Iterator[Statement]:
    """Yield what there is by a clause that is its name, and what it is from or with."""
    text = clause.text
    is_open = clause.doubtful or clause.foreign or clause.negated or clause.is_title
    if is_open or clause.lines[0] in page.fields or _FORMS.no_nominal.search(text):
        return
    if is_condition(text) or _FORMS.modal.search(text) or _FORMS.not_beside.search(text):
        return
    if page.above(clause).kind or command_of(text):
        return
    things = [one for one in things_in(text) if one.sort in _THERE]
    if not things or not _FORMS.nominal.match(text[: things[0].start]):
        return
    if things[0].sort not in _NAMED and not _FORMS.nominal_behind.match(text[things[0].end :]):
        return
    words = tidy(text)
    more = words.lower().replace(things[0].name.lower(), "").replace(things[0].version, "")
    is_more = len(more.split()) >= _LEAST_BESIDE or _is_of_a_list(clause, things[0], words)
    if is_more and len(words) <= _LONGEST:
        base = page.base(clause)
        # Beside this a distribution is told with its release: it must not count as told.
        subject = "" if things[0].sort == "distribution" else things[0].name
        yield msgspec.structs.replace(base, what="has", who="", subject=subject, says=words)


def _is_of_a_list(clause: Clause, thing: Thing, words: str) -> bool:
    """Tell whether a clause is a bare name within a list of what there is, without any verb."""
    is_bare = words.lower() == thing.name.lower() and thing.sort in ("driver", "package")
    parts = clause.sentence.count(",") + 1
    is_list = parts >= _LEAST_OF_A_LIST and not _FORMS.no_nominal.search(clause.sentence)
    return is_bare and is_list


def heads(clause: Clause) -> bool:
    """Tell whether what follows in the sentence is said of the clause: "mesa from git: crashes"."""
    at = clause.sentence.find(clause.text)
    return at >= 0 and clause.sentence[at + len(clause.text) :].lstrip().startswith(":")


def number_of(clause: Clause, before: Statement, page: Page) -> Iterator[Statement]:
    """Yield the number of what was named before it: "Windows 10 Pro, OS build 21277.1000"."""
    found = _FORMS.number_of.match(clause.text)
    if found is not None and before.what in ("has", "version", "uses", "is"):
        named = before.subject.removesuffix(" version").removesuffix(" build")
        subject = f"{named} {found['name'].lower()}".strip()
        base = page.base(clause)
        yield msgspec.structs.replace(
            base, what="version", who="", subject=subject, version=found["version"]
        )


_LEAST_OF_A_LIST = 3
_LEAST_BESIDE = 2
"""So many words beside its name make more of it than a name, which is told elsewhere."""
_NAMED = ("gpu", "processor", "distribution", "machine", "windows")
_THERE = ("gpu", "processor", "distribution", "machine", "windows", "kernel", "driver", "package",
          "toolkit", "program")  # fmt: skip
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
    is_short = len(words) < _SHORTEST and not _FORMS.short_version.match(words)
    if is_short or not one.says or words in one.says:
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
