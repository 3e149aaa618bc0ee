# SPDX-License-Identifier: MIT
"""What messages tell: all that was said, the ICDs and nodes named in it, the log's lines that bear.

Reports quote the loader's own log rather than list .icd files, strace or a program rather than
ls -l. And people quote a log because something fails, so every line of a report counts. The live
log holds all since the start: a GPU that hung last week and computes today, or the module of some
other device that was refused. Such lines explain nothing, and must not be named as a cause.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from clprobe.facts.facts import DeviceFacts
from clprobe.facts.hardware_facts import GpuFacts
from clprobe.knowledge.printed import Forms
from clprobe.model.hardware import DeviceNode, node_kind
from clprobe.model.opencl import Answer, Icd
from clprobe.model.snapshot import OUTSIDE, Snapshot
from clprobe.model.unknown import NOT_STATED, Fact, Unknown, listed

_FORMS = Forms("said")
_COMPUTING_DRIVERS = ("i915", "xe", "amdgpu", "nvidia")
_DENIED = ("EACCES", "EPERM")
_OF_NOW = ("live", OUTSIDE)
"""Sources whose log is that of the running Linux."""


def everything_said(snapshot: Snapshot, log: Fact[str]) -> Fact[str]:
    """Return all texts of drivers, programs, package manager and Linux, a line or more each.

    `log` are the lines of Linux's log that count.

    It is empty where someone was asked and printed nothing, unknown where nobody was asked.
    """
    texts = [text for text in (log, *_texts(snapshot)) if isinstance(text, str)]
    asked = (snapshot.icds, snapshot.views, snapshot.messages)
    nobody_was_asked = all(isinstance(fact, Unknown) for fact in asked)
    return "\n".join(texts) if texts or not nobody_was_asked else NOT_STATED


def _texts(snapshot: Snapshot) -> Iterator[object]:
    yield from listed(snapshot.messages)
    yield snapshot.package_trouble
    for icd in listed(snapshot.icds):
        yield from _texts_of(icd.answer)
    for view in listed(snapshot.views):
        yield from _texts_of(view.answer)
    for framework in listed(snapshot.frameworks):
        yield framework.message


def _texts_of(answer: Answer) -> Iterator[object]:
    yield answer.printed
    yield answer.message
    for _, device in answer.shown():
        yield device.build_log


def with_icds_named(snapshot: Snapshot, said: str | Unknown) -> Snapshot:
    """Return the snapshot with the ICDs of a loader's log, if it tells of none itself."""
    if not isinstance(snapshot.icds, Unknown) or isinstance(said, Unknown):
        return snapshot
    named = {icd.path: icd for icd in _named(said)}
    if not named:
        return snapshot
    return replace(snapshot, icds=tuple(named.values()), excerpts=(*snapshot.excerpts, "icds"))


def _named(said: str) -> list[Icd]:
    found: list[Icd] = []
    for step in _FORMS.loader_step.finditer(said):
        if step["file"]:
            found.append(Icd(path=re.sub("/{2,}", "/", step["file"])))
        elif found:
            found[-1] = _after(found[-1], step)
    return found


def _after(icd: Icd, step: re.Match[str]) -> Icd:
    if step["library"]:
        return replace(icd, library_name=step["library"])
    if step["loaded"]:
        return replace(icd, answer=Answer(stage="load"))
    answer = Answer(stage="library", outcome="error", message=step["error"])
    return replace(icd, answer=answer)


def with_nodes_named(snapshot: Snapshot, said: Fact[str]) -> Snapshot:
    """Return the snapshot with the nodes that were refused in words, if it tells of none itself."""
    if isinstance(said, str) and not isinstance(snapshot.device_nodes, Unknown):
        snapshot = replace(snapshot, device_nodes=_with_group(snapshot.device_nodes, said))
    if _lists_kfd_alone(snapshot):
        return replace(snapshot, excerpts=(*snapshot.excerpts, "device_nodes"))
    if not isinstance(snapshot.device_nodes, Unknown) or isinstance(said, Unknown):
        return snapshot
    refused = {}
    for match in _FORMS.refused.finditer(said):
        path = match["path"] or match["other"]
        kind = node_kind(path) or ("render" if path.endswith("-render") else None)
        if kind is not None:
            errno = "EPERM" if match["errno"] == "EPERM" else "EACCES"
            refused[path] = DeviceNode(path=path, kind=kind, open_error=errno)
    if not refused:
        return snapshot
    return replace(
        snapshot,
        device_nodes=_with_group(tuple(refused.values()), said),
        excerpts=(*snapshot.excerpts, "device_nodes"),
    )


def _with_group(nodes: tuple[DeviceNode, ...], said: str) -> tuple[DeviceNode, ...]:
    """Return the nodes, /dev/kfd with the group that rocminfo names where nothing else does."""
    unmapped = _FORMS.unmapped.search(said)
    if unmapped is None:
        return nodes
    return tuple(
        replace(node, group=unmapped["group"])
        if node.path == "/dev/kfd" and isinstance(node.group, Unknown)
        else node
        for node in nodes
    )


def _lists_kfd_alone(snapshot: Snapshot) -> bool:
    """Whether a reporter listed /dev/kfd and nothing else: that says nothing of /dev/dri."""
    nodes, by_probe = snapshot.device_nodes, isinstance(snapshot.clprobe, str)
    if isinstance(nodes, Unknown) or by_probe or not nodes:
        return False
    return all(node.path == "/dev/kfd" for node in nodes)


def bearing_log(
    snapshot: Snapshot,
    gpus: Fact[tuple[GpuFacts, ...]],
    devices: Fact[tuple[DeviceFacts, ...]],
) -> Fact[str]:
    """Return the log without the lines that are history; a report's log stays whole."""
    log = snapshot.system.linux.log
    if isinstance(log, Unknown) or snapshot.source not in _OF_NOW or isinstance(gpus, Unknown):
        return log
    if _miscomputes(devices):
        return log
    open_questions = [gpu for gpu in gpus if _needs_log(gpu, snapshot)]
    if gpus and not open_questions:
        return ""
    at_work = [gpu for gpu in gpus if gpu not in open_questions]
    lines = [line for line in log.splitlines() if not _names_one(line, at_work)]
    if not gpus:  # one that fell off the bus is missing there, but not in the log
        lines = [line for line in lines if _FORMS.about_gpus.search(line)]
    return "\n".join(lines)


def _miscomputes(devices: Fact[tuple[DeviceFacts, ...]]) -> bool:
    """Tell whether a GPU shows up and yet fails at its work."""
    return any(
        isinstance(device.kernel_result, str) and device.kernel_result != "right"
        for device in listed(devices)
        if device.type == "gpu"
    )


def _needs_log(gpu: GpuFacts, snapshot: Snapshot) -> bool:
    """Tell whether only Linux may know why the GPU has no OpenCL device."""
    if gpu.has_device is True or gpu.computes is False:
        return False
    if gpu.kernel_driver not in _COMPUTING_DRIVERS or gpu.render_node is None:
        return True
    nodes = listed(snapshot.device_nodes)
    own = [node for node in nodes if node.path == gpu.render_node]
    # Neither a node that nobody may open nor a driver that nobody installed is Linux's fault.
    return not any(node.open_error in _DENIED for node in own) and gpu.installed != ()


def _names_one(line: str, gpus: Sequence[GpuFacts]) -> bool:
    addresses = [gpu.pci_address for gpu in gpus if isinstance(gpu.pci_address, str)]
    # 0000:00:02.0; DMAR writes [00:02.0], NVIDIA PCI:0000:01:00.
    return any(
        address.partition(":")[2] in line or f"PCI:{address[:-2]}" in line for address in addresses
    )
