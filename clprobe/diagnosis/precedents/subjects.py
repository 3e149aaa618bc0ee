# SPDX-License-Identifier: MIT
"""What a case is about, and what a rule is about: vendors, places, drivers, programs."""

from functools import cache

from clprobe.knowledge.literals import may_hold, small
from clprobe.knowledge.printed import Forms

_FORMS = Forms("subjects")
_LONG = 1 << 14
"""In a text of so many characters, letters are looked for before forms are."""


def subjects_in(text: str) -> frozenset[str]:
    """Return the subjects that a text names."""
    patterns = _FORMS.patterns["subjects"].items()
    low = small(text) if len(text) >= _LONG else None
    return frozenset(
        name
        for name, form in patterns
        if (low is None or may_hold(low, form)) and form.search(text)
    )


@cache
def subjects_of_rule(topic: str, rule: str) -> frozenset[str]:
    """Return what a rule is about, by its own names: without these a case is hardly about it."""
    named = f"{topic} {rule.replace('-', ' ')}"
    return frozenset(
        one for one in _FORMS.patterns["subjects"] if f" {one.replace('-', ' ')} " in f" {named} "
    )
