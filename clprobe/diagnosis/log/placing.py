# SPDX-License-Identifier: MIT
"""At which step of a log a problem stands.

Its link of the chain tells; where a link has several steps, so does what it was decided by.
"""

from clprobe.diagnosis.log.readings import BY_SURROUNDINGS
from clprobe.diagnosis.log.subject import Subject
from clprobe.facts.hardware_facts import Fit
from clprobe.facts.paths import Use
from clprobe.model.device_log import StepId
from clprobe.model.opencl import Stage
from clprobe.model.unknown import known
from clprobe.ruleset.judge import Outcome
from clprobe.ruleset.rule import Link

_ONE_STEP: dict[Link, StepId] = {
    "hardware": "pci-function", "node": "node", "loader": "loader", "library": "library",
    "load": "load", "application": "program",
}  # fmt: skip
_BY_STAGE: dict[Stage | None, StepId] = {
    "platforms": "platform", "compile": "kernel-builds", "run": "kernel-runs",
}  # fmt: skip
_OF_BINDING = {
    "kernel_driver", "bound", "kernel_modules", "linux_binds", "modules", "blacklisted_modules",
}  # fmt: skip
_OF_FIT = {"implementations", "installable", "installed", "fits", "left_out_by"}


def step_of(outcome: Outcome, subject: Subject) -> StepId:
    """Return the step at which the problem stands for this subject."""
    link = outcome.rule.link
    uses = outcome.answer.used or outcome.answer.gaps
    match link:
        case "linux-driver":
            return _of_linux(uses, subject)
        case "permission":
            return "container" if _is_by_surroundings(uses) else "node-opens"
        case "icd-file":
            return _of_icd_file(outcome, uses, subject)
        case "platform":
            return "driver-fits" if _judges_fit(uses) else "platform"
        case "device":
            return _of_device(outcome, subject)
        case _:
            return _ONE_STEP[link]


def _of_linux(uses: tuple[Use, ...], subject: Subject) -> StepId:
    if _judges_fit(uses):
        return "driver-fits"
    is_bound = subject.gpu is not None and subject.gpu.bound is True
    return "started" if is_bound and not _parts(uses) & _OF_BINDING else "kernel-driver"


def _of_icd_file(outcome: Outcome, uses: tuple[Use, ...], subject: Subject) -> StepId:
    if "is_read" in _parts(uses):
        return "loader"
    if "icd" in outcome.about or subject.icd is not None:
        return "icd-file"
    is_installed = subject.gpu is not None and bool(known(subject.gpu.installed))
    return "icd-file" if is_installed else "driver-fits"


def _of_device(outcome: Outcome, subject: Subject) -> StepId:
    if "kernel_result" in _parts(outcome.answer.used):
        results = {use.value for use in outcome.answer.used if use.field == "kernel_result"}
        return "kernel-builds" if "build-failed" in results else "kernel-runs"
    if "icd" in outcome.about and subject.icd is not None:
        return _BY_STAGE.get(known(subject.icd.stage), "device")
    return "device" if subject.device is None else "kernel-builds"


def _is_by_surroundings(uses: tuple[Use, ...]) -> bool:
    return any(use.field == "denied_because" and use.value in BY_SURROUNDINGS for use in uses)


def _judges_fit(uses: tuple[Use, ...]) -> bool:
    return any(isinstance(use.owner, Fit) for use in uses) or bool(_parts(uses) & _OF_FIT)


def _parts(uses: tuple[Use, ...]) -> set[str]:
    return {use.path.rsplit(".", 1)[-1] for use in uses}
