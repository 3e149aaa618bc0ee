# SPDX-License-Identifier: MIT
"""What somebody only guesses, or has from others, is no statement."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from clprobe.knowledge.printed import Forms
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.statements.circumstances import is_condition
from clprobe.paste.statements.predicates import Said, tidy

_FORMS = Forms("statements")
_CLAUSES = Forms("clauses")
_GUESS_WORDS = 4
_LONGEST_VERB = 12
""""It will crash" tells what happens, "it will be mended" does not: the verb decides."""


def sure_of(clauses: list[Clause]) -> list[Clause]:
    """Return the clauses of which none is a guess, nor goes on with one.

    A short guess is of the clause beside it. What stands in parentheses, or before a contrast,
    says nothing of what follows.
    """
    kept: list[Clause] = []
    is_guess, is_within = False, False
    for place, one in enumerate(clauses):
        is_guess = is_guess and not _CLAUSES.contrast.match(one.text)
        is_within = is_within and _is_within(one)
        if not _is_unsure(one):
            kept += [] if is_guess or is_within else [one]
            continue
        if _is_short(one) and place > 0 and not _is_aside(one):
            kept = kept[:-1]
        # "I think, it works": the guess ahead is of all that follows, too.
        is_guess, is_within = not _is_aside(one), _is_aside(one)
    return kept


def guesses_in(clauses: Sequence[Clause]) -> Iterator[str]:
    """Yield what somebody only guesses, with the words that say so."""
    for place, one in enumerate(clauses):
        if not _is_unsure(one) or is_hearsay(one):
            continue
        words = tidy(one.text)
        if _is_short(one) and place > 0:
            words = f"{tidy(clauses[place - 1].text)}, {words}"
        elif _is_short(one) and place + 1 < len(clauses):
            words = f"{words}, {tidy(clauses[place + 1].text)}"
        reason = clauses[place + 1].text if place + 1 < len(clauses) else ""
        if _FORMS.reason.match(reason):
            words = f"{words}, {tidy(reason)}"
        if len(words.split()) >= _GUESS_WORDS and _FORMS.tells_of_machine.search(words):
            yield words


def _is_unsure(clause: Clause) -> bool:
    text = clause.text
    return bool(_CLAUSES.unsure.search(text) or _FORMS.guesses.search(text))


def _is_short(clause: Clause) -> bool:
    return len(clause.text.split()) <= _GUESS_WORDS


def _is_within(clause: Clause) -> bool:
    """Tell whether a clause stands in parentheses."""
    ahead = clause.sentence[: max(clause.sentence.find(clause.text), 0)]
    return ahead.count("(") > ahead.count(")")


def _is_aside(clause: Clause) -> bool:
    """Tell whether a clause begins in parentheses."""
    at = clause.sentence.find(clause.text)
    return at > 0 and clause.sentence[:at].rstrip().endswith("(")


def asks(clause: Clause) -> bool:
    """Tell whether a clause of a question asks itself, and is no condition."""
    return _FORMS.asks.match(clause.text) is not None and not is_condition(clause.text)


def question_of(clauses: Sequence[Clause]) -> str:
    """Return what a sentence asks of the machine or a program; "" if it asks only for help."""
    sentence = clauses[0].sentence
    if sentence.endswith("?"):
        asking = [*filter(asks, clauses), *filter(_is_unsure, clauses)]
        first = asking[0] if asking else None
        if first is None:
            return ""  # "Enable the device?", as programs ask
        asked = sentence[max(sentence.find(first.text), 0) :]
    else:
        found = _FORMS.asks_indirectly.search(sentence)
        asked = sentence[found.start() :] if found is not None else ""
    words = tidy(asked)
    is_telling = _FORMS.tells_of_machine.search(words) is not None
    is_printed = sentence[:1] in "<>{[|" or _FORMS.asks_people.match(words) is not None
    return words if is_telling and not is_printed and len(words.split()) > 2 else ""


def is_idle(said: Said, text: str) -> bool:
    """Tell whether what is said is only wished, asked, told in general, or of the post itself."""
    if said.what == "wants":
        return said.negated
    if _FORMS.attaches.match(text) or _FORMS.in_general.match(text[said.start :]):
        return True
    if said.what == "did" and _FORMS.of_post.search(said.says):
        return True
    if any(said.what in kinds and form.match(text) for kinds, form in _idle_forms()):
        return True
    found = _FORMS.modal.search(text[: said.start + _LONGEST_VERB])
    return found is not None and found.start() < said.start


@cache
def _idle_forms() -> tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]:
    """Return how clauses begin that say nothing of the kinds beside it."""
    return (
        (("works", "fails"), _FORMS.open_ahead),
        (("is", "has"), _FORMS.here_is),
        (("is", "has"), _FORMS.in_comparison),
        (("did", "installed"), _FORMS.how_to),
    )


def is_hearsay(clause: Clause, *, is_step: bool = False) -> bool:
    """Tell whether a clause is about what others say or have, or is said to others.

    `is_step`: it stands in a list of steps, in which a bidding tells what was done.
    """
    at = clause.sentence.find(clause.text)
    # Behind parentheses a verb has the subject before them: "the kernels (of x) do not compile".
    is_bidding = not is_step and not clause.sentence[: max(at, 0)].rstrip().endswith(")")
    if is_bidding and _FORMS.courtesy.search(clause.text):
        return True
    return _CLAUSES.hearsay.search(clause.text) is not None
