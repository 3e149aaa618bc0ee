# SPDX-License-Identifier: MIT
"""Under which circumstances a clause holds: with which kernel, as whom, on what, since what."""

import re
from collections.abc import Iterator

from clprobe.knowledge.printed import Forms
from clprobe.paste.statements.predicates import tidy
from clprobe.paste.statements.things import things_in

_FORMS = Forms("statements")
_MOST = 4
_OF_TIME = ("after", "since", "until", "before")


def circumstances_in(text: str, *, but: str = "") -> tuple[str, ...]:
    """Return the phrases of a clause that tell a circumstance, and not what is done (`but`)."""
    found = (one for one in _phrases(text) if one != but)
    return tuple(dict.fromkeys(found))[:_MOST]


def _phrases(text: str) -> Iterator[str]:
    last, end = "", -1
    for found in _FORMS.circumstance.finditer(text):
        how, what = found["how"].lower(), tidy(found["what"])
        if last and how == "from" and found.start() - end <= 1:
            last, end = f"{last} {how} {what}", found.end()  # "after upgrading from 5.15 to 6.2"
            continue
        if last:
            yield last
        last, end = (f"{how} {what}", found.end()) if _tells(how, what) else ("", -1)
        if last and not (how in _OF_TIME and _FORMS.change.search(what)):
            yield last
            last = ""
    if last:
        yield last


def _tells(how: str, what: str) -> bool:
    if how in (*_OF_TIME, "for") and _FORMS.time.search(what):
        return True
    if how in _OF_TIME and _FORMS.change.search(what):
        return True
    if how in ("as", "by", "for") and not _FORMS.person.search(what):
        return False
    if _FORMS.person.search(what) or _FORMS.around.search(what):
        return True
    if _FORMS.environment.search(what):
        return True
    return bool(things_in(what)) or re.search(r"\d\.\d", what) is not None


def condition_of(text: str) -> str:
    """Return the clause of a condition without what joins it to others."""
    is_while = _FORMS.while_doing.match(text) is not None
    return tidy(text if is_while else _FORMS.lead.sub("", text))


def holds(text: str) -> bool:
    """Tell whether a clause is a condition alone, without anything that follows from it."""
    return is_condition(text) and _FORMS.main_behind.match(text) is None


def is_condition(text: str) -> bool:
    """Tell whether a clause only says when the others of its sentence hold."""
    return _FORMS.condition.match(text) is not None


def distinct(circumstances: tuple[str, ...]) -> tuple[str, ...]:
    """Return the circumstances without those that are a part of another one."""
    kept: list[str] = []
    for one in circumstances:
        if one and not any(one.lower() in other.lower() for other in kept):
            kept.append(one)
    return tuple(kept)


def changes_in(circumstances: tuple[str, ...]) -> Iterator[str]:
    """Yield the circumstances that are a change, since which something is otherwise."""
    for one in circumstances:
        how, _, what = one.partition(" ")
        is_change = _FORMS.change.search(what) or (how == "since" and _FORMS.time.search(what))
        if how in ("since", "after", "until") and is_change:
            yield one
