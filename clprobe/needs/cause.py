# SPDX-License-Identifier: MIT
"""Why devices are missing: doctor's root cause, from the same snapshot."""

import re

from clprobe.model.finding import Diagnosis, Finding
from clprobe.model.shell_words import command_line
from clprobe.needs.answer import Cause

_FACT = re.compile(r"[.\[]")
_OF_GPUS = re.compile(r"(gpus?|device_nodes|nvidia)\b|opencl\.gpu_device")
_ANY_GPU = "opencl.any_gpu"
_OF_DRIVERS = {"icds", "devices", "loaders"}


def cause_of(diagnosis: Diagnosis, kind: str) -> Cause | None:
    """Return why devices of the kind are missing; "device": of any.

    Of what doctor found, what is about the kind comes first, then its root cause, then what
    explains most. A suspect is a cause that may be; None: doctor knows of none.
    """
    serious = [one for one in diagnosis.findings if one.severity != "note"]
    present = [one for one in serious if one.verdict == "present" and one.caused_by is None]
    suspects = [one for one in serious if one.suspect]
    if not present:
        return _cause(suspects[0]) if suspects else None

    def rank(finding: Finding) -> tuple[bool, bool, int]:
        behind = _explained(finding, diagnosis.findings)
        return _is_about(kind, finding, behind), finding.id == diagnosis.root_cause, len(behind)

    return _cause(max(present, key=rank))


def _explained(finding: Finding, findings: tuple[Finding, ...]) -> list[Finding]:
    """Return the findings that follow from one, and from those."""
    reached, behind = {finding.id}, list[Finding]()
    for one in findings:  # causes stand before what follows from them
        if one.caused_by in reached:
            reached.add(one.id)
            behind.append(one)
    return behind


def _is_about(kind: str, finding: Finding, behind: list[Finding]) -> bool:
    """Tell by the facts: those of GPUs here or in what follows, those of drivers for a CPU."""
    own = {_FACT.split(evidence.fact)[0] for evidence in finding.evidence}
    if kind != "gpu":
        return kind == "cpu" and bool(own & _OF_DRIVERS)
    facts = {evidence.fact for one in (finding, *behind) for evidence in one.evidence}
    # Beside a driver or a device, the question whether there is a GPU only weighs the finding.
    weighs = bool(own & _OF_DRIVERS)
    return any(_OF_GPUS.match(one) or (one == _ANY_GPU and not weighs) for one in facts)


def _cause(finding: Finding) -> Cause:
    return Cause(
        id=finding.id,
        title=finding.title,
        because=finding.because,
        fix=_fix(finding),
        certain=finding.verdict == "present",
    )


def _fix(finding: Finding) -> str | None:
    for remedy in finding.remedies:
        if remedy.argv is not None:
            return f"{'sudo ' if remedy.needs_root else ''}{command_line(remedy.argv)}"
    return finding.remedies[0].title if finding.remedies else None
