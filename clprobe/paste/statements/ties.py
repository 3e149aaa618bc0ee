# SPDX-License-Identifier: MIT
"""What ties the clauses of a sentence together: conditions, deeds before, verdicts, versions."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.statements.circumstances import circumstances_in, condition_of, holds
from clprobe.paste.statements.page import Page
from clprobe.paste.statements.predicates import said_in, tidy
from clprobe.paste.statements.things import things_in
from clprobe.paste.statements.trials import DEEDS

_FORMS = Forms("statements")
_CLAUSES = Forms("clauses")
_TIES = Forms("ties")
_HAPPENS = ("works", "fails", "shows", "symptom", "absent")
_LISTED = ("tried", "installed", "removed", "shows", "has", "uses")
_MENDING = ("installed", "removed", "changed")
_LONGEST_DEED = 120
_MOST_OF_A_SCENE = 14
_FARTHEST = 20
"""So many lines of output may stand between an outcome and its condition."""
_LONGEST = 220


def scenes_of(clauses: Iterable[Clause]) -> Iterator[str]:
    """Yield the circumstances of clauses that tell nothing else: "On Windows", "as root"."""
    for clause in clauses:
        yield from _scenes_in(clause.text)


@lru_cache(maxsize=256)
def _scenes_in(text: str) -> tuple[str, ...]:
    """Return those of one clause, which is asked for at each clause behind it."""
    is_scene = not any(said_in(text, things_in(text))) and _CLAUSES.sets_scene.match(text)
    return circumstances_in(text) if is_scene else ()


def held_over(held: list[str], clause: Clause) -> list[str]:
    """Return the conditions that hold for a clause, too: those of a contrast are its own."""
    is_contrast = _CLAUSES.contrast.match(clause.text) is not None
    return [] if is_contrast and circumstances_in(clause.text) else held


def tied(
    found: Sequence[Statement], given: Sequence[Statement], clause: Clause, held: Sequence[str]
) -> list[Statement]:
    """Return what a clause says, `found`, with what ties it to what its sentence said before.

    `held` are conditions that stand ahead: what somebody has or did does not hang on them.
    """
    told = list(after_deed(found, deed_of(given), clause.text, clause.sentence))
    outcome = next((one for one in reversed(given) if one.what in _HAPPENS), None)
    ready = []
    for one in told:
        change: dict[str, object] = {}
        if one.what not in _HAPPENS and held:
            change["under"] = tuple(u for u in one.under if u not in held)
        if outcome is not None and _TIES.versions_alone.match(one.subject):
            name = _TIES.version_at_end.sub("", outcome.subject)
            change["subject"] = f"{name} {one.subject}".strip()
        ready.append(msgspec.structs.replace(one, **change) if change else one)
    return ready


def after_deed(
    given: Sequence[Statement], deed: Statement | None, text: str, sentence: str = ""
) -> Iterator[Statement]:
    """Yield the statements; what happens "now" or "then" does so after the `deed` told before it.

    `sentence` is that of the clause, if the deed is told in it; it may go on with "and I get".

    A contrast with circumstances of its own is not of the deed.
    """
    if deed is None or any(one.what in DEEDS for one in given):
        yield from given
        return
    given = [_now(one, sentence or text) for one in given]
    is_own = sentence and deed.what in _MENDING and _TIES.goes_on.match(text) is not None
    if not is_own and _TIES.since_then.search(text) is None:
        yield from given
        return
    told = f"after: {tidy(_TIES.who_did.sub('', deed.says))}"
    for one in given:
        is_told = one.what in _HAPPENS and not one.under and not one.where
        yield msgspec.structs.replace(one, under=(told,)) if is_told else one


def _now(one: Statement, text: str) -> Statement:
    """Return what came of a deed; "it worked" is then told of now: "I ran clpeak. It worked"."""
    is_good = one.what in ("works", "shows")
    is_then = is_good and one.when == "before" and not _TIES.long_ago.search(text)
    return msgspec.structs.replace(one, when="") if is_then else one


def deed_of(given: Sequence[Statement]) -> Statement | None:
    """Return the last deed of a sentence, if what comes of it may stand behind."""
    deeds = [one for one in given if one.what in DEEDS and not one.negated and one.says]
    is_short = deeds and len(deeds[-1].says) <= _LONGEST_DEED and not deeds[-1].when
    return deeds[-1] if is_short else None


def announced_scene(clauses: Sequence[Clause]) -> str:
    """Return the condition or scene that a whole sentence is, with a colon at its end; else ""."""
    sentence = clauses[0].sentence.rstrip()
    words = tidy(_FORMS.lead.sub("", sentence)).rstrip(": ")
    is_own = sentence.endswith(":") and _TIES.printed_scene.match(sentence) is None
    if not is_own or clauses[0].is_title or len(words.split()) > _MOST_OF_A_SCENE:
        return ""
    opens = clauses[0].text
    is_scene = _CLAUSES.sets_scene.match(opens) is not None and circumstances_in(sentence)
    return words if is_scene or holds(opens) else ""


def continues_output(first: Clause) -> bool:
    """Tell whether a sentence goes on behind what was shown: "X prints … when run as root"."""
    goes_elsewhere = first.sentence.rstrip().endswith(("?", ":"))
    return first.text[:1].islower() and holds(first.text) and not goes_elsewhere


def continued(
    given: Sequence[Statement], before: Statement | None, first: Clause
) -> list[Statement]:
    """Return what a sentence says that goes on behind an output: "and says nothing more".

    It is of whom the outcome before the output is.
    """
    if before is None or not _TIES.goes_on_below.match(first.text):
        return list(given)
    is_near = 1 < first.lines[0] + 1 - before.line <= _FARTHEST
    return [
        msgspec.structs.replace(one, subject=before.subject)
        if is_near and one.what in _HAPPENS and not one.subject
        else one
        for one in given
    ]


def not_reached(last: Sequence[Statement], first: Clause, page: Page) -> Iterator[Statement]:
    """Yield that what was wanted in the sentence before does not come off: "But I can't"."""
    wanted = last[-1] if last and last[-1].what == "wants" else None
    if wanted is not None and _TIES.cannot.match(first.sentence):
        says = f"{wanted.says}, {tidy(first.sentence)}"[:_LONGEST]
        base = page.base(first)
        yield msgspec.structs.replace(base, what="fails", subject=wanted.subject, says=says)


def under_also(told: list[Statement], condition: str, line: int) -> None:
    """Add the condition of a `line` to the last outcome that was `told`, in place."""
    for place, one in reversed(list(enumerate(told))):
        if one.what in _HAPPENS and line + 1 - one.line <= _FARTHEST:
            under = (*one.under, condition_of(condition))
            told[place] = msgspec.structs.replace(one, under=under)
            return


def with_failures(given: Sequence[Statement]) -> list[Statement]:
    """Return what a sentence says; what was tried, and fails in its own words, was in vain."""
    ready: list[Statement] = []
    is_failed = False
    for one in reversed(given):
        is_vain = one.what == "tried" and not one.outcome and not one.negated and is_failed
        ready.append(msgspec.structs.replace(one, outcome="in vain") if is_vain else one)
        if one.what not in ("version", "sets", "error", "has", "uses"):
            is_failed = one.what in ("fails", "absent") and not one.negated and not one.when
    return ready[::-1]


def verdict(clause: Clause, before: Sequence[Clause], page: Page) -> Iterator[Statement]:
    """Yield what is said in parentheses of the noun before them: "a desktop (fails)"."""
    found = _TIES.verdict.match(clause.text)
    about = tidy(condition_of(before[-1].text)) if before else ""
    if found is None or not about or any(said_in(about, things_in(about))):
        return
    if f"{before[-1].text.rstrip()} ({clause.text.strip()}" not in clause.sentence:
        return
    says = f"{about}: {tidy(clause.text)}"[:_LONGEST]
    what = "works" if found["good"] else "fails"
    yield msgspec.structs.replace(page.base(clause), what=what, subject=about[:70], says=says)


def since_when(clause: Clause, found: Sequence[Statement], given: list[Statement]) -> bool:
    """Add to the outcome before it what a clause tells of since when or until when it holds."""
    is_alone = is_bare(found) and _TIES.since_alone.match(clause.text) is not None
    if not is_alone or not given or given[-1].what not in _HAPPENS:
        return False
    given[-1] = msgspec.structs.replace(given[-1], under=(*given[-1].under, tidy(clause.text)))
    return True


def is_bare(found: Sequence[Statement]) -> bool:
    """Tell whether nothing is found in a clause but versions and settings."""
    return all(one.what in ("version", "sets") for one in found)


def continues_list(clause: Clause, found: Sequence[Statement], given: Sequence[Statement]) -> bool:
    """Tell whether a clause without a verb goes on with what was tried or installed: "x, y"."""
    if not given or not is_bare(found) or given[-1].what not in _LISTED:
        return False
    at = clause.sentence.find(clause.text)
    ahead = clause.sentence[:at].rstrip(" ,").removesuffix(" and").rstrip(" ,")
    is_next = ahead.endswith(given[-1].says[-12:])
    return is_next and _TIES.entry.match(clause.text) is not None


def is_of_next(clause: Clause, ahead: Sequence[Clause], following: Sequence[Clause]) -> bool:
    """Tell whether a clause without a verb is of what follows it, and not of what is before."""
    is_judged = following and f"({following[0].text.strip()}" in clause.sentence
    if is_judged and _TIES.verdict.match(following[0].text) is not None:
        return True
    if not any(any(said_in(one.text, things_in(one.text))) for one in following):
        return False
    return _is_scene_ahead(clause) or (len(ahead) > 0 and _is_scene_ahead(ahead[-1]))


def _is_scene_ahead(clause: Clause) -> bool:
    """Tell whether a clause is a scene in contrast, of what follows: "but on the CPU"."""
    text = _FORMS.lead.sub("", clause.text)
    is_contrast = _CLAUSES.contrast.match(clause.text) is not None
    return is_contrast and _CLAUSES.sets_scene.match(text) is not None
