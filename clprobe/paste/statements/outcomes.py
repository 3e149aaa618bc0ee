# SPDX-License-Identifier: MIT
"""What came of an attempt, or of anything that was done."""

from clprobe.knowledge.printed import Forms

_FORMS = Forms("statements")
_TRIALS = Forms("trials")
_MUCH, _SOME = 400, 120


def outcome_in(text: str) -> str:
    """Return what a text tells to have come of something; "" if nothing, or this and that."""
    told = text[:_MUCH]
    outcome = _TRIALS.meaning("outcomes", told) or ""
    if outcome not in ("in vain", "helped"):
        return outcome
    good = list(_TRIALS.patterns["outcomes"]["helped"].finditer(told))
    denied = [one for one in good if _FORMS.denies.search(told[: one.start()])]
    if outcome == "helped":
        return "helped" if not denied else "in vain" if len(denied) == len(good) else ""
    return "in vain" if len(denied) == len(good) else ""


def outcome_of(text: str, following: str, title: str = "") -> str:
    """Return what came of an attempt: by its own sentence, one that goes on with it, or a title."""
    told = _with_next(text, following)
    if outcome := outcome_in(told):
        return outcome
    if _FORMS.in_vain.search(told):
        return "in vain"
    if _FORMS.helped.search(told):
        return "helped"
    return "in vain" if _FORMS.in_vain.search(title) else ""


def came_of(text: str, following: str) -> str:
    """Return what came of what was done, by the rest of its sentence or the next one.

    It helped only if that is told at once: of several deeds the last one did.
    """
    outcome = outcome_in(_with_next(text, following))
    if outcome != "helped" or _TRIALS.goes_with.match(text):
        return outcome
    return outcome_in(_with_next(" , ".join(text.split(" , ")[:2]), following))


def _with_next(text: str, following: str) -> str:
    if _TRIALS.goes_on.match(following):
        return f"{text[: _MUCH - _SOME]} . {following[:_SOME]}"
    return text[:_MUCH]
