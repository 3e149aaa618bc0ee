# SPDX-License-Identifier: MIT
"""What somebody only guesses, or has from others, is no statement."""

import re
from functools import cache

from clprobe.knowledge.printed import Forms
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.statements.predicates import Said

_FORMS = Forms("statements")
_CLAUSES = Forms("clauses")
_GUESS_WORDS = 4
_LONGEST_VERB = 12
""""It will crash" tells what happens, "it will be mended" does not: the verb decides."""


def sure_of(clauses: list[Clause]) -> list[Clause]:
    """Return the clauses before the first that is a guess; a guess behind is of the one before."""
    if clauses and _CLAUSES.unsure.search(clauses[0].text):
        is_short = len(clauses[0].text.split()) <= _GUESS_WORDS
        clauses = clauses[1:] if is_short and len(clauses) > 1 else []
    place = next(
        (at for at, one in enumerate(clauses) if _CLAUSES.unsure.search(one.text)), len(clauses)
    )
    is_behind = place < len(clauses) and len(clauses[place].text.split()) <= _GUESS_WORDS
    return clauses[: max(place - 1, 0) if is_behind else place]


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
        (("did", "installed"), _FORMS.how_to),
    )


def is_hearsay(clause: Clause) -> bool:
    """Tell whether a clause is about what others say or have, or is said to others."""
    at = clause.sentence.find(clause.text)
    # Behind parentheses a verb has the subject before them: "the kernels (of x) do not compile".
    is_bidding = not clause.sentence[: max(at, 0)].rstrip().endswith(")")
    if is_bidding and _FORMS.courtesy.search(clause.text):
        return True
    return _CLAUSES.hearsay.search(clause.text) is not None
