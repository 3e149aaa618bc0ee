# SPDX-License-Identifier: MIT
"""Letters without which an expression is found in no text, read from the expression itself.

To look in a long text for a few letters takes a hundredth of what an expression takes, line by
line. What is told here is never too much: a text without the letters has no match.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from typing import Any, TypeAlias

import msgspec

try:
    from re import _parser as parser  # type: ignore[attr-defined]
except ImportError:  # Python 3.10
    import sre_parse as parser

_MOST_STRINGS = 32
_LONGEST_STRING = 60
_LETTERS = re.compile(r"[a-z]{2,}")
_MARKS = re.compile(r"[^\sa-z0-9\0.,_-]+")
_OWN_CASE = str.maketrans("\u0130\u0131\u017f", "iis")
"""Letters that expressions take for i and s where case does not count, and `lower` does not."""
_OTHER = "\0"
"""Stands for a character of which nothing is known but that it is there."""
_Item: TypeAlias = tuple[Any, Any]


class AllOf(msgspec.Struct, frozen=True):
    """All of these have to be there."""

    parts: "tuple[Need, ...]"


class AnyOf(msgspec.Struct, frozen=True):
    """One of these has to be there."""

    parts: "tuple[Need, ...]"


Need: TypeAlias = str | AllOf | AnyOf
"""What has to be in a text: a run of small letters, or of marks such as "://", or several."""


@cache
def need_of(form: re.Pattern[str]) -> Need | None:
    """Return what each text holds in which the form is found; None: nothing is known."""
    return _of_all(parser.parse(form.pattern, form.flags & ~re.DEBUG))


def small(text: str) -> str:
    """Return the text with all letters in the case in which needs are told."""
    low = text if text.isascii() else text.translate(_OWN_CASE)
    return low.lower()


def is_met(need: Need, text: str) -> bool:
    """Tell whether a text in small letters holds what it has to."""
    if isinstance(need, str):
        return need in text
    is_any = isinstance(need, AnyOf)
    for part in need.parts:
        if (part in text if isinstance(part, str) else is_met(part, text)) is is_any:
            return is_any
    return not is_any


def may_hold(text: str, form: re.Pattern[str]) -> bool:
    """Tell whether the form may be found in a text, which is given in small letters."""
    need = need_of(form)
    return need is None or is_met(need, text)


def runs_in(need: Need | None) -> int:
    """Return how many runs of letters a need names."""
    if need is None or isinstance(need, str):
        return int(need is not None)
    return sum(map(runs_in, need.parts))


def _of_all(items: Iterable[_Item]) -> Need | None:
    """Return what a text holds that these items match one behind the other."""
    return _all_of(part for part in _parts(items) if part is not None)


def _parts(items: Iterable[_Item]) -> Iterator[Need | None]:
    run = frozenset({""})
    for item in _joined(items):
        if str(item[0]) == "ASSERT":  # what lies ahead or behind is in the text, too
            yield _of_all(item[1][1])
            continue
        strings = _strings(item)
        if strings is not None and len(run) * len(strings) <= _MOST_STRINGS:
            run = frozenset(map("".join, product(run, strings)))
            if max(map(len, run)) <= _LONGEST_STRING:
                continue
            yield _of_strings(run)
            run = frozenset({""})
            continue
        yield _of_strings(run)
        run = strings if strings is not None else frozenset({""})
        if strings is None:
            yield _within(item)
    yield _of_strings(run)


def _joined(items: Iterable[_Item]) -> Iterator[_Item]:
    """Give the items with letters that follow one another as one text."""
    text = ""
    for item in _flat(items):
        if str(item[0]) == "LITERAL":
            text += _small(item[1])
            continue
        if text:
            yield "TEXT", text
            text = ""
        yield item
    if text:
        yield "TEXT", text


def _flat(items: Iterable[_Item]) -> Iterator[_Item]:
    """Give the items with those of groups in their place, and without what is nowhere."""
    for kind, value in items:
        name = str(kind)
        if name == "SUBPATTERN":
            yield from _flat(value[-1])
        elif name == "ATOMIC_GROUP":
            yield from _flat(value)
        elif name not in ("AT", "ASSERT_NOT"):
            yield kind, value


def _strings(item: _Item) -> frozenset[str] | None:
    """Return all strings that an item matches, in small letters; None: they are too many."""
    name, value = str(item[0]), item[1]
    if name == "TEXT":
        return frozenset({value})
    if name == "IN":
        return frozenset(_small(one) if str(kind) == "LITERAL" else _OTHER for kind, one in value)
    if name in ("ANY", "NOT_LITERAL"):
        return frozenset({_OTHER})
    if name == "BRANCH":
        return _one_of_all(value[1])
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, most, part = value
        strings = _all_strings(part) if most == 1 else None
        return strings if strings is None or least == 1 else strings | {""}
    return None


def _one_of_all(branches: Sequence[Iterable[_Item]]) -> frozenset[str] | None:
    joined = frozenset[str]()
    for part in branches if len(branches) <= _MOST_STRINGS else ():
        strings = _all_strings(part)
        if strings is None or len(joined) + len(strings) > _MOST_STRINGS:
            return None
        joined |= strings
    return joined or None


def _all_strings(items: Iterable[_Item]) -> frozenset[str] | None:
    run = frozenset({""})
    for item in _joined(items):
        strings = _strings(item)
        if strings is None or len(run) * len(strings) > _MOST_STRINGS:
            return None
        run = frozenset(map("".join, product(run, strings)))
    return run


def _small(code: int) -> str:
    letter = chr(code).lower()
    return letter if len(letter) == 1 and letter.isascii() else _OTHER


def _within(item: _Item) -> Need | None:
    """Return what a text holds that an item matches which has too many strings."""
    name, value = str(item[0]), item[1]
    if name == "BRANCH":
        parts = tuple(dict.fromkeys(map(_of_all, value[1])))
        known = tuple(part for part in parts if part is not None)
        return _any_of(known) if known and len(known) == len(parts) else None
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and value[0] >= 1:
        return _of_all(value[2])
    return None


def _of_strings(strings: frozenset[str]) -> Need | None:
    """Return what a text holds that holds one of these strings."""
    runs = {frozenset(_LETTERS.findall(one) or _MARKS.findall(one)) for one in strings}
    fewest = [one for one in runs if not any(other < one for other in runs)]
    if frozenset() in fewest:
        return None
    return _any_of(part for one in fewest if (part := _all_of(sorted(one))) is not None)


def _all_of(needs: Iterable[Need]) -> Need | None:
    """Return all of the needs as one, without what others of them imply."""
    parts: set[Need] = set()
    for need in needs:
        parts |= set(need.parts) if isinstance(need, AllOf) else {need}
    runs = {one for one in parts if isinstance(one, str)}
    longest = sorted(one for one in runs if not any(one in other for other in runs - {one}))
    rest = [one for one in parts if isinstance(one, AnyOf) and not _is_implied(one, longest)]
    kept: tuple[Need, ...] = (*longest, *rest)
    return AllOf(kept) if len(kept) > 1 else kept[0] if kept else None


def _is_implied(need: AnyOf, runs: list[str]) -> bool:
    """Tell whether what holds all of the runs holds one of these, too."""
    return any(isinstance(one, str) and any(one in run for run in runs) for one in need.parts)


def _any_of(needs: Iterable[Need]) -> Need:
    """Return that one of the needs is there, without those that imply others of them."""
    parts: set[Need] = set()
    for need in needs:
        parts |= set(need.parts) if isinstance(need, AnyOf) else {need}
    runs = {one for one in parts if isinstance(one, str)}
    shortest = sorted(one for one in runs if not any(other in one for other in runs - {one}))
    rest = [one for one in parts if isinstance(one, AllOf) and not _implies(one, shortest)]
    kept: tuple[Need, ...] = (*shortest, *rest)
    return AnyOf(kept) if len(kept) > 1 else kept[0]


def _implies(need: AllOf, runs: list[str]) -> bool:
    """Tell whether what holds all of these holds one of the runs."""
    return any(isinstance(one, str) and any(run in one for run in runs) for one in need.parts)
