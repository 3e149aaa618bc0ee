# SPDX-License-Identifier: MIT
"""Does a device have what is asked of one? Each point is answered with what the device has."""

from collections.abc import Iterator
from typing import NamedTuple

from clprobe.facts.facts import DeviceFacts
from clprobe.knowledge.tables import Tables
from clprobe.model.unknown import Unknown
from clprobe.needs.answer import Point
from clprobe.needs.queries import TYPE, Query, queries_of
from clprobe.needs.truth import Truth, every, in_words, opposite, some
from clprobe.needs.written import DeviceNeed

WORKS = "a driver that works"


class Judged(NamedTuple):
    """One device: whether it fulfils the need, whether it is of its kind, and what is open."""

    truth: Truth
    of_kind: Truth
    open: tuple[Point, ...]


def judge_device(
    need: DeviceNeed, device: DeviceFacts, tables: Tables, *, fatal: str | None = None
) -> Judged:
    """Return whether a device has all that is asked; what does not work has nothing.

    `fatal`: why no program lives to use it.
    """
    works = Query("works", WORKS, False, fatal) if fatal is not None else _works(device)
    answered = [*_answered(need, device, tables), (works, _point(works))]
    points = tuple(point for _, point in answered if point.answer != "yes")
    kinds = [query.truth for query in queries_of(need, device, tables) if query.key == TYPE]
    return Judged(every(query.truth for query, _ in answered), every(kinds), points)


def words_of(need: DeviceNeed | None, tables: Tables) -> str:
    """Return what is asked of a device, in words."""
    if need is None or need == DeviceNeed():
        return "any device"
    nothing = DeviceFacts()
    parts = [query.needs for query in queries_of(need, nothing, tables)]
    parts += [_group(kind, parts_of, tables) for kind, parts_of in _groups(need)]
    return ", ".join(parts)


def _answered(
    need: DeviceNeed, device: DeviceFacts, tables: Tables
) -> Iterator[tuple[Query, Point]]:
    for query in queries_of(need, device, tables):
        yield query, _point(query)
    for kind, parts in _groups(need):
        inner = [judge_parts(part, device, tables) for part in parts]
        truth = opposite(some(inner)) if kind == "none" else (
            some(inner) if kind == "any" else every(inner)
        )  # fmt: skip
        has = _has_of(kind, parts, inner, device, tables)
        query = Query(kind, _group(kind, parts, tables), truth, has)
        yield query, _point(query)


def judge_parts(need: DeviceNeed, device: DeviceFacts, tables: Tables) -> Truth:
    """Return whether a device has all that is asked, works or not."""
    return every(query.truth for query, _ in _answered(need, device, tables))


def _groups(need: DeviceNeed) -> Iterator[tuple[str, tuple[DeviceNeed, ...]]]:
    for kind in ("all", "any", "none"):
        if parts := getattr(need, kind):
            yield kind, parts


def _group(kind: str, parts: tuple[DeviceNeed, ...], tables: Tables) -> str:
    told = [words_of(part, tables) for part in parts]
    if kind == "all":
        return ", ".join(told)
    if kind == "none":
        return f"not ({' nor '.join(told)})" if len(told) > 1 else f"not {told[0]}"
    return f"({' or '.join(told)})"


def _has_of(
    kind: str, parts: tuple[DeviceNeed, ...], inner: list[Truth], device: DeviceFacts,
    tables: Tables,
) -> str:  # fmt: skip
    if kind == "none" and True in inner:
        return f"it is {words_of(parts[inner.index(True)], tables)}"
    told = [
        query.has
        for part in parts
        for query, _ in _answered(part, device, tables)
        if query.truth is not True
    ]
    return "; ".join(dict.fromkeys(told)) or "all of it"


def _works(device: DeviceFacts) -> Query:
    usable = device.usable
    if usable is False:
        result = device.kernel_result
        wrong = isinstance(result, str) and result != "right"
        has = f"its kernel: {result}" if wrong else "it is not available, or its driver died"
        return Query("works", WORKS, False, has)
    if isinstance(device.builds_nothing, str):
        return Query("works", WORKS, False, device.builds_nothing)
    if isinstance(usable, Unknown):
        return Query("works", WORKS, None, usable.unknown)
    return Query("works", WORKS, True, "it works")


def _point(query: Query) -> Point:
    return Point(needs=query.needs, answer=in_words(query.truth), has=query.has)
