# SPDX-License-Identifier: MIT
"""Finds the contestant of one run in another, where drivers and threads may have changed."""

import re
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

from clprobe.model.measurement import BenchReport

_LABEL = re.compile(r"(?:\d+: )?(?P<name>.*?)(?: \((?P<implementation>.*)\))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Named:
    """A contestant; `is_device`: it was compared, it is no reference."""

    name: str
    is_device: bool


def paired(first: BenchReport, later: BenchReport, *, loosely: bool) -> dict[str, str]:
    """Return the contestants of `later` that have one in `first`, by their names in `later`.

    Tried in turn: the same name; the same without index and versions; the same hardware, or kind of
    reference; and `loosely` the only ones left on both sides, as on two machines.
    """
    left, right = _contestants(first), _contestants(later)
    found: dict[str, str] = {}
    attempts: list[Callable[[_Named], Hashable]] = [_exact, _implementation, _hardware]
    for key in [*attempts, _role] if loosely else attempts:
        known = _by_key(key, (one for one in left if one.name not in found.values()))
        sought = _by_key(key, (one for one in right if one.name not in found))
        for value, names in sought.items():
            # Of two alike nobody knows which is which, unless as many were there before.
            if len(known.get(value, ())) == len(names):
                found.update(zip(names, known[value], strict=True))
    return found


def _contestants(report: BenchReport) -> list[_Named]:
    compared = {verdict.device for verdict in report.verdicts}
    names = dict.fromkeys(result.device for result in report.results)
    return [_Named(name, name in compared) for name in names]


def _by_key(
    key: Callable[[_Named], Hashable], contestants: Iterable[_Named]
) -> dict[Hashable, list[str]]:
    groups: dict[Hashable, list[str]] = {}
    for one in contestants:
        groups.setdefault(key(one), []).append(one.name)
    return groups


def _exact(one: _Named) -> Hashable:
    return one


def _implementation(one: _Named) -> Hashable:
    name, implementation = _parts(one)
    words = (implementation or "").split()
    return one.is_device, name, tuple(word for word in words if not re.search(r"\d", word))


def _hardware(one: _Named) -> Hashable:
    name, _ = _parts(one)
    # A reference is named after its library first: "torch on 4 CPU threads".
    return one.is_device, name if one.is_device else name.partition(" ")[0]


def _role(one: _Named) -> Hashable:
    return _hardware(one) if not one.is_device else True


def _parts(one: _Named) -> tuple[str, str | None]:
    label = _LABEL.fullmatch(one.name) if one.is_device else None
    return (one.name, None) if label is None else (label["name"], label["implementation"])
