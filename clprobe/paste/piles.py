# SPDX-License-Identifier: MIT
"""Piles of facts by circumstances: who, where and when; those about one place are put together."""

import msgspec

from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Unknown
from clprobe.paste.merge import merge
from clprobe.paste.told import completed

Key = tuple[str, str, str]
"""Who, where and when; "" is not said."""


class Pile(msgspec.Struct):
    """What holds under one set of circumstances; `other` is what contradicts it."""

    facts: Snapshot = Snapshot()
    other: Snapshot | None = None
    whole: set[str] = msgspec.field(default_factory=set)
    is_private: bool = False


def all_piles(printed: dict[Key, Pile], told: dict[Key, Pile]) -> dict[Key, Pile]:
    """Return what programs printed, by circumstances, completed by what people told."""
    place = _unnamed_place(printed, told)
    piles = _with_places_joined(printed, place)
    asked = {key[0] for key, pile in piles.items() if pile.is_private and not key[2]}
    for named, more in _told_by_place(told, place).items():
        key = named
        if asked == {"root"} and not key[0] and more.is_private and _agrees(piles, key, more):
            # Only root was asked: what is told of nobody in particular is root's view, too.
            key = ("root", *key[1:])
        pile = piles.setdefault(key, Pile())
        if "gpus" in pile.whole:  # all GPUs were printed: another one is not in this machine
            more.facts = msgspec.structs.replace(more.facts, gpus=NOT_STATED)
        pile.whole |= {name for name in more.whole if getattr(pile.facts, name) == NOT_STATED}
        pile.facts = completed(pile.facts, more.facts)
        pile.is_private |= more.is_private
    return piles


def _told_by_place(piles: dict[Key, Pile], places: dict[str, str]) -> dict[Key, Pile]:
    """Return what was told with those put together that are about one place; first said counts."""
    joined: dict[Key, Pile] = {}
    for (who, where, when), pile in piles.items():
        known = joined.setdefault((who, places.get(where, where), when), Pile())
        known.facts = completed(known.facts, pile.facts)
        known.whole |= pile.whole
        known.is_private |= pile.is_private
    return joined


def _agrees(piles: dict[Key, Pile], key: Key, told: Pile) -> bool:
    """Tell whether root may have seen what is told: no failure where root's programs went well."""
    pile = piles.get(("root", *key[1:]))
    return pile is not None and fails(pile.facts) >= fails(told.facts)


def _unnamed_place(printed: dict[Key, Pile], told: dict[Key, Pile]) -> dict[str, str]:
    """Return what place stands for a named one or for none.

    What names none is the container's if only that was asked, else the host's; a host without a
    container is no place of its own.
    """
    everything = [*printed.items(), *told.items()]
    is_boxed = any(_is_sandbox(pile.facts) for _, pile in everything)
    counted = everything if is_boxed else printed.items()
    asked = {where for (_, where, _), pile in counted if _has_views(pile)}
    inside = any(where == "container" for (_, where, _), _ in everything)
    unnamed = "host" if {"", "container"} <= asked else "container" if inside else ""
    everywhere = {where for (_, where, _), pile in everything if _has_views(pile)}
    only_host = not inside and "" not in everywhere and "host" in everywhere
    return {"": unnamed, "host": "" if only_host else "host"}


def _is_sandbox(facts: Snapshot) -> bool:
    """Tell whether one program alone is inside, as in a Flatpak: all others are outside."""
    return facts.system.virtualization.container in ("flatpak", "snap")


def _with_places_joined(piles: dict[Key, Pile], places: dict[str, str]) -> dict[Key, Pile]:
    """Return the piles with those put together that are about one place."""
    joined: dict[Key, Pile] = {}
    for (who, where, when), pile in piles.items():
        place = places.get(where, where)
        known = joined.get((who, place, when))
        if known is None:
            joined[who, place, when] = pile
            continue
        merged, agreed = merge(known.facts, pile.facts)
        if agreed:
            known.facts = merged
        else:
            known.other = merge(known.other or Snapshot(), pile.facts)[0]
        known.whole |= pile.whole
        known.is_private |= pile.is_private
        known.other = known.other or pile.other
    return joined


def _has_views(pile: Pile) -> bool:
    return not isinstance(pile.facts.views, Unknown)


def fails(facts: Snapshot) -> bool:
    """Tell whether a program saw no device, or ended badly."""
    answers = [] if isinstance(facts.views, Unknown) else [view.answer for view in facts.views]
    return any(
        answer.platforms == ()
        or answer.outcome in ("no-devices", "error", "crash", "hang")
        or isinstance(answer.error_code, int)
        for answer in answers
    )
