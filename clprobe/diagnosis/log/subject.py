# SPDX-License-Identifier: MIT
"""What a log is about: a GPU with the driver and the device that stand for it, or one of these."""

from collections.abc import Iterator, Sequence

import msgspec

from clprobe.facts.facts import DeviceFacts, Facts, IcdFacts
from clprobe.facts.hardware_facts import GpuFacts, NodeFacts
from clprobe.facts.inventory import matching_devices, take_inventory
from clprobe.model.opencl import Stage
from clprobe.model.unknown import known, listed
from clprobe.ruleset.judge import Outcome

_STAGES: tuple[Stage, ...] = (
    "icd-file", "library", "load", "entry-point", "platforms", "devices", "queries", "compile",
    "run",
)  # fmt: skip
_BEST_NODES = ("render", "kfd", "nvidia", "mali", "kgsl", "dxg", "card")
_ON_THE_CPU = "cpu"


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """The parts that belong together; None: there is none, or nobody knows which."""

    label: str
    facts: Facts
    gpu: GpuFacts | None = None
    node: NodeFacts | None = None
    icd: IcdFacts | None = None
    device: DeviceFacts | None = None
    needs_gpu: bool = True
    """Whether it reaches for a GPU at all: a driver for the CPU passes no node."""

    @property
    def about(self) -> dict[str, str]:
        """What hardware and software it concerns, in the words of outcomes."""
        vendor = (
            known(self.gpu.vendor) if self.gpu else known(self.icd.vendor) if self.icd else None
        )
        told = {
            "gpu": known(part.pci_address) if (part := self.gpu or self.device) else None,
            "vendor": vendor,
            "icd": self.icd.path if self.icd else None,
        }
        return {key: text for key, text in told.items() if text is not None}


def subjects_named(selector: str, facts: Facts, cause: Outcome | None) -> tuple[Subject, ...]:
    """Return what the selector fits, GPUs first; of drivers of one GPU that which `cause` names.

    Drivers count where nothing else has the name. "gpu" fits one of which nothing is known, too.
    """
    wanted = selector.strip().casefold()
    found = [
        _of_gpu(gpu, facts, cause) for gpu in listed(facts.gpus) if wanted and _is_gpu(gpu, wanted)
    ]
    reports = take_inventory(facts).devices
    matching = {one.index for one in matching_devices(reports, selector)}
    shown = [device for one in found if (device := one.device) is not None]
    for index, device in enumerate(listed(facts.devices)):
        if index in matching and not any(device is one for one in shown):
            found.append(_of_device(device, index, facts, cause))
    if not found:
        icds = (icd for icd in listed(facts.icds) if wanted and _is_icd(icd, wanted))
        found = [_of_icd(icd, facts) for icd in icds]
    if not found and wanted == "gpu":
        found = [_completed(None, facts, cause, label="the GPU")]
    return tuple(found)


def _is_gpu(gpu: GpuFacts, wanted: str) -> bool:
    address = known(gpu.pci_address) or ""
    if wanted in ("gpu", known(gpu.pci_id), known(gpu.vendor), address, address[5:]):
        return True
    if wanted.isdecimal():
        return False  # an index of a device
    names = (gpu.marketing_name, gpu.name, gpu.codename, gpu.family, gpu.label)
    return any(wanted in text.casefold() for name in names if (text := known(name)))


def _is_icd(icd: IcdFacts, wanted: str) -> bool:
    texts = (icd.path, known(icd.implementation), icd.title)
    return not wanted.isdecimal() and any(wanted in text.casefold() for text in texts if text)


def _of_gpu(gpu: GpuFacts, facts: Facts, cause: Outcome | None) -> Subject:
    return _completed(gpu, facts, cause, label=gpu.label)


def _completed(gpu: GpuFacts | None, facts: Facts, cause: Outcome | None, *, label: str) -> Subject:
    device = next(_devices_of(gpu, facts), None) if gpu else None
    icd = _icd_of(device, facts) if device else _best_icd(gpu, facts, cause)
    node = _node_of(gpu, facts, cause)
    return Subject(label=label, facts=facts, gpu=gpu, node=node, icd=icd, device=device)


def _of_device(device: DeviceFacts, index: int, facts: Facts, cause: Outcome | None) -> Subject:
    name = known(device.marketing_name) or known(device.name) or "a device"
    icd = _icd_of(device, facts)
    on_cpu = device.type == _ON_THE_CPU or True in (device.software, device.disguised)
    label = f"device {index}, {name}"
    if on_cpu:
        return Subject(label=label, facts=facts, icd=icd, device=device, needs_gpu=False)
    gpu = next(
        (
            one
            for one in listed(facts.gpus)
            if any(device is shown for shown in _devices_of(one, facts))
        ),
        None,
    )
    node = _node_of(gpu, facts, cause)
    return Subject(
        label=label, facts=facts, gpu=gpu, node=node, icd=icd, device=device,
        needs_gpu=gpu is not None or facts.gpus != (),
    )  # fmt: skip


def _of_icd(icd: IcdFacts, facts: Facts) -> Subject:
    device = next((one for one in listed(facts.devices) if one.icd == icd.path), None)
    label = f"the driver of {icd.path}"
    if icd.drives == _ON_THE_CPU:
        return Subject(label=label, facts=facts, icd=icd, device=device, needs_gpu=False)
    served = [
        gpu
        for gpu in listed(facts.gpus)
        if any(one is device for one in _devices_of(gpu, facts)) or icd.path in _fitting(gpu)
    ]
    gpu = served[0] if served else None
    return Subject(
        label=label, facts=facts, gpu=gpu, node=_node_of(gpu, facts, None), icd=icd,
        device=device, needs_gpu=gpu is not None,
    )  # fmt: skip


def _fitting(gpu: GpuFacts) -> list[str]:
    return [fit.icd for fit in listed(gpu.fits)]


def _devices_of(gpu: GpuFacts, facts: Facts) -> Iterator[DeviceFacts]:
    """Yield the devices that stand for the GPU; where it is the only one, all real GPUs."""
    is_only = len(listed(facts.gpus)) == 1 and gpu.has_device is True
    for device in listed(facts.devices):
        if device.type == _ON_THE_CPU or True in (device.software, device.disguised):
            continue
        address = known(device.pci_address)
        if address is not None and known(gpu.pci_address) is not None:
            if address == gpu.pci_address:
                yield device
        elif is_only or (gpu.has_device is True and _same_id(device, gpu)):
            yield device


def _same_id(device: DeviceFacts, gpu: GpuFacts) -> bool:
    return known(device.pci_id) is not None and device.pci_id == gpu.pci_id


def _icd_of(device: DeviceFacts, facts: Facts) -> IcdFacts | None:
    return next((icd for icd in listed(facts.icds) if icd.path == device.icd), None)


def _best_icd(gpu: GpuFacts | None, facts: Facts, cause: Outcome | None) -> IcdFacts | None:
    """Return the driver that the cause is about, else the one for this GPU that came farthest."""
    icds = listed(facts.icds)
    named = cause.about.get("icd") if cause is not None else None
    vendor = known(gpu.vendor) if gpu else None
    foreign = (None, "several", "other", vendor)
    blamed = [one for one in icds if one.path == named]
    if blamed and (vendor is None or known(blamed[0].vendor) in foreign):
        return blamed[0]
    if gpu is None and facts.gpus == ():
        return None
    meant = [icd for icd in icds if gpu is not None and icd.path in _fitting(gpu)]
    nameless = [icd for icd in icds if known(icd.implementation) is None]
    return max(meant or nameless, key=_progress, default=None)


def _progress(icd: IcdFacts) -> int:
    stage = known(icd.stage)
    return _STAGES.index(stage) if stage in _STAGES else -1


def _node_of(gpu: GpuFacts | None, facts: Facts, cause: Outcome | None) -> NodeFacts | None:
    nodes = [node for node in listed(facts.device_nodes) if _may_lead_to(node, gpu, facts)]
    named = cause.about.get("node") if cause is not None else None
    blamed = [node for node in nodes if node.path == named]
    return min(blamed or nodes, key=_rank_of_node, default=None)


def _may_lead_to(node: NodeFacts, gpu: GpuFacts | None, facts: Facts) -> bool:
    if gpu is None:
        return True
    addresses = known(node.pci_address), known(gpu.pci_address)
    if None not in addresses:
        return addresses[0] == addresses[1]
    vendors = known(node.vendor), known(gpu.vendor)
    return vendors[0] == vendors[1] if None not in vendors else len(listed(facts.gpus)) == 1


def _rank_of_node(node: NodeFacts) -> int:
    kinds: Sequence[str] = _BEST_NODES
    kind = known(node.kind)
    return kinds.index(kind) if kind in kinds else len(kinds)


def has_reached(icd: IcdFacts, stage: Stage) -> bool | None:
    """Whether the driver came beyond `stage`; None: not known."""
    last = known(icd.stage)
    return None if last is None else _STAGES.index(last) > _STAGES.index(stage)
