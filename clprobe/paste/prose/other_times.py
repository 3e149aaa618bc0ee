# SPDX-License-Identifier: MIT
"""When the GPU was there, as sentences tell: before a sleep, or once a service was restarted."""

from collections.abc import Iterator

from clprobe.knowledge.printed import Forms
from clprobe.model.opencl import Answer, Device, Platform, View
from clprobe.model.snapshot import Snapshot
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.reading import Context, Reading

_FORMS = Forms("told_times")
_GPU = Answer(platforms=(Platform(devices=(Device(type="gpu"),)),))


def before_sleep(clauses: list[Clause]) -> Iterator[Reading]:
    """Give that the GPU was there before, where a sentence says what NVIDIA's lost by a sleep."""
    has_nvidia = any(_FORMS.of_nvidia.search(clause.text) for clause in clauses)
    for clause in clauses:
        sentence = clause.sentence
        is_nvidias = _FORMS.of_nvidia.search(sentence) or (
            has_nvidia and _FORMS.breaks.search(sentence)
        )
        is_told = _FORMS.woken.search(sentence) and not _FORMS.not_by_sleep.search(sentence)
        if is_told and is_nvidias and clause.is_plain and not sentence.endswith("?"):
            yield _seen(clause, "before suspend")
            return


def read_service_restarts(clauses: list[Clause]) -> Iterator[Reading]:
    """Give that a service sees the GPU once it is restarted, where it did not since the boot."""
    if not any(_FORMS.boot.search(clause.text) for clause in clauses):
        return
    for clause in clauses:
        sentence = clause.sentence
        is_told = _FORMS.restart_helps.search(sentence) and not _FORMS.restart_fails.search(
            sentence
        )
        if is_told and not clause.foreign and not sentence.endswith("?"):
            yield _seen(clause, "after a restart of the service")
            return


def _seen(clause: Clause, when: str) -> Reading:
    facts = Snapshot(views=(View(viewer="application", answer=_GPU),))
    context = Context(where=clause.context.where, when=when)
    return Reading(lines=clause.lines, facts=facts, private=True, context=context)
