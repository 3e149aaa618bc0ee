# SPDX-License-Identifier: MIT
"""Joins what the facts say of each step with what doctor found, so that both give one answer.

Where doctor names a problem, its link decides: the step of the root cause is the first "no", and
no fact before it counts as one. A fact that doctor holds against nothing proves no break.
"""

from collections.abc import Sequence

import msgspec

from clprobe.diagnosis.evidence import evidence_of
from clprobe.diagnosis.log.placing import step_of
from clprobe.diagnosis.log.readings import Reading, readings
from clprobe.diagnosis.log.subject import Subject, subjects_named
from clprobe.diagnosis.rank import Ranked
from clprobe.facts.facts import Facts
from clprobe.facts.inventory import devices_told, take_inventory
from clprobe.facts.paths import Use
from clprobe.model.device_log import DeviceLog, LogStep, StepVerdict
from clprobe.model.errors import ClprobeError
from clprobe.model.unknown import listed
from clprobe.ruleset.judge import Outcome

_FOLLOWS = "the device that is shown could not be there without it"
_NO_PROBLEM = "no problem that doctor knows, so it is not held against it"


class Found(msgspec.Struct, frozen=True):
    """What a diagnosis came to: the facts, the problems in order, what is suspected, the cause."""

    facts: Facts
    ranked: tuple[Ranked, ...]
    suspects: tuple[Outcome, ...]
    root_cause: str | None


def device_log(selector: str, found: Found) -> DeviceLog:
    """Return the log of the device, GPU or driver that the selector fits.

    Where several fit, it is the one that the root cause concerns, else the first.

    Raises: ClprobeError if none fits; its message lists what there is.
    """
    cause = found.ranked[0].outcome if found.root_cause is not None else None
    fitting = subjects_named(selector, found.facts, cause)
    if _hides_the_cause(fitting, cause):
        fitting = ()
    if not fitting:
        raise _no_such_device(selector, found.facts)
    subject = next(
        (one for one in fitting if cause is not None and _concerns(cause, one)), fitting[0]
    )
    also = tuple(one.label for one in fitting if one is not subject)
    return _log_of(subject, selector, also, found)


def _log_of(subject: Subject, selector: str, also: tuple[str, ...], found: Found) -> DeviceLog:
    passed = readings(subject)
    problems = [one for one in found.ranked if _concerns(one.outcome, subject)]
    errors = [one for one in problems if one.severity == "error"]
    root = errors[0] if errors else None
    # A symptom is where the way ends, not why: before it the facts may tell more.
    named = root if root is not None and not _is_mere_symptom(root, found) else None
    doubts = [one for one in found.suspects if _concerns(one, subject)]
    places = [step.id for step in passed]
    stop = places.index(step_of(named.outcome, subject)) if named is not None else -1
    has_device = subject.device is not None
    steps = []
    for index, reading in enumerate(passed):
        here = [one for one in problems if step_of(one.outcome, subject) == reading.id]
        suspected = [one for one in doubts if step_of(one, subject) == reading.id]
        broken = [one for one in here if one in errors and index >= stop]
        is_implied = has_device and index < places.index("device")
        verdict, because = _verdict(
            reading, broken, suspected, is_before=index < stop, is_implied=is_implied
        )
        decisive = named if index == stop else broken[0] if broken else None
        ids = (*(one.outcome.rule.id for one in here), *(one.rule.id for one in suspected))
        steps.append(
            LogStep(
                id=reading.id,
                title=reading.title,
                link=decisive.outcome.rule.link if decisive is not None else reading.link,
                verdict=verdict,
                because=because,
                evidence=evidence_of(_uses(decisive, reading)),
                findings=tuple(dict.fromkeys(ids)),
            )
        )
    return DeviceLog(
        asked=selector,
        device=subject.label,
        also=also,
        first_no=next((step.id for step in steps if step.verdict == "no"), None),
        root_cause=named.outcome.rule.id if named is not None else None,
        steps=tuple(steps),
    )


def _verdict(
    reading: Reading,
    broken: Sequence[Ranked],
    suspected: Sequence[Outcome],
    *,
    is_before: bool,
    is_implied: bool,
) -> tuple[StepVerdict, str]:
    """Return the verdict, and what the facts alone do not tell of it."""
    if broken:
        return "no", ""
    if reading.truth is False:
        return ("not-known", _NO_PROBLEM) if is_before else ("no", "")
    if suspected:
        return "not-known", ""
    if reading.truth is True:
        return "yes", ""
    return ("yes", _FOLLOWS) if is_implied else ("not-known", "")


def _uses(decisive: Ranked | None, reading: Reading) -> tuple[Use, ...]:
    return (*reading.uses, *(decisive.outcome.answer.used if decisive is not None else ()))


def _is_mere_symptom(root: Ranked, found: Found) -> bool:
    if found.root_cause is not None and root is found.ranked[0]:
        return False
    return root.outcome.rule.symptom


def _concerns(outcome: Outcome, subject: Subject) -> bool:
    """Whether the problem may be this device's, and stands at a step that it has to pass."""
    about = subject.about
    if any(about.get(key, value) != value for key, value in outcome.about.items()):
        return False
    if not subject.needs_gpu and {"gpu", "node"} & (outcome.about.keys() - about.keys()):
        return False
    return any(step.id == step_of(outcome, subject) for step in readings(subject))


def _hides_the_cause(fitting: Sequence[Subject], cause: Outcome | None) -> bool:
    """Whether a GPU was asked for where none is, and what is wrong is something else."""
    if cause is None or not fitting or cause.rule.link == "hardware":
        return False
    return fitting[0].needs_gpu and fitting[0].gpu is None and fitting[0].facts.gpus == ()


def _no_such_device(selector: str, facts: Facts) -> ClprobeError:
    gpus = "; ".join(gpu.label for gpu in listed(facts.gpus))
    drivers = ", ".join(icd.file_name or icd.path for icd in listed(facts.icds))
    told = [devices_told(take_inventory(facts).devices)]
    told.append(f"GPUs: {gpus}." if gpus else "No GPU is known here.")
    if drivers:
        told.append(f"Drivers: {drivers}.")
    return ClprobeError(
        reference="no-such-device",
        message=f"No device matches {selector!r}. {' '.join(told)}",
        hint="Give an index, gpu, cpu, a PCI id or address, or part of a device's, GPU's or "
        "driver's name.",
    )
