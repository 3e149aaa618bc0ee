# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - readers of pasted texts take long to import
"""The facts that hold in a container, a flatpak or a snap that is looked at from outside."""

import signal
from typing import TYPE_CHECKING

from msgspec.structs import replace

from clprobe.model.opencl import Answer, Outcome, View
from clprobe.model.unknown import NOT_STATED, Unknown, listed

if TYPE_CHECKING:
    from clprobe.cli.doctor_program import Outside
    from clprobe.model.snapshot import Snapshot
    from clprobe.probe.host import Host

_KILLED = (124, 137)
"""What timeout ends with where it had to end the program."""
_SIGNALS = 128


def outside_facts(host: "Host", outside: "Outside", here: "Snapshot", limit_s: float) -> "Snapshot":
    """Return what holds there, with `here`, the facts of this host, beside it.

    Raises: ClprobeError if there is no such container, flatpak or snap, or nobody could tell.
    """
    if outside.kind == "flatpak":
        from clprobe.outside.flatpaks import facts_in_flatpak

        return facts_in_flatpak(host, outside.name, here, limit_s)
    if outside.kind == "snap":
        from clprobe.outside.snaps import facts_in_snap

        return facts_in_snap(host, outside.name, here, limit_s)
    from clprobe.outside.containers import look_inside
    from clprobe.outside.find import find_container

    container = find_container(host, outside.name, limit_s)
    facts, said = look_inside(host, container, here, limit_s)
    return answered(facts, said)


def answered(facts: "Snapshot", said: dict[str | None, str]) -> "Snapshot":
    """Return the facts with what clinfo said inside; by None what it said of all together."""
    answers = {path: _answer(text) for path, text in said.items()}
    if None in answers:
        seen = View(viewer="clinfo", loader=NOT_STATED, answer=answers[None])
        facts = replace(facts, views=(seen,))
    if isinstance(facts.icds, Unknown):
        return facts
    icds = (
        replace(icd, answer=answers[icd.path])
        if icd.path in answers and isinstance(icd.library.path, str)
        else icd
        for icd in facts.icds
    )
    return replace(facts, icds=tuple(icds))


def _answer(said: str) -> Answer:
    """Return how OpenCL answered a clinfo, by the readers of pasted texts."""
    from clprobe.model.errors import ClprobeError
    from clprobe.paste.assemble import read_paste

    text, _, status = said.rpartition("\x02")
    ended = int(status) if status.strip().isdecimal() else 0
    if ended in _KILLED:
        return Answer(stage="load", outcome="hang", message="clinfo inside did not end in time")
    try:
        told = listed(read_paste(f"$ clinfo\n{text}", name="clinfo").views)
    except ClprobeError:
        told = ()
    answer = told[0].answer if told else Answer(message=f"clinfo inside ended with status {ended}")
    if ended > _SIGNALS:
        name = signal.Signals(ended - _SIGNALS).name
        return replace(answer, stage="load", outcome="crash", signal=name)
    devices = list(answer.shown())
    if isinstance(answer.outcome, Unknown) and not isinstance(answer.platforms, Unknown):
        outcome: Outcome = "ok" if devices else "no-devices"
        answer = replace(answer, outcome=outcome, stage="queries" if devices else "devices")
    return answer
