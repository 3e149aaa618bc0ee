# SPDX-License-Identifier: MIT
"""By which interfaces each device here can be reached, and what stands in the way."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from clprobe.compat.interfaces import Hardware, Reach, Reached, api_name, reached
from clprobe.compat.known_gpu import KnownGpu, gpu_of_id
from clprobe.facts.facts import DeviceFacts, Facts
from clprobe.facts.hardware_facts import GpuFacts
from clprobe.knowledge.interface_table import InterfaceDriver
from clprobe.knowledge.program_table import Api
from clprobe.knowledge.tables import Tables
from clprobe.model.interfaces import DeviceInterfaces, InterfaceFile, InterfaceReport, State
from clprobe.model.unknown import Unknown, known, listed

_SHOWN: tuple[Api, ...] = ("opencl", "vulkan", "level-zero", "cuda", "va-api")
_NODES = {"nvidia": ("nvidia",), "hip": ("kfd", "render")}
_CPU = "it is for GPUs"


def take_interfaces(facts: Facts, tables: Tables) -> tuple[DeviceInterfaces, ...]:
    """Return by which interfaces each GPU and the processor can be reached here."""
    gpus = listed(facts.gpus)
    amd = any(known(gpu.vendor) == "amd" for gpu in gpus)
    shown: tuple[Api, ...] = (*_SHOWN, "hip") if amd else _SHOWN
    return (
        *(_of_gpu(gpu, shown, facts, tables) for gpu in gpus),
        DeviceInterfaces(
            device=known(facts.system.cpu.model) or "CPU",
            kind="cpu",
            pci_id=None,
            pci_address=None,
            interfaces=tuple(_of_cpu(api, facts, tables) for api in shown),
        ),
    )


def _of_gpu(
    gpu: GpuFacts, shown: tuple[Api, ...], facts: Facts, tables: Tables
) -> DeviceInterfaces:
    hardware = _hardware(gpu, tables)
    name = known(gpu.marketing_name) or known(gpu.name) or known(gpu.pci_id) or "GPU"
    return DeviceInterfaces(
        device=name,
        kind="gpu",
        pci_id=known(gpu.pci_id),
        pci_address=known(gpu.pci_address),
        interfaces=tuple(
            _opencl(gpu, hardware, facts, tables)
            if api == "opencl"
            else _beside(gpu, reached(api, hardware, tables), facts, tables)
            for api in shown
        ),
    )


def _hardware(gpu: GpuFacts, tables: Tables) -> Hardware:
    pci_id, name = known(gpu.pci_id), known(gpu.name) or known(gpu.marketing_name) or ""
    if pci_id is not None:
        one = gpu_of_id(pci_id, tables)
        chip = one.entry.platform if one.entry is not None else tables.named_gpu(pci_id).chip
        return Hardware(called=name, gpus=(one,), chip=chip)
    named = tables.named_gpu(name) if name else None
    if named is not None and named.chips:
        first = named.chips[0]
        return Hardware(called=name, gpus=(gpu_of_id(first.pci_id, tables),), chip=first.platform)
    family = named.family if named is not None else None
    vendor = family.vendor if family is not None else known(gpu.vendor)
    return Hardware(called=name, gpus=(KnownGpu(vendor=vendor, family=family),))


def _opencl(gpu: GpuFacts, hardware: Hardware, facts: Facts, tables: Tables) -> InterfaceReport:
    shown = [one for one in listed(facts.devices) if _stands_for(one, gpu)]
    if shown:
        return _seen(shown[0])
    found = reached("opencl", hardware, tables)
    if found.reaches == "fails":
        return _report(found, "not-for-this", because=_why_never(found))
    may = [one for one in found.by if one.reaches != "fails"]
    drivers = {one.driver for one in may}
    for icd in listed(facts.icds):
        if known(icd.implementation) in drivers and icd.device_count in (0, None):
            because = icd.detail or "its driver shows no device for it"
            return _report(found, "no-device", known(icd.implementation), because, tried=True)
    if isinstance(facts.icds, Unknown):
        return _report(found, "unknown", because="which drivers are registered is not known")
    names = ", ".join(sorted(drivers))
    return _report(found, "no-driver", because=f"no .icd file of {names} shows it")


def _stands_for(device: DeviceFacts, gpu: GpuFacts) -> bool:
    address = known(device.pci_address)
    if address is not None and isinstance(gpu.pci_address, str):
        return address == gpu.pci_address
    return known(device.pci_id) is not None and device.pci_id == gpu.pci_id


def _seen(device: DeviceFacts) -> InterfaceReport:
    kernel = known(device.kernel_result)
    driver = known(device.implementation) or known(device.platform)
    said = {"right": "a kernel computed right", None: "it lists the device; no kernel was run"}
    because = said.get(kernel, f"a kernel came out as {kernel}")
    state: State = "works" if kernel in said else "fails"
    return InterfaceReport(
        interface="opencl", name="OpenCL", state=state, tried=True, driver=driver, because=because
    )  # fmt: skip


def _report(
    found: Reached, state: State, driver: str | None = None, because: str = "", *,
    tried: bool = False,
) -> InterfaceReport:  # fmt: skip
    return InterfaceReport(
        interface=found.api, name=found.name, state=state, tried=tried, driver=driver,
        because=because,
    )  # fmt: skip


def _why_never(found: Reached) -> str:
    reasons = dict.fromkeys(f"{one.driver}: {one.because}" for one in found.by)
    return found.closed_because or "; ".join(reasons)


def _beside(gpu: GpuFacts, found: Reached, facts: Facts, tables: Tables) -> InterfaceReport:
    if found.reaches == "fails":
        return _report(found, "not-for-this", because=_why_never(found))
    if isinstance(facts.interfaces, Unknown):
        return _report(found, "unknown", because="what is installed is not known")
    table = tables.interfaces()[found.api]
    drivers = {one.driver: one for one in table.drivers}
    may = [(drivers[one.driver], one) for one in found.by if one.reaches != "fails"]
    if not may:
        return _report(found, "unknown", because="no table tells which driver takes this GPU")
    tried = [
        _installed(gpu, found, (driver, reach), file, facts)
        for driver, reach in may
        for file in _files(found.api, driver, facts.interfaces)
    ]
    if not tried:
        wanted = " or ".join(f"{driver.files[0]} ({driver.driver})" for driver, _ in may)
        return _report(found, "no-driver", because=f"there is no {wanted}")
    best = next((one for one in tried if one.state == "installed"), tried[0])
    loaders = [one for one in facts.interfaces if _is_of(one, found.api, "loader")]
    separate = not any(fnmatchcase(table.loaders[0], name) for d, _ in may for name in d.files)
    if best.state == "installed" and separate and not loaders:
        because = f"{best.driver} is there, but programs open {table.loaders[0]}, which is not"
        return _report(found, "no-loader", best.driver, because)
    return best


def _is_of(file: InterfaceFile, api: Api, role: str) -> bool:
    return file.interface == api and known(file.role) in (role, None)


def _files(
    api: Api, driver: InterfaceDriver, files: tuple[InterfaceFile, ...]
) -> Iterator[InterfaceFile]:
    for one in files:
        names = [one.path.rpartition("/")[2], (known(one.library) or "").rpartition("/")[2]]
        fits = any(fnmatchcase(name, form) for name in names for form in driver.files)
        if fits and one.interface == api:
            yield one


def _installed(
    gpu: GpuFacts,
    found: Reached,
    by: tuple[InterfaceDriver, Reach],
    file: InterfaceFile,
    facts: Facts,
) -> InterfaceReport:
    """Return what stands between an installed driver and the GPU, as far as files tell."""
    driver, reach = by
    state: State = "installed"
    because = reach.because
    bound = gpu.kernel_driver
    if file.library is None:
        state, because = "broken", f"{file.path} names a library that is not there"
    elif file.fits is False:
        state, because = "broken", f"{known(file.library) or file.path} is for another processor"
    elif isinstance(file.left_out_by, str):
        state, because = "left-out", f"{file.left_out_by} keeps programs from {file.path}"
    elif not isinstance(bound, Unknown) and bound not in driver.kernel_drivers:
        has = f"{bound} has it" if bound else "no kernel driver has it"
        needs = " or ".join(driver.kernel_drivers)
        state, because = "other-kernel-driver", f"{has}; {driver.driver} needs {needs}"
    else:
        closed = _closed_node(gpu, found.api, facts)
        if closed is not None:
            state, because = "closed-node", f"you cannot open {closed}"
    return _report(found, state, driver.driver, because)


def _closed_node(gpu: GpuFacts, api: Api, facts: Facts) -> str | None:
    """Return a node that this interface opens and this user may not."""
    kinds = _NODES.get(api) or _NODES.get(known(gpu.vendor) or "") or ("render",)
    for node in listed(facts.device_nodes):
        is_own = node.kind != "render" or gpu.render_node in (node.path, None)
        if node.kind in kinds and is_own and node.may_open is False:
            return node.path
    return None


def _of_cpu(api: Api, facts: Facts, tables: Tables) -> InterfaceReport:
    found = Reached(api=api, name=api_name(api, tables))
    if api == "opencl":
        return _opencl_of_cpu(found, facts)
    software = [one for one in tables.interfaces()[api].drivers if not one.vendors]
    if not software:
        return _report(found, "not-for-this", because=_CPU)
    if isinstance(facts.interfaces, Unknown):
        return _report(found, "unknown", because="what is installed is not known")
    for driver in software:
        for file in _files(api, driver, facts.interfaces):
            if file.library is not None and file.fits is not False:
                return _report(found, "installed", driver.driver)
    wanted = " or ".join(f"{one.files[0]} ({one.driver})" for one in software)
    return _report(found, "no-driver", because=f"there is no {wanted}")


def _opencl_of_cpu(found: Reached, facts: Facts) -> InterfaceReport:
    shown = [one for one in listed(facts.devices) if known(one.type) == "cpu"]
    if shown:
        return _seen(shown[0])
    if isinstance(facts.devices, Unknown):
        return _report(found, "unknown", because="which devices there are is not known")
    return _report(found, "no-device", because="no driver shows the processor", tried=True)
