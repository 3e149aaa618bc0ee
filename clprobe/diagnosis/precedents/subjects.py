# SPDX-License-Identifier: MIT
"""What a case is about, and what a rule is about: vendors, places, drivers, programs."""

from functools import cache

from clprobe.knowledge.printed import Forms

_FORMS = Forms("subjects")


def subjects_in(text: str) -> frozenset[str]:
    """Return the subjects that a text names."""
    patterns = _FORMS.patterns["subjects"]
    return frozenset(name for name, form in patterns.items() if form.search(text))


@cache
def subjects_of_rule(topic: str, rule: str) -> frozenset[str]:
    """Return what a rule is about, by its own names: without these a case is hardly about it."""
    named = f"{topic} {rule.replace('-', ' ')}"
    return frozenset(
        one for one in _FORMS.patterns["subjects"] if f" {one.replace('-', ' ')} " in f" {named} "
    )
