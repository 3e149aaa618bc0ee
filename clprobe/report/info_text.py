# SPDX-License-Identifier: MIT
"""What there is, for people: GPUs, loaders, drivers, devices with their limits."""

from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.text import Text

from clprobe.facts.inventory import Inventory
from clprobe.model.finding import DeviceReport, DriverReport, GpuReport
from clprobe.model.interfaces import DeviceInterfaces
from clprobe.report.terminal import OUTCOMES, Screen

_LABEL = 13
_STATES = {
    "works": "fine",
    "installed": "note",
    "not-for-this": "note",
    "unknown": "undetermined",
}
"""The sign of how an interface reaches a device; any other state is what stands in its way."""
_WORDS = {"installed": "installed, not tried", "not-for-this": "not for this device"}


def show_inventory(console: Console, inventory: Inventory) -> None:
    """Print everything, the devices last: they are what most people look for."""
    screen = Screen(console)
    _heading(screen, "GPUs", inventory.gpus)
    for gpu in inventory.gpus:
        screen.unbroken(f"  {_gpu(gpu)}")
    _heading(screen, "Loaders", inventory.loaders)
    for loader in inventory.loaders:
        default = ", default" if loader.is_default else ""
        kind = " ".join(part for part in (loader.kind, loader.version) if part)
        screen.unbroken(f"  {loader.path}  {kind}{default}")
    _heading(screen, "Drivers", inventory.drivers)
    for driver in inventory.drivers:
        _show_driver(screen, driver)
    _heading(screen, "Interfaces", inventory.interfaces)
    for reached in inventory.interfaces:
        _show_interfaces(screen, reached)
    _heading(screen, "Devices", inventory.devices)
    for device in inventory.devices:
        name = device.marketing_name or device.name or "?"
        screen.unbroken((f"  {device.index}  ", "note"), (name, "heading"))
        _show_facts(screen, _device_facts(device))


def _heading(screen: Screen, text: str, listed: tuple[object, ...]) -> None:
    screen.heading(text, first=text == "GPUs")
    if not listed:
        screen.line("  none")


def _show_driver(screen: Screen, driver: DriverReport) -> None:
    kind = OUTCOMES.get(driver.outcome or "", "undetermined")
    style = kind if kind != "undetermined" else "note"
    screen.unbroken((f"  {screen.mark(kind)} ", style), driver.icd)
    package = f" (package {driver.package})" if driver.package else ""
    reached = f"{driver.stage or 'not asked'}: {driver.outcome or 'not known'}"
    library = f"{driver.library or 'none'}{package}"
    _show_facts(screen, [("library", library), ("reached", reached), ("says", driver.detail)])


def _show_interfaces(screen: Screen, reached: DeviceInterfaces) -> None:
    screen.unbroken((f"  {reached.device}", "heading"))
    for one in reached.interfaces:
        kind = _STATES.get(one.state, "error")
        style = kind if kind != "undetermined" else "note"
        lead = Text(f"  {screen.mark(kind)} ", style)
        lead.append(one.name.ljust(_LABEL), "label")
        driver = f"{one.driver} " if one.driver else ""
        said = f"{driver}{_WORDS.get(one.state, one.state.replace('-', ' '))}"
        more = f": {one.because}" if one.because else ""
        screen.wrapped(f"{said}{more}", _LABEL + 4, lead=lead)


def _show_facts(screen: Screen, facts: Iterable[tuple[str, str]]) -> None:
    for label, value in facts:
        if value:
            screen.unbroken((" " * 5 + label.ljust(_LABEL), "label"), value)


def _gpu(gpu: GpuReport) -> str:
    name = gpu.marketing_name or "unnamed GPU"
    facts = (gpu.pci_id, gpu.generation, gpu.kernel_driver or "no kernel driver", gpu.render_node)
    return f"{gpu.pci_address or '?'}  {name}: {', '.join(fact for fact in facts if fact)}"


def _device_facts(device: DeviceReport) -> Iterator[tuple[str, str]]:
    bare = device.name if device.marketing_name else None
    yield "type", ", ".join(part for part in (device.type, device.generation, bare) if part)
    yield "platform", f"{device.platform or '?'}, driver {device.driver_version or '?'}"
    versions = (device.opencl_version, device.opencl_c_version)
    yield "versions", ", ".join(version for version in versions if version)
    yield "pci id", device.pci_id or ""
    units = f"{device.compute_units or '?'} compute units"
    yield "speed", f"{units}, {device.max_clock_mhz or '?'} MHz"
    yield (
        "memory",
        f"{_size(device.global_memory_bytes)}, one buffer {_size(device.max_allocation_bytes)}",
    )
    local = f"{_size(device.local_memory_bytes)} local ({device.local_memory_type or '?'})"
    yield "work-group", f"{device.max_work_group_size or '?'} work-items, {local}"
    sizes = device.sub_group_sizes
    yield "sub-groups", ", ".join(map(str, sizes)) if sizes else ""
    yield "precision", f"fp16 {_yes(device.fp16)}, fp64 {_yes(device.fp64)}"
    yield "kernels", device.builds_nothing or ""


def _size(count: int | None) -> str:
    if count is None:
        return "?"
    amount = float(count)
    for unit in ("bytes", "KiB", "MiB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GiB"


def _yes(fact: bool | None) -> str:
    return "not known" if fact is None else ("yes" if fact else "no")
