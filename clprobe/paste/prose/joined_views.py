# SPDX-License-Identifier: MIT
"""Joins what sentences say of one program in one place: how it died, that it saw the CPU alone."""

import msgspec

from clprobe.model.opencl import Answer
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import listed
from clprobe.paste.reading import Context, Reading

_NO_DEVICES = Answer(outcome="no-devices")


def joined(told: list[Reading]) -> list[Reading]:
    """Return the statements without those that another one of the same program says better."""
    return _with_whole_deaths(_without_denied(told))


def place_of(reading: Reading) -> tuple[str, Context | None]:
    """Return the program that a statement is about, and who, where and when."""
    (view,) = listed(reading.facts.views)
    return view.viewer, reading.context


def answer_of(reading: Reading) -> Answer:
    """Return what the program of a statement saw."""
    (view,) = listed(reading.facts.views)
    return view.answer


def _without_denied(told: list[Reading]) -> list[Reading]:
    """Return the statements; who sees the processor alone does not see no device at all."""
    with_cpu = {place_of(one) for one in told if _shows_cpu(one)}
    return [one for one in told if place_of(one) not in with_cpu or answer_of(one) != _NO_DEVICES]


def _shows_cpu(reading: Reading) -> bool:
    kinds = [device.type for _, device in answer_of(reading).shown()]
    return bool(kinds) and all(kind == "cpu" for kind in kinds)


def _with_whole_deaths(told: list[Reading]) -> list[Reading]:
    """Return the statements with one a crash: it has all that is said of how it ended."""
    deaths: dict[object, list[Reading]] = {}
    for one in told:
        if _outcome(one) == "crash":
            deaths.setdefault(place_of(one), []).append(one)
    kept = []
    for one in told:
        died = deaths.get(place_of(one), [])
        if not died or _outcome(one) not in ("crash", "error"):
            kept.append(one)
        elif one is died[0]:
            kept.append(_whole_death(died))
    return kept


def _whole_death(died: list[Reading]) -> Reading:
    said = dict.fromkeys(
        str(view.answer.printed) for one in died for view in listed(one.facts.views)
    )
    answer = Answer(outcome="crash", printed="\n".join(said))
    (view,) = listed(died[0].facts.views)
    facts = Snapshot(views=(msgspec.structs.replace(view, answer=answer),))
    lines = tuple(sorted({line for one in died for line in one.lines}))
    return msgspec.structs.replace(died[0], lines=lines, facts=facts)


def _outcome(reading: Reading) -> object:
    return answer_of(reading).outcome
