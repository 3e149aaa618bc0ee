# SPDX-License-Identifier: MIT
"""What there is, in the contract's words: drivers, loaders, platforms, devices and GPUs."""

from typing import TypeVar

import msgspec

from clprobe.facts.derive_icds import platforms_of
from clprobe.facts.facts import DeviceFacts, Facts, IcdFacts, LoaderFacts
from clprobe.facts.hardware_facts import GpuFacts, NodeFacts
from clprobe.model.finding import DeviceReport, DriverReport, GpuReport, NodeReport
from clprobe.model.unknown import Fact, Unknown

T = TypeVar("T")


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
    """Everything that `info` prints."""

    drivers: tuple[DriverReport, ...]
    loaders: tuple[LoaderReport, ...]
    platforms: tuple[PlatformReport, ...]
    devices: tuple[DeviceReport, ...]
    gpus: tuple[GpuReport, ...]
    nodes: tuple[NodeReport, ...]


def take_inventory(facts: Facts) -> Inventory:
    """Return what there is; what is not known is left out of lists and None elsewhere."""
    icds = _known(facts.icds) or ()
    return Inventory(
        drivers=tuple(_driver(icd) for icd in icds),
        loaders=tuple(_loader(loader) for loader in _known(facts.loaders) or ()),
        platforms=_platforms(facts),
        devices=tuple(_device(n, one) for n, one in enumerate(_known(facts.devices) or ())),
        gpus=tuple(_gpu(gpu) for gpu in _known(facts.gpus) or ()),
        nodes=tuple(_node(node) for node in _known(facts.device_nodes) or ()),
    )


def _node(node: NodeFacts) -> NodeReport:
    return NodeReport(
        path=node.path,
        kind=_known(node.kind),
        owner=_known(node.owner) or _number(node.uid),
        group=_known(node.group) or _number(node.gid),
        mode=_known(node.mode),
        may_open=_known(node.may_open),
        errno=_known(node.errno),
        is_predicted=node.is_predicted,
        denied_because=_known(node.denied_because),
    )


def _number(fact: Fact[int]) -> str | None:
    return None if isinstance(fact, Unknown) else str(fact)


def _known(fact: Fact[T]) -> T | None:
    return None if isinstance(fact, Unknown) else fact


def _driver(icd: IcdFacts) -> DriverReport:
    library = _known(icd.library.path) or _known(icd.library_name)
    return DriverReport(
        icd=icd.path,
        library=library,
        package=_known(icd.library.package) or _known(icd.package),
        stage=_known(icd.stage),
        outcome=_known(icd.outcome),
        detail=icd.detail,
        platforms=tuple(_known(p.name) or "?" for p in platforms_of(icd.answer)),
        implementation=_known(icd.implementation),
    )


def _loader(loader: LoaderFacts) -> LoaderReport:
    return LoaderReport(
        path=loader.path,
        kind=_known(loader.kind),
        version=_known(loader.version),
        is_default=_known(loader.is_default),
        found_by=_known(loader.found_by),
        icd_folders=_known(loader.icd_folders),
    )


def _platforms(facts: Facts) -> tuple[PlatformReport, ...]:
    shown = [(icd.path, icd.answer) for icd in _known(facts.icds) or ()]
    if not shown:
        # A report that only tells what a program printed still tells its platforms.
        shown = [(None, view.answer) for view in _known(facts.views) or ()]  # type: ignore[misc]
    return tuple(
        PlatformReport(
            name=_known(platform.name),
            vendor=_known(platform.vendor),
            version=_known(platform.version),
            icd=icd,
            devices=None if isinstance(platform.devices, Unknown) else len(platform.devices),
        )
        for icd, answer in shown
        for platform in platforms_of(answer)
    )


def _device(index: int, device: DeviceFacts) -> DeviceReport:
    extensions = _known(device.extensions)
    return DeviceReport(
        index=index,
        platform=_known(device.platform),
        name=_known(device.name),
        type=_known(device.type),
        driver_version=_known(device.driver_version),
        opencl_version=_known(device.opencl_version),
        opencl_c_version=_known(device.opencl_c_version),
        pci_id=_known(device.pci_id),
        generation=_known(device.generation),
        fp16=None if extensions is None else "cl_khr_fp16" in extensions,
        fp64=None if extensions is None else "cl_khr_fp64" in extensions,
        compute_units=_known(device.compute_units),
        max_clock_mhz=_known(device.max_clock_mhz),
        max_work_group_size=_known(device.max_work_group_size),
        sub_group_sizes=_known(device.sub_group_sizes),
        local_memory_bytes=_known(device.local_memory_bytes),
        local_memory_type=_known(device.local_memory_type),
        global_memory_bytes=_known(device.global_memory_bytes),
        max_allocation_bytes=_known(device.max_allocation_bytes),
        extensions=extensions,
        marketing_name=_known(device.marketing_name),
        icd=_known(device.icd),
        library=_known(device.library),
    )


def _gpu(gpu: GpuFacts) -> GpuReport:
    return GpuReport(
        pci_address=_known(gpu.pci_address),
        pci_id=_known(gpu.pci_id),
        vendor=_known(gpu.vendor),
        marketing_name=_known(gpu.marketing_name) or _known(gpu.name),
        generation=_known(gpu.generation),
        kernel_driver=_known(gpu.kernel_driver),
        render_node=_known(gpu.render_node),
        supported_by=_known(gpu.implementations),
    )
