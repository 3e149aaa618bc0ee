# SPDX-License-Identifier: MIT
"""Picks devices the way people say it: an index, gpu, cpu, a PCI id, or part of a name."""

from collections.abc import Sequence

from clprobe.model.errors import ClprobeError
from clprobe.model.finding import DeviceReport

_TYPES = ("gpu", "cpu", "accelerator", "custom")


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
        matching = {device.index for device in devices if _matches(device, selector)}
        if not matching:
            raise ClprobeError(
                reference="no-such-device",
                message=f"No device matches {selector!r}. {_inventory(devices)}",
                hint="Give an index, gpu, cpu, a PCI id or part of a platform or device name.",
            )
        chosen |= matching
    return tuple(device for device in devices if device.index in chosen)


def _matches(device: DeviceReport, selector: str) -> bool:
    wanted = selector.strip().casefold()
    if wanted.isdecimal():
        return str(device.index) == (wanted.lstrip("0") or "0")
    if wanted in _TYPES:
        return device.type == wanted
    if device.pci_id is not None and wanted.replace("0x", "") == device.pci_id:
        return True
    names = (device.platform, device.name, device.marketing_name)
    return bool(wanted) and any(name and wanted in name.casefold() for name in names)


def _inventory(devices: Sequence[DeviceReport]) -> str:
    if not devices:
        return "There is no OpenCL device here."
    lines = (
        f"{device.index} {device.type or '?'}: {device.platform or '?'}, {device.name or '?'}"
        for device in devices
    )
    return "There are: " + "; ".join(lines) + "."
