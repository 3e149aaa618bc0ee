# SPDX-License-Identifier: MIT
"""What there is, for people: GPUs, loaders, drivers, devices with their limits."""

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from clprobe.facts.inventory import Inventory
from clprobe.model.finding import DeviceReport, DriverReport, GpuReport
from clprobe.report.terminal import in_ascii, mark, safe, speaks_utf8

_MARKS = {"ok": "fine", "no-devices": "note", "error": "error", "crash": "error", "hang": "error"}
_LABEL = 13


class InfoText:
    """Prints inventories to one console."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._plain = not speaks_utf8(console)

    def show(self, inventory: Inventory) -> None:
        """Print everything, the devices last: they are what most people look for."""
        self._heading("GPUs", nothing=not inventory.gpus)
        for gpu in inventory.gpus:
            self._line(2, _gpu(gpu))
        self._heading("Loaders", nothing=not inventory.loaders)
        for loader in inventory.loaders:
            default = ", default" if loader.is_default else ""
            kind = " ".join(part for part in (loader.kind, loader.version) if part)
            self._line(2, f"{loader.path}  {kind}{default}")
        self._heading("Drivers", nothing=not inventory.drivers)
        for driver in inventory.drivers:
            self._driver(driver)
        self._heading("Devices", nothing=not inventory.devices)
        for device in inventory.devices:
            self._device(device)

    def _driver(self, driver: DriverReport) -> None:
        kind = _MARKS.get(driver.outcome or "", "undetermined")
        style = kind if kind != "undetermined" else "note"
        head = Text.assemble(
            (f"  {mark(kind, plain=self._plain)} ", style), self._clean(driver.icd)
        )
        self._console.print(head, soft_wrap=True)
        package = f" (package {driver.package})" if driver.package else ""
        self._fact("library", f"{driver.library or 'none'}{package}")
        self._fact("reached", f"{driver.stage or 'not asked'}: {driver.outcome or 'not known'}")
        self._fact("says", driver.detail)

    def _device(self, device: DeviceReport) -> None:
        name = device.marketing_name or device.name or "?"
        self._console.print(
            Text.assemble((f"  {device.index}  ", "note"), (self._clean(name), "heading")),
            soft_wrap=True,
        )
        for label, value in _device_facts(device):
            self._fact(label, value)

    def _heading(self, text: str, *, nothing: bool) -> None:
        if text != "GPUs":
            self._console.print()
        self._console.print(Text(text, "heading"))
        if nothing:
            self._line(2, "none")

    def _fact(self, label: str, value: str) -> None:
        if value:
            lead = Text(" " * 5 + label.ljust(_LABEL), "label")
            self._console.print(Text.assemble(lead, self._clean(value)), soft_wrap=True)

    def _line(self, indent: int, text: str) -> None:
        self._console.print(Text(" " * indent + self._clean(text)), soft_wrap=True)

    def _clean(self, text: str) -> str:
        return in_ascii(safe(text)) if self._plain else safe(text)


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
