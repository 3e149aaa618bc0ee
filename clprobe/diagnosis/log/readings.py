# SPDX-License-Identifier: MIT
"""What the facts alone say of each step: passed, not passed, or not known."""

from collections.abc import Callable
from typing import Any

import msgspec

from clprobe.diagnosis.log.subject import Subject, has_reached
from clprobe.facts.facts import DeviceFacts, ViewFacts
from clprobe.facts.hardware_facts import Fit
from clprobe.facts.paths import Scope, Use, label_of, look_up
from clprobe.model.device_log import StepId
from clprobe.model.unknown import Unknown, known, listed
from clprobe.ruleset.rule import Link

BY_SURROUNDINGS = ("user-namespace", "sandbox", "private-devices", "policy")
"""Denials that come of what the process runs in, not of the node's own permissions."""
_FAILED = ("error", "crash", "hang")


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """One step by the facts; `truth` None: they do not tell."""

    id: StepId
    link: Link
    title: str
    truth: bool | None
    uses: tuple[Use, ...] = ()


class _Read:
    """Looks facts up by path; what has no owner here is left out."""

    def __init__(self, subject: Subject) -> None:
        self._scope = Scope(subject.facts)
        for name, value, path in (
            ("gpu", subject.gpu, "gpus"),
            ("node", subject.node, "device_nodes"),
            ("icd", subject.icd, "icds"),
            ("device", subject.device, "devices"),
            ("fit", _fit(subject), "gpus.fits"),
        ):
            if value is not None:
                self.bind(name, value, path)

    def bind(self, name: str, value: Any, path: str) -> None:
        self._scope = self._scope.binding(name, value, f"{path}[{label_of(value, 0)}]", path)

    def __call__(self, *paths: str) -> tuple[Use, ...]:
        lists = ("gpu", "node", "icd", "device", "fit")
        owners = ((path.partition(".")[0], path) for path in paths)
        there = [
            path for owner, path in owners if owner not in lists or owner in self._scope.variables
        ]
        uses = [look_up(path, self._scope) for path in there]
        told = [use for use in uses if not isinstance(use.value, Unknown)]
        # A list tells only where nothing of it is known.
        parts = [use for use in told if "." in use.path]
        return tuple(parts or told or uses[:1])


def readings(subject: Subject) -> tuple[Reading, ...]:
    """Return the steps that this subject has to pass, in order."""
    read = _Read(subject)
    return tuple(
        Reading(
            id=step, link=link, title=title, truth=truth(subject), uses=_uses(read, paths, subject)
        )
        for step, link, title, truth, paths in _STEPS
        if subject.needs_gpu or step not in _OF_GPUS
    )


def _uses(read: _Read, paths: tuple[str, ...], subject: Subject) -> tuple[Use, ...]:
    if paths != _OF_PROGRAMS:
        return read(*paths)
    found: list[Use] = []
    for view in listed(subject.facts.views):
        read.bind("view", view, "views")
        found += read(*_OF_PROGRAMS)
    return tuple(found)


def _fit(subject: Subject) -> Fit | None:
    """Return how the driver fits the GPU; without a chosen driver the first that is installed."""
    fits = listed(subject.gpu.fits) if subject.gpu else ()
    icd = subject.icd
    return next((one for one in fits if icd is None or one.icd == icd.path), None)


def _on_the_bus(subject: Subject) -> bool | None:
    if subject.gpu is not None:
        return True
    return False if subject.facts.gpus == () and "gpus" not in subject.facts.excerpts else None


def _bound(subject: Subject) -> bool | None:
    return known(subject.gpu.bound) if subject.gpu else None


def _started(subject: Subject) -> bool | None:
    """Whether it has nodes, which a kernel driver makes once it has started the GPU."""
    gpu = subject.gpu
    if gpu is None:
        return None
    has_node = isinstance(gpu.render_node, str) or isinstance(gpu.card_node, str)
    return True if has_node or subject.node is not None else None


def _node_is_there(subject: Subject) -> bool | None:
    node, facts = subject.node, subject.facts
    if node is not None:
        return node.device_error != "ENOENT" and node.errno != "ENOENT"
    whole = isinstance(facts.device_nodes, tuple) and "device_nodes" not in facts.excerpts
    return False if whole else None


def _node_opens(subject: Subject) -> bool | None:
    node = subject.node
    if node is None or known(node.denied_because) in BY_SURROUNDINGS:
        return None
    return known(node.may_open)


def _is_given(subject: Subject) -> bool | None:
    """Whether nothing stands between the process and the node, or what does lets it through."""
    node, virtual = subject.node, subject.facts.system.virtualization
    if node is not None and known(node.denied_because) in BY_SURROUNDINGS:
        return False
    if node is not None and node.may_open is True:
        return True
    is_known = virtual.container is None and virtual.user_namespace is not True
    return True if is_known else None


def _driver_fits(subject: Subject) -> bool | None:
    fit, gpu = _fit(subject), subject.gpu
    if fit is not None:
        if False in (fit.covers, fit.linux_fits):
            return False
        return True if fit.covers is True else None
    if gpu is not None and gpu.installed == () and subject.icd is None:
        return False
    is_packaged = subject.icd is not None and isinstance(subject.icd.package, str)
    return True if is_packaged and gpu is None else None


def _icd_file(subject: Subject) -> bool | None:
    icd = subject.icd
    if icd is None:
        return False if subject.facts.opencl.icd_registered is False else None
    if isinstance(icd.file_fault, str) or isinstance(icd.open_error, str):
        return False
    return True if isinstance(icd.library_name, str) else None


def _library(subject: Subject) -> bool | None:
    icd = subject.icd
    if icd is None:
        return None
    if isinstance(icd.library_fault, str):
        return False
    return has_reached(icd, "library") or (True if isinstance(icd.library.path, str) else None)


def _loads(subject: Subject) -> bool | None:
    icd = subject.icd
    if icd is None:
        return None
    if icd.outcome in ("crash", "hang"):
        return False
    beyond = has_reached(icd, "entry-point")
    return False if beyond is False and icd.outcome in _FAILED else beyond or None


def _is_read(subject: Subject) -> bool | None:
    opencl = subject.facts.opencl
    if subject.icd is None:
        return False if opencl.loader_found is False else None
    if subject.icd.is_read is False or opencl.loader_found is False:
        return False
    return True if subject.icd.is_read is True else None


def _platform(subject: Subject) -> bool | None:
    if subject.device is not None:
        return True
    if subject.icd is not None and not isinstance(subject.icd.answer.platforms, Unknown):
        return bool(subject.icd.answer.platforms)
    shown = [view.answer.platforms for view in listed(subject.facts.views)]
    return False if shown and all(one == () for one in shown) else None


def _device(subject: Subject) -> bool | None:
    if subject.device is not None:
        return True
    if subject.gpu is not None and subject.gpu.has_device is False:
        return False
    return False if subject.icd is not None and subject.icd.device_count == 0 else None


def _builds(subject: Subject) -> bool | None:
    device = subject.device
    result = known(device.kernel_result) if device else None
    if device is not None and device.compiler_available is False:
        return False
    return None if result is None else result != "build-failed"


def _computes(subject: Subject) -> bool | None:
    result = known(subject.device.kernel_result) if subject.device else None
    return None if result in (None, "build-failed") else result == "right"


def _is_seen(subject: Subject) -> bool | None:
    views, device = listed(subject.facts.views), subject.device
    counts = [known(view.device_count) for view in views]
    if device is None:
        return False if counts and all(count == 0 for count in counts) else None
    seen = [_shows(view, device) for view in views]
    return all(seen) if seen else None


def _shows(view: ViewFacts, device: DeviceFacts) -> bool:
    return any(
        (platform.name, shown.name) == (device.platform, device.name)
        for platform, shown in view.answer.shown()
    )


_OF_PROGRAMS = ("view.device_count", "view.missing_devices")
_Truth = Callable[[Subject], bool | None]
_STEPS: tuple[tuple[StepId, Link, str, _Truth, tuple[str, ...]], ...] = (
    ("pci-function", "hardware", "the GPU is on the bus", _on_the_bus,
     ("gpu.pci_address", "gpu.pci_id", "gpu.name", "gpus")),
    ("kernel-driver", "linux-driver", "a kernel driver has it", _bound,
     ("gpu.kernel_driver", "gpu.bound", "gpu.kernel_modules")),
    ("started", "linux-driver", "it has started, with its firmware", _started,
     ("gpu.render_node", "gpu.card_node", "gpu.power_state", "system.linux.firmware")),
    ("node", "node", "its device node is there", _node_is_there,
     ("node.path", "node.device_error", "device_nodes")),
    ("node-opens", "permission", "the node may be opened", _node_opens,
     ("node.mode", "node.owner", "node.group", "node.acl", "user.groups", "node.errno",
      "node.denied_because")),
    ("container", "permission", "container and sandbox let it through", _is_given,
     ("system.virtualization.container", "system.virtualization.wsl",
      "system.virtualization.user_namespace", "node.denied_because",
      "system.service_unit.device_policy", "system.security.selinux")),
    ("driver-fits", "platform", "a driver that fits is installed", _driver_fits,
     ("icd.package", "gpu.installed", "fit.version", "fit.covers", "fit.linux_fits",
      "system.linux.release")),
    ("icd-file", "icd-file", "an .icd file names its library", _icd_file,
     ("icd.file_type", "icd.file_fault", "icd.open_error", "icd.library_name",
      "opencl.icd_registered")),
    ("library", "library", "the library is found and whole", _library,
     ("icd.library.path", "icd.library.format", "icd.library_fault")),
    ("load", "load", "it loads and stays up", _loads, ("icd.stage", "icd.outcome")),
    ("loader", "loader", "a loader reads the .icd file", _is_read,
     ("opencl.loader_found", "icd.is_read", "icd.searched_by")),
    ("platform", "platform", "it shows a platform", _platform,
     ("device.platform", "icd.answer.platforms", "icd.answer.error_code")),
    ("device", "device", "it shows the device", _device,
     ("device.name", "device.available", "gpu.has_device", "icd.device_count")),
    ("kernel-builds", "device", "a kernel builds", _builds,
     ("device.compiler_available", "device.kernel_result")),
    ("kernel-runs", "device", "a kernel computes right", _computes, ("device.kernel_result",)),
    ("program", "application", "programs see it", _is_seen, _OF_PROGRAMS),
)  # fmt: skip
_OF_GPUS = ("pci-function", "kernel-driver", "started", "node", "node-opens", "container")
