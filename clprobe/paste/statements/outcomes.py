# SPDX-License-Identifier: MIT
"""What came of an attempt."""

from clprobe.knowledge.printed import Forms

_FORMS = Forms("statements")


def outcome_of(text: str, following: str, title: str = "") -> str:
    """Return what came of an attempt: by its own sentence, one that goes on with it, or a title."""
    told = text[:400]
    if _FORMS.goes_on.match(following):
        told = f"{told} . {following[:200]}"
    if _FORMS.in_vain.search(told):
        return "in vain"
    if _FORMS.helped.search(told):
        return "helped"
    return "in vain" if _FORMS.in_vain.search(title) else ""


def is_in_vain(text: str, following: str) -> bool:
    """Tell whether what was done did not help, by the rest of its sentence or the next one."""
    goes_on = _FORMS.goes_on.match(following) is not None
    return _FORMS.no_help.search(f"{text[:400]} . {following[:120] if goes_on else ''}") is not None
