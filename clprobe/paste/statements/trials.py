# SPDX-License-Identifier: MIT
"""What somebody tried, with its object and what came of it, where no verb of trying tells it."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.statements.circumstances import circumstances_in
from clprobe.paste.statements.outcomes import outcome_in
from clprobe.paste.statements.page import Page
from clprobe.paste.statements.parts import parts_of
from clprobe.paste.statements.predicates import tidy
from clprobe.paste.statements.things import Thing, things_in

_FORMS = Forms("statements")
_TRIALS = Forms("trials")
_LONGEST = 220
_LONGEST_OBJECT = 70
_MOST_WORDS = 16
DEEDS = ("did", "installed", "removed", "changed", "tried")
"""What may have been an attempt."""
_OBJECTS = ("package", "driver", "kernel", "toolkit", "variable", "option", "parameter", "program",
            "distribution", "file", "node", "image", "gpu", "group")  # fmt: skip
_MENDING = ("package", "driver", "kernel", "toolkit", "variable", "option", "parameter",
            "distribution", "image", "source")  # fmt: skip
"""What is exchanged or set to mend something; a program or a GPU that behaves the same is none."""


class Told(NamedTuple):
    """A sentence, by its first clause, and what it says."""

    first: Clause
    statements: list[Statement]


def measured(clause: Clause, page: Page) -> Iterator[Statement]:
    """Yield the attempt of which a clause tells the outcome: "Downgrading mesa fixes it"."""
    text = clause.text
    things = things_in(text)
    if clause.sentence.endswith("?"):
        return
    if (needed := _TRIALS.had_to.search(text)) is not None:
        yield msgspec.structs.replace(
            page.base(clause),
            what="tried",
            subject=object_of(needed["measure"]),
            says=tidy(text[needed.start() :])[:_LONGEST],
            outcome="helped",
        )
        return
    if _FORMS.modal.search(text):
        return
    about, outcome = _ahead_of_outcome(text, things) or _behind_outcome(text) or ("", "")
    behind = _TRIALS.tried_behind.match(text) if not about else None
    is_own = behind is not None and not _TRIALS.person.search(text)
    if behind is not None and is_own and not _FORMS.denies.search(behind["object"]):
        about, outcome = behind["object"], outcome_in(clause.sentence)
    if not about:
        return
    base = page.base(clause)
    told = msgspec.structs.replace(
        base,
        what="tried",
        subject=object_of(about),
        says=tidy(text)[:_LONGEST],
        outcome=outcome,
    )
    yield told
    yield from parts_of(text, things, base, clause)


def _ahead_of_outcome(text: str, things: tuple[Thing, ...]) -> tuple[str, str] | None:
    """Return the measure with which a clause begins, and the outcome that it tells behind it."""
    measure = _TRIALS.measure.match(text)
    found = _TRIALS.first("outcomes", text[measure.end() :]) if measure is not None else None
    if measure is None or found is None or _TRIALS.earlier.match(text):
        return None
    end = measure.end() + found[1].start()
    about = text[:end]
    is_deed = _TRIALS.gerund.match(measure[0]) is not None or "=" in measure[0]
    if len(about.split()) > _MOST_WORDS or _TRIALS.person.search(about):
        return None
    if not is_deed:
        mends = any(one.sort in _MENDING and one.start < end for one in things)
        if not (mends or _TRIALS.act.search(about)) or _TRIALS.works_itself.match(found[1][0]):
            return None
    return tidy(about), outcome_in(text)


def _behind_outcome(text: str) -> tuple[str, str] | None:
    """Return the measure that stands behind its outcome: "no change after reinstalling it"."""
    found = _TRIALS.result_ahead.match(text)
    if found is None:
        return None
    about = found["measure"]
    is_act = _TRIALS.measure.match(about) or _TRIALS.gerund.match(about)
    is_whom = _TRIALS.concerned.search(about) is not None
    mends = not is_whom and any(one.sort in _MENDING for one in things_in(about))
    return (tidy(about), "in vain") if is_act or mends else None


def attempts_in(
    clause: Clause, outcome: str, page: Page, *, is_listed: bool
) -> Iterator[Statement]:
    """Yield what a clause tells as an attempt because its sentence tells of attempts.

    `is_listed`: the sentence announced a list of them; else its verb must be one of doing.
    """
    if _FORMS.modal.search(clause.text) or _TRIALS.first("outcomes", clause.text):
        return
    is_entry = is_listed and not _FORMS.no_subject.match(clause.text)
    if not is_entry and not (outcome and _TRIALS.gerund.match(clause.text)):
        return
    base = page.base(clause)
    yield msgspec.structs.replace(
        base,
        what="tried",
        subject=object_of(clause.text),
        says=tidy(clause.text)[:_LONGEST],
        outcome=outcome,
        under=circumstances_in(clause.text),
    )
    yield from parts_of(clause.text, things_in(clause.text), base, clause)


def with_result(clauses: Sequence[Clause], page: Page) -> Iterator[Statement]:
    """Yield the attempt of a sentence that is its name and its result: "Other kernels: same"."""
    first = clauses[0]
    found = _TRIALS.colon.match(tidy(first.sentence))
    if found is None or first.is_title:
        return
    about, outcome = found["measure"], outcome_in(found["result"])
    things = things_in(about)
    is_measure = any(one.sort in _MENDING for one in things) or _TRIALS.act.search(about)
    is_said = _TRIALS.person.search(about) or _TRIALS.verb.search(about)
    if outcome in ("", "helped") or not is_measure or is_said:
        return
    base = page.base(first)
    says = tidy(first.sentence)[:_LONGEST]
    subject = object_of(about)
    yield msgspec.structs.replace(base, what="tried", subject=subject, says=says, outcome=outcome)
    yield from parts_of(about, things, base, first)


def announces_trials(clauses: Sequence[Clause]) -> bool:
    """Tell whether a sentence begins with "What I tried:" and goes on with a list."""
    first = clauses[0]
    at = first.sentence.find(first.text) + len(first.text)
    return len(clauses) > 1 and (
        first.sentence[at : at + 2].lstrip().startswith(":")
        and _TRIALS.list_of_trials.match(first.text) is not None
    )


def only_announces_trials(clauses: Sequence[Clause]) -> bool:
    """Tell whether a sentence is "Already tried:", and the attempts stand on the lines below."""
    text = clauses[0].sentence.rstrip()
    return (
        len(clauses) == 1
        and text.endswith(":")
        and _TRIALS.list_of_trials.match(text.rstrip(": ")) is not None
    )


def object_of(text: str) -> str:
    """Return what an attempt is about, by its name and version; else its own few words."""
    found = _TRIALS.group.search(text)
    if found is not None:
        return found["group"]
    things = things_in(text)
    one = next((one for one in things if one.sort in _OBJECTS), None)
    if one is not None:
        return f"{one.name} {one.version}" if one.version not in one.name else one.name
    words = tidy(_TRIALS.measure_lead.sub("", text))
    return words if len(words) <= _LONGEST_OBJECT else ""


def with_outcomes(told: Sequence[Told]) -> Iterator[Statement]:
    """Yield all statements; of deeds one after another, what is said to have come of the last."""
    outcome, line = "", 0
    ready: list[list[Statement]] = []
    for one in reversed(told):
        given = one.statements
        is_near = 0 <= line - one.first.lines[-1] <= _NEAR
        deeds = [told for told in given if told.what in DEEDS and not told.negated]
        if deeds and outcome and is_near:
            given = [
                msgspec.structs.replace(told, outcome=outcome)
                if told in deeds and not told.outcome
                else told
                for told in given
            ]
        goes_with = _TRIALS.goes_with.match(one.first.sentence) is not None
        of_all = outcome_in(one.first.sentence) if _is_of_all(one.first.sentence) else ""
        if of_all:
            outcome = of_all
        elif goes_with and deeds:
            outcome = next((told.outcome for told in given if told.what in DEEDS), "")
            outcome = "" if outcome == "back" else outcome
        elif not (deeds and is_near and outcome and page_is_list(one)):
            outcome = ""
        line = one.first.lines[0]
        ready.append(given)
    for given in reversed(ready):
        yield from given


_NEAR = 2
"""So many lines may stand between a deed and what came of it."""


def page_is_list(one: Told) -> bool:
    """Tell whether a sentence only tells deeds, as an entry of a list of attempts does."""
    return all(told.what in (*DEEDS, "version", "sets", "uses", "has") for told in one.statements)


def _is_of_all(sentence: str) -> bool:
    return _TRIALS.none_of_them.match(sentence) is not None
