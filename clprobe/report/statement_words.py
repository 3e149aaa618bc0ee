# SPDX-License-Identifier: MIT
"""What a report says, a line a statement: on which line, what kind, about what, in its words."""

from collections.abc import Iterable, Iterator

from clprobe.model.statement import Statement

HEADING = "What was read"
_OUTCOMES = {
    "in vain": " in vain",
    "helped": ", helped",
    "worse": ", made it worse",
    "back": ", the trouble came back",
}
_PLACES = {"another machine": "on another machine", "host": "on the host"}


def statement_lines(statements: Iterable[Statement]) -> Iterator[str]:
    """Yield each statement in a line, as text that may hold anything a report holds."""
    for one in statements:
        yield f"line {one.line}: {statement_words(one)}"


def statement_words(one: Statement) -> str:
    """Return a statement as it is shown: "fails: darktable crashes (with Mesa 20.3; before)"."""
    told = _told(one)
    around = [*_of_time_and_place(one), *(u for u in one.under if u.lower() not in told.lower())]
    words = f"{_kind(one)}: {told}"
    return f"{words} ({'; '.join(around)})" if around else words


def _kind(one: Statement) -> str:
    kind = one.what
    if one.outcome:
        kind = f"{kind}{_OUTCOMES[one.outcome]}"
    return f"{kind}, denied" if one.negated else kind


def _told(one: Statement) -> str:
    """Return the words; with the subject before them where they do not name it themselves."""
    says = one.says or one.version
    if not one.subject:
        return says
    separator = ": " if one.what == "field" else " "
    if not one.says:
        return f"{one.subject} {one.version}"
    if one.what == "field" or one.subject.lower() not in says.lower():
        return f"{one.subject}{separator if one.what == 'field' else ': '}{says}"
    return says


def _of_time_and_place(one: Statement) -> Iterator[str]:
    if one.who:
        yield f"as {one.who}"
    if one.where:
        yield _PLACES.get(one.where, f"in the {one.where}")
    if one.when:
        yield one.when
