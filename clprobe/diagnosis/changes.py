# SPDX-License-Identifier: MIT
"""What differs between two snapshots, fact by fact; what is not known in one is no change."""

import copy
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from clprobe.model.snapshot import Snapshot

GONE = object()
"""Stands for an element that a list does not have."""

_IGNORED = {
    "schema", "clprobe", "source", "taken", "unread", "messages", "excerpts", "perspectives",
    "pairs", "log", "platforms", "message", "printed", "build_log", "size_bytes",
    "required_bytes", "logical_cores", "kept_by", "scrubbed", "statements",
}  # fmt: skip
"""When and how it was written, what changes from run to run, and what devices tell better."""
_KEYS = ("path", "pci_address", "viewer", "pci_id", "name")

Steps = tuple[str, ...]
"""The way to a fact; an element of a list is a step such as `[intel-opencl-icd]`."""


class Difference(NamedTuple):
    """One fact in both snapshots, as plain data."""

    steps: Steps
    before: Any
    after: Any


def differences(old: Snapshot, new: Snapshot) -> tuple[Difference, ...]:
    """Return every known fact that differs."""
    partial = {*old.excerpts}, {*new.excerpts}
    return tuple(
        one
        for one in _mappings(_plain(old), _plain(new), ())
        if not (one.before is GONE and one.steps[0] in partial[0])
        and not (one.after is GONE and one.steps[0] in partial[1])
    )


def undone(new: Snapshot, several: list[Difference]) -> Snapshot:
    """Return `new` in which these facts are as they were before."""
    data = _plain(new)
    for one in several:
        _put(data, one)
    return msgspec.convert(data, Snapshot)


def path_of(steps: Steps) -> str:
    """Return the way to a fact as evidence writes it: `packages[intel-opencl-icd].version`."""
    return "".join(f".{step}" if not step.startswith("[") else step for step in steps)[1:]


def _values(old: Any, new: Any, steps: Steps) -> Iterator[Difference]:
    if _is_unknown(old) or _is_unknown(new) or old == new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _mappings(old, new, steps)
    elif _is_list_of_facts(old, steps) and _is_list_of_facts(new, steps) and old + new:
        yield from _lists(keyed(old), keyed(new), steps)
    elif not _same_members(old, new):
        yield Difference(steps, old, new)


def _mappings(old: dict[str, Any], new: dict[str, Any], steps: Steps) -> Iterator[Difference]:
    for name, value in old.items():
        if name in new and name not in _IGNORED:
            yield from _values(value, new[name], (*steps, name))


def _lists(old: dict[str, Any], new: dict[str, Any], steps: Steps) -> Iterator[Difference]:
    for key in {**old, **new}:
        here = (*steps, f"[{key}]")
        if key in old and key in new:
            yield from _values(old[key], new[key], here)
        else:
            yield Difference(here, old.get(key, GONE), new.get(key, GONE))


def keyed(elements: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the elements of a list by what tells them apart, their number where nothing does."""
    by_key: dict[str, dict[str, Any]] = {}
    for number, element in enumerate(elements):
        names = (element.get(name) for name in _KEYS)
        key = next((name for name in names if isinstance(name, str)), str(number))
        if key in by_key:  # a package for two architectures
            key = f"{key}:{element.get('architecture', number)}"
        by_key[key] = element
    return by_key


def _plain(snapshot: Snapshot) -> dict[str, Any]:
    data: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(snapshot))
    return data


def _is_unknown(value: Any) -> bool:
    return isinstance(value, dict) and list(value) == ["unknown"]


def _is_list_of_facts(value: Any, steps: Steps) -> bool:
    """Whether each element is compared by itself; groups and what has a name alone are not."""
    is_of_packages = steps == ("packages",)  # which may have no more than a name, all the same
    return isinstance(value, list) and all(
        isinstance(one, dict) and (is_of_packages or not set(one) <= {"gid", "name"})
        for one in value
    )


def _same_members(old: Any, new: Any) -> bool:
    """Whether two lists differ in their order only; groups have none, for one."""
    if not (isinstance(old, list) and isinstance(new, list)):
        return False
    return len(old) == len(new) and all(one in new for one in old)


def _put(data: Any, one: Difference) -> None:
    *way, last = one.steps
    for step in way:
        data = keyed(data)[step[1:-1]] if step.startswith("[") else data[step]
    if not last.startswith("["):
        data[last] = copy.deepcopy(one.before)
        return
    if one.after is not GONE:
        data.remove(keyed(data)[last[1:-1]])
    if one.before is not GONE:
        data.append(copy.deepcopy(one.before))
