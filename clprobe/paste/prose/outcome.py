# SPDX-License-Identifier: MIT
"""Whether a clause says that something works, or names what is missing."""

from clprobe.knowledge.printed import Forms
from clprobe.paste.prose.clauses import Clause

_FORMS = Forms("told_views")
_SHORT = 8


def is_good(clause: Clause) -> bool:
    """Tell whether the clause says that all is well, or was: no word of it denies that."""
    return (
        _FORMS.works.search(clause.text) is not None
        and not clause.negated
        and not clause.doubtful
        and _FORMS.fails.search(clause.text) is None
    )


def was_good(clause: Clause) -> bool:
    """Tell whether the clause names what went well: "Mesa 20.2.3: works", "fine with 6.7"."""
    sentence = clause.sentence
    is_short = len(sentence.split()) <= _SHORT
    return is_good(clause) or (
        is_short
        and _FORMS.works.search(sentence) is not None
        and _FORMS.fails.search(sentence) is None
    )
