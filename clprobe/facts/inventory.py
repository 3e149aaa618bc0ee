# SPDX-License-Identifier: MIT
"""What there is, in the contract's words, and how people pick devices from it."""

import re
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from clprobe.facts.facts import DeviceFacts, Facts, IcdFacts
from clprobe.facts.hardware_facts import GpuFacts, NodeFacts
from clprobe.model.errors import ClprobeError
from clprobe.model.fact import FactStruct
from clprobe.model.finding import DeviceReport, DriverReport, GpuReport, KernelState, NodeReport
from clprobe.model.interfaces import DeviceInterfaces
from clprobe.model.unknown import Fact, known, listed

T = TypeVar("T", bound=msgspec.Struct)
_TYPES = ("gpu", "cpu", "accelerator", "custom")
_KERNELS: dict[str, KernelState] = {
    "right": "ok", "wrong": "wrong", "build-failed": "failed", "run-failed": "failed",
}  # fmt: skip


class LoaderReport(msgspec.Struct, frozen=True, kw_only=True):
    """One libOpenCL.so.1; None is "not known"."""

    path: str
    kind: str | None
    version: str | None
    is_default: bool | None
    found_by: tuple[str, ...] | None
    icd_folders: tuple[str, ...] | None


class PlatformReport(msgspec.Struct, frozen=True, kw_only=True):
    """One OpenCL platform; None is "not known"."""

    name: str | None
    vendor: str | None
    version: str | None
    icd: str | None
    devices: int | None


class Inventory(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that `info` prints.

    `interfaces` is what `device_interfaces` derives, for whom it is asked.
    """

    drivers: tuple[DriverReport, ...]
    loaders: tuple[LoaderReport, ...]
    platforms: tuple[PlatformReport, ...]
    devices: tuple[DeviceReport, ...]
    gpus: tuple[GpuReport, ...]
    nodes: tuple[NodeReport, ...]
    interfaces: tuple[DeviceInterfaces, ...] = ()


def take_inventory(facts: Facts) -> Inventory:
    """Return what there is; what is not known is left out of lists and None elsewhere."""
    return Inventory(
        drivers=tuple(map(_driver, listed(facts.icds))),
        loaders=tuple(_report(LoaderReport, loader) for loader in listed(facts.loaders)),
        platforms=_platforms(facts),
        devices=tuple(_device(n, one) for n, one in enumerate(listed(facts.devices))),
        gpus=tuple(map(_gpu, listed(facts.gpus))),
        nodes=tuple(map(_node, listed(facts.device_nodes))),
    )


def _report(kind: type[T], facts: FactStruct, **more: Any) -> T:
    """Return the report with what the facts have of the same name, None where it is not known."""
    same = (name for name in kind.__struct_fields__ if name not in more)
    return kind(**{name: known(getattr(facts, name)) for name in same}, **more)


def _node(node: NodeFacts) -> NodeReport:
    owner, group = known(node.owner) or _number(node.uid), known(node.group) or _number(node.gid)
    return _report(NodeReport, node, owner=owner, group=group)


def _number(fact: Fact[int]) -> str | None:
    number = known(fact)
    return None if number is None else str(number)


def _driver(icd: IcdFacts) -> DriverReport:
    return _report(
        DriverReport,
        icd,
        icd=icd.path,
        library=known(icd.library.path) or known(icd.library_name),
        package=known(icd.library.package) or known(icd.package),
        platforms=tuple(known(p.name) or "?" for p in listed(icd.answer.platforms)),
    )


def _platforms(facts: Facts) -> tuple[PlatformReport, ...]:
    shown = [(icd.path, icd.answer) for icd in listed(facts.icds)]
    if not shown:
        # A report that only tells what a program printed still tells its platforms.
        shown = [(None, view.answer) for view in listed(facts.views)]  # type: ignore[misc]
    return tuple(
        _report(PlatformReport, platform, icd=icd, devices=_count(known(platform.devices)))
        for icd, answer in shown
        for platform in listed(answer.platforms)
    )


def _count(devices: Sequence[object] | None) -> int | None:
    return None if devices is None else len(devices)


def _device(index: int, device: DeviceFacts) -> DeviceReport:
    extensions = known(device.extensions)
    fp16, fp64 = (
        None if extensions is None else f"cl_khr_{kind}" in extensions for kind in ("fp16", "fp64")
    )
    kernel = _KERNELS.get(known(device.kernel_result) or "", "not-run")
    return _report(DeviceReport, device, index=index, fp16=fp16, fp64=fp64, kernel=kernel)


def _gpu(gpu: GpuFacts) -> GpuReport:
    name = known(gpu.marketing_name) or known(gpu.name)
    drivers = known(gpu.implementations)
    return _report(GpuReport, gpu, marketing_name=name, supported_by=drivers)


def select_devices(
    devices: Sequence[DeviceReport], selectors: Sequence[str]
) -> tuple[DeviceReport, ...]:
    """Return the devices that any of `selectors` names, in their own order; none given: all.

    Raises: ClprobeError if a selector names no device; its message lists what there is.
    """
    if not selectors:
        return tuple(devices)
    chosen: set[int] = set()
    for selector in selectors:
        matching = {device.index for device in matching_devices(devices, selector)}
        if not matching:
            raise ClprobeError(
                reference="no-such-device",
                message=f"No device matches {selector!r}. {devices_told(devices)}",
                hint="Give an index, gpu, cpu, a PCI id, a driver, or part of a name.",
            )
        chosen |= matching
    return tuple(device for device in devices if device.index in chosen)


def matching_devices(devices: Sequence[DeviceReport], selector: str) -> tuple[DeviceReport, ...]:
    """Return the devices that the selector fits."""
    return tuple(device for device in devices if _matches(device, selector))


def _matches(device: DeviceReport, selector: str) -> bool:
    wanted = selector.strip().casefold()
    if wanted.isdecimal():
        return str(device.index) == (wanted.lstrip("0") or "0")
    if wanted in _TYPES:
        return device.type == wanted
    if device.pci_id is not None and wanted.replace("0x", "") == device.pci_id:
        return True
    names = [one for one in (device.platform, device.name, device.marketing_name) if one]
    if any(wanted in name.casefold() for name in names if wanted):
        return True
    # "hd 620" is an HD Graphics 620; of a driver's other names whole words count.
    words = _words(wanted)
    return bool(words) and any(words <= _words(name) for name in (*names, *device.called))


def _words(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]+", name.casefold()))


def devices_told(devices: Sequence[DeviceReport]) -> str:
    """Return which devices there are, in a sentence."""
    if not devices:
        return "There is no OpenCL device here."
    lines = (
        f"{device.index} {device.type or '?'}: {device.platform or '?'}, {device.name or '?'}"
        for device in devices
    )
    return "There are: " + "; ".join(lines) + "."
