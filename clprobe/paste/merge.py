# SPDX-License-Identifier: MIT
"""Puts partial snapshots together: what one lacks the other gives, and conflicts are told."""

import re
from typing import Any, TypeVar

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.hardware import DeviceNode, Gpu
from clprobe.model.opencl import Answer, Device, Framework, Icd, Loader, Platform, View
from clprobe.model.system import Group, Package
from clprobe.model.unknown import NOT_STATED, Unknown

S = TypeVar("S", bound=msgspec.Struct)
_FORMS = Forms("lspci")
_LOOSE = ("name", "model", "vendor", "marketing_name", "searched_by", "found_by")
"""What is worded in many ways; two wordings do not contradict each other."""
_JOINED = ("message", "printed")
"""What goes on from line to line."""
_LONGEST = 40_000
"""Characters of a joined text; a log that is longer repeats itself."""
_UNLISTED = ("excerpts", "unread", "told", "statements", "perspectives", "schema", "source")


def merge(known: S, more: S) -> tuple[S, bool]:
    """Return `known` completed by `more`, and whether the two agree; where not, `known` stays."""
    if isinstance(known, Answer) and isinstance(more, Answer) and _contradict(known, more):
        return known, False
    changes: dict[str, Any] = {}
    agreed = True
    for name in known.__struct_fields__:
        if name in _UNLISTED:
            continue
        mine, theirs = getattr(known, name), getattr(more, name)
        value, fits = _value(mine, theirs)
        if not fits and name in _JOINED:
            value = f"{mine}\n{theirs}" if len(mine) < _LONGEST else mine
            fits = True
        agreed &= fits or name in _LOOSE
        if value is not mine:
            changes[name] = value
    return (msgspec.structs.replace(known, **changes) if changes else known), agreed


def _contradict(one: Answer, other: Answer) -> bool:
    """Tell whether one answer shows a device and the other says that there is none."""
    return (_shows(one) and is_empty(other)) or (_shows(other) and is_empty(one))


def _shows(answer: Answer) -> bool:
    platforms = answer.platforms if isinstance(answer.platforms, tuple) else ()
    return any(platform.devices not in ((), NOT_STATED) for platform in platforms)


def is_empty(answer: Answer) -> bool:
    """Tell whether an answer says that there is no platform or no device."""
    return (
        answer.platforms == () or answer.outcome == "no-devices" or answer.error_code in (-1, -1001)
    )


def _value(mine: Any, theirs: Any) -> tuple[Any, bool]:
    if theirs in (mine, NOT_STATED):
        return mine, True
    if isinstance(mine, Unknown) or isinstance(theirs, Unknown):
        # A stated reason beats silence, and a value beats both.
        is_better = mine == NOT_STATED or not isinstance(theirs, Unknown)
        return (theirs if is_better and isinstance(mine, Unknown) else mine), True
    if isinstance(mine, dict):
        return _mappings(mine, theirs)
    if isinstance(mine, tuple):
        return _lists(mine, theirs)
    if isinstance(mine, msgspec.Struct) and isinstance(theirs, msgspec.Struct):
        return merge(mine, theirs)
    return _texts(mine, theirs)


def _mappings(mine: dict[str, Any], theirs: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    if not theirs:
        return mine, True
    agreed = all(mine[key] == theirs[key] for key in mine.keys() & theirs.keys())
    return {**theirs, **mine}, agreed


def _texts(mine: Any, theirs: Any) -> tuple[Any, bool]:
    """Two texts agree where one is the other, said more fully."""
    if isinstance(mine, str) and isinstance(theirs, str):
        if len(mine) + len(theirs) > _LONGEST:
            return mine, True
        if "\n" in mine + theirs:
            return "\n".join(dict.fromkeys((mine + "\n" + theirs).split("\n"))), True
        if _is_fuller(theirs, mine):
            return theirs, True
        return mine, _is_fuller(mine, theirs)
    return mine, False


def _is_fuller(long: str, short: str) -> bool:
    """Tell whether one text is the other's beginning: 6.8.0-51 of 6.8.0-51-generic, not 6.80."""
    rest = long[len(short) :]
    return long.startswith(short) and (
        not rest or not rest[0].isdigit() or not short[-1:].isdigit()
    )


def _lists(mine: tuple[Any, ...], theirs: tuple[Any, ...]) -> tuple[tuple[Any, ...], bool]:
    if all(isinstance(one, DeviceNode) and "/dri/" not in one.path for one in (*mine, *theirs)):
        pass  # that /dev/dri holds none says nothing of nodes elsewhere
    elif any(isinstance(one, Platform | Device) for one in (*mine, *theirs)) or not (
        mine and theirs
    ):
        return _in_order(mine, theirs)
    result, agreed = list(mine), True
    places = {key: place for place, one in enumerate(result) for key in _keys(one)}
    for one in theirs:
        place = next((places[key] for key in _keys(one) if key in places), None)
        if place is None:
            place = _same_gpu(result, one)
        if place is None:
            places |= dict.fromkeys(_keys(one), len(result))
            result.append(one)
        elif isinstance(one, msgspec.Struct):
            result[place], fits = merge(result[place], one)
            places |= dict.fromkeys(_keys(result[place]), place)
            agreed &= fits
    return tuple(result), agreed


def _in_order(mine: tuple[Any, ...], theirs: tuple[Any, ...]) -> tuple[tuple[Any, ...], bool]:
    """Two lists of platforms or devices agree only if they name the same ones in one order."""
    if len(mine) != len(theirs) or any(_differ(*pair) for pair in zip(mine, theirs, strict=True)):
        return mine, False
    merged = [merge(*pair) for pair in zip(mine, theirs, strict=True)]
    return tuple(one for one, _ in merged), all(agreed for _, agreed in merged)


def _differ(mine: Any, theirs: Any) -> bool:
    names = (mine.name, theirs.name)
    return all(isinstance(name, str) for name in names) and names[0] != names[1]


def _keys(one: Any) -> list[Any]:
    """Return what tells the entry of a list from the others."""
    if isinstance(one, Gpu):
        named = [part for part in (one.pci_address, one.pci_id) if isinstance(part, str)]
        return named[:1]
    if isinstance(one, DeviceNode | Icd | Loader):
        return [one.path]
    if isinstance(one, Package):
        parts = [part if isinstance(part, str) else "" for part in (one.architecture, one.manager)]
        return [(one.name, *parts)]
    if isinstance(one, Group):
        keys = [("gid", one.gid)] if isinstance(one.gid, int) else []
        return keys + ([("name", one.name)] if isinstance(one.name, str) else [])
    if isinstance(one, View | Framework):
        return [one.viewer if isinstance(one, View) else one.name]
    return [one if isinstance(one, str | int) else repr(one)]


def _same_gpu(gpus: list[Any], one: Any) -> int | None:
    """Return the GPU that `one` must be although it is named otherwise: id beside address."""
    if not isinstance(one, Gpu):
        return None
    for place, gpu in enumerate(gpus):
        apart = isinstance(gpu.pci_address, str) and isinstance(one.pci_address, str)
        if not apart and isinstance(gpu.pci_id, str) and gpu.pci_id == one.pci_id:
            return place
        if not apart and isinstance(gpu.name, str) and isinstance(one.name, str):
            mine, theirs = _telling_words(gpu.name), _telling_words(one.name)
            if mine and theirs and (mine <= theirs or theirs <= mine):
                return place
    return None


def _telling_words(name: str) -> frozenset[str]:
    """Return the words that tell a GPU from others: neither maker nor "graphics"."""
    words = re.findall(r"[a-z0-9]+", re.sub(r"\((?:r|tm)\)", "", name.lower()))
    return frozenset(words) - _FORMS.words["untelling"]
