# SPDX-License-Identifier: MIT
"""Gathers the OpenCL devices: what hardware each is, which GPU it stands for, is it usable."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import asdict

from clprobe.compat.processor import refusal_of_driver
from clprobe.facts.facts import DeviceFacts, IcdFacts
from clprobe.facts.hardware_facts import AMBIGUOUS, GpuFacts
from clprobe.knowledge.core_table import Core
from clprobe.knowledge.printed import Forms
from clprobe.knowledge.table_types import PRE_PRODUCTION, GpuEntry, Implementation
from clprobe.knowledge.tables import Tables
from clprobe.model.opencl import Answer, Device, Platform, View
from clprobe.model.system import Cpu
from clprobe.model.unknown import NOT_STATED, Fact, Unknown

INTEL = 0x8086
_DEADLY = ("crash", "hang")
_FORMS = Forms("said")
_MAKERS = {0x8086: "intel", 0x1002: "amd", 0x10DE: "nvidia", 0x13B5: "arm", 0x5143: "qualcomm"}
_IMPLEMENTATIONS = {
    "compute-runtime": "intel", "compute-runtime-legacy1": "intel", "beignet": "intel",
    "amd-rocm": "amd", "nvidia": "nvidia", "mali": "arm", "adreno": "qualcomm",
    "vc4cl": "broadcom",
}  # fmt: skip


def gather_devices(
    icds: tuple[IcdFacts, ...], views: tuple[View, ...], cpu: Cpu, tables: Tables
) -> tuple[DeviceFacts, ...]:
    """Return the devices of all ICDs asked alone, then those that only a viewer sees."""
    core = tables.core_of(cpu)
    devices = [
        _judged(device, platform, icd.answer, tables, icd, core=core)
        # What no loader reads is no device for any program.
        for icd in _each_library_once(icd for icd in icds if icd.is_read is not False)
        for platform, device in icd.answer.shown()
    ]
    known = {(device.platform, device.name) for device in devices}
    for view in views:
        fresh = [
            _judged(device, platform, view.answer, tables, None, core=core)
            for platform, device in view.answer.shown()
            if (platform.name, device.name) not in known
        ]
        devices += fresh
        known |= {(device.platform, device.name) for device in fresh}
    return tuple(devices)


def _each_library_once(icds: Iterable[IcdFacts]) -> Iterator[IcdFacts]:
    """Give each library's ICD once: loaders, too, show a driver that is named twice only once."""
    seen: set[str] = set()
    for icd in icds:
        file = icd.library.real_path
        if isinstance(file, Unknown):
            yield icd
        elif file not in seen:
            seen.add(file)
            yield icd


def names_of(answer: Answer) -> tuple[tuple[Fact[str], Fact[str]], ...]:
    """Return (platform, device) names of everything that an answer shows."""
    return tuple((platform.name, device.name) for platform, device in answer.shown())


def _judged(  # noqa: PLR0913 - one parameter per thing it is judged by
    device: Device,
    platform: Platform,
    answer: Answer,
    tables: Tables,
    icd: IcdFacts | None,
    *,
    core: Core | None,
) -> DeviceFacts:
    key = icd.implementation if icd is not None else _implementation(device, platform, tables)
    entry = tables.implementation(key)
    pci_id = _pci_id(device)
    gpu = tables.gpu(pci_id)
    unlisted = pci_id if isinstance(pci_id, Unknown) else None
    by_cpu = entry is not None and "gpu" not in entry.device_types
    return DeviceFacts(
        **asdict(device),
        platform=platform.name,
        icd=icd.path if icd is not None else NOT_STATED,
        library=icd.library.path if icd is not None else NOT_STATED,
        implementation=key,
        called=_called(entry, pci_id),
        pci_id=pci_id,
        generation=_generation(device, gpu, tables, unlisted),
        marketing_name=gpu.name if gpu is not None else unlisted,
        usable=_usable(device, answer),
        builds_nothing=_builds_nothing(device, platform, entry, core or _core(device, tables)),
        disguised=_disguised(device),
        software=_software(device, by_cpu=by_cpu),
    )


def _called(entry: Implementation | None, pci_id: Fact[str | None]) -> tuple[str, ...]:
    driver = () if entry is None else (entry.implementation, entry.name, *entry.called)
    maker = _MAKERS.get(int(pci_id[:4], 16)) if isinstance(pci_id, str) else None
    return driver if maker is None else (*driver, maker)


def _implementation(device: Device, platform: Platform, tables: Tables) -> Fact[str | None]:
    if isinstance(platform.name, Unknown):
        return platform.name
    return tables.recognise(None, platform.name, platform.version, device.driver_version)


def _pci_id(device: Device) -> Fact[str | None]:
    if device.type not in ("gpu", "accelerator"):
        # PoCL gives the CPU's vendor id, which for Intel is that of its GPUs.
        return device.type if isinstance(device.type, Unknown) else None
    if isinstance(device.device_id, int) and isinstance(device.vendor_id, int):
        return f"{device.vendor_id:04x}:{device.device_id:04x}"
    found = _FORMS.id_in_name.search(device.name) if isinstance(device.name, str) else None
    if found is not None and device.vendor_id in (INTEL, NOT_STATED):
        return f"{INTEL:04x}:{found[1].lower()}"
    return device.device_id if isinstance(device.device_id, Unknown) else None


def _generation(
    device: Device, entry: GpuEntry | None, tables: Tables, unlisted: Unknown | None
) -> Fact[str | None]:
    if entry is not None and entry.generation != PRE_PRODUCTION:
        return entry.generation
    # An id that never shipped tells no generation; emulation reports such ones for any GPU.
    if isinstance(device.ip_version, int) and device.vendor_id == INTEL:
        return tables.generation_of_ip_version(device.ip_version)
    return unlisted


def _usable(device: Device, answer: Answer) -> Fact[bool]:
    if (answer.outcome in _DEADLY and not _fails_elsewhere(device, answer)) or (
        device.available is False
    ):
        return False
    if isinstance(device.kernel_result, str):
        return device.kernel_result == "right"
    return True  # it is shown and nothing speaks against it; only a kernel could prove more


def _builds_nothing(
    device: Device, platform: Platform, entry: Implementation | None, core: Core | None
) -> str | None:
    if device.type != "cpu" or device.kernel_result in ("right", "wrong"):
        return None  # it did build one
    return refusal_of_driver(entry, platform.version, device.driver_version, core)


def _core(device: Device, tables: Tables) -> Core | None:
    """Return the core that the device's name tells: "pthread-AMD Ryzen 7 5700G"."""
    return tables.core_named(device.name) if isinstance(device.name, str) else None


def _fails_elsewhere(device: Device, answer: Answer) -> bool:
    """Tell whether the driver died of another device's kernel, in another process."""
    failed = ("build-failed", "run-failed")
    others = (other.kernel_result for _, other in answer.shown())
    return device.kernel_result == "right" and any(one in failed for one in others)


def _disguised(device: Device) -> Fact[bool]:
    """Tell whether the device calls itself a GPU while its other texts name the CPU."""
    if device.type != "gpu":
        return device.type if isinstance(device.type, Unknown) else False
    texts = (device.name, device.opencl_version, device.driver_version)
    by_cpu = any(_FORMS.cpu_at_work.search(text) for text in texts if isinstance(text, str))
    if by_cpu:
        return not isinstance(device.pci_address, str)
    return device.name if isinstance(device.name, Unknown) else False


def _software(device: Device, *, by_cpu: bool) -> Fact[bool]:
    if by_cpu or device.type == "cpu" or _disguised(device) is True:
        return True
    if isinstance(device.name, str) and "llvmpipe" in device.name.lower():
        return True
    return device.type if isinstance(device.type, Unknown) else False


def stands_for(
    gpu: GpuFacts, gpus: Sequence[GpuFacts], devices: Fact[tuple[DeviceFacts, ...]]
) -> Fact[bool]:
    """Return whether one of the devices is this GPU; `gpus` are all of the machine.

    A device that does not say which one it is stands for the only GPU of its maker.
    """
    if isinstance(devices, Unknown):
        return devices
    undecided = False
    for device in devices:
        answer = None if device.software is True else _is_same(gpu, gpus, device)
        if answer is True:
            return True
        undecided = undecided or isinstance(answer, Unknown)
    return AMBIGUOUS if undecided else False


def _is_same(gpu: GpuFacts, gpus: Sequence[GpuFacts], device: DeviceFacts) -> Fact[bool]:
    if isinstance(device.pci_address, str) and device.pci_address == gpu.pci_address:
        return True
    if isinstance(device.pci_address, str) and isinstance(gpu.pci_address, str):
        return False
    if isinstance(device.pci_id, str) and isinstance(gpu.pci_id, str):
        return device.pci_id == gpu.pci_id
    maker = maker_of(device)
    if maker is None or isinstance(gpu.vendor, Unknown):
        return True if _are_alone(gpu, gpus) else AMBIGUOUS
    if maker != gpu.vendor:
        return False
    unclear = [
        other for other in gpus if other.vendor == maker or isinstance(other.vendor, Unknown)
    ]
    return True if _are_alone(gpu, unclear) else AMBIGUOUS


def _are_alone(gpu: GpuFacts, gpus: Sequence[GpuFacts]) -> bool:
    return [other for other in gpus if other.computes is not False] == [gpu]


def maker_of(device: DeviceFacts) -> str | None:
    """Return whose device it is, as its driver, its ids and its names tell; None: they do not."""
    if isinstance(device.implementation, str) and device.implementation in _IMPLEMENTATIONS:
        return _IMPLEMENTATIONS[device.implementation]
    if isinstance(device.vendor_id, int) and device.vendor_id in _MAKERS:
        return _MAKERS[device.vendor_id]
    told = (device.name, device.vendor, device.platform)
    texts = [text for text in told if isinstance(text, str)]
    found = {
        maker
        for maker, pattern in _FORMS.patterns["makers"].items()
        if any(map(pattern.search, texts))
    }
    return found.pop() if len(found) == 1 else None
