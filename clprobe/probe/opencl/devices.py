# SPDX-License-Identifier: MIT
"""An OpenCL device from what the child reported about it."""

import struct
from collections.abc import Callable
from typing import Any

from clprobe.model.opencl import Device
from clprobe.model.unknown import Unknown
from clprobe.probe.opencl.questions import DEVICE_EXTRAS, DEVICE_NUMBERS_SINCE, version_in

_NOT_ASKED = Unknown("the child ended before this was asked")
_TYPES = ((1 << 2, "gpu"), (1 << 1, "cpu"), (1 << 3, "accelerator"), (1 << 4, "custom"))
_MEMORY_TYPES = {0: "none", 1: "local", 2: "global"}
_AS_REPORTED = ("name", "vendor", "driver_version", "opencl_version", "opencl_c_version",
                "vendor_id", "compute_units", "max_clock_mhz", "max_work_group_size",
                "local_memory_bytes", "global_memory_bytes", "max_allocation_bytes",
                "address_bits")  # fmt: skip
_WHEN_ASKED_FOR = ("kernel_result", "build_log")
_PCIE = 1
_EXTENSION_OF = {name: extension for name, (_, extension) in DEVICE_EXTRAS.items()}

Facts = dict[str, Any]


def device_of(facts: Facts) -> Device:
    """Return the device; a query that failed or was never reached is Unknown."""
    plain = {name: facts.get(name, _NOT_ASKED) for name in _AS_REPORTED}
    plain |= {name: facts[name] for name in _WHEN_ASKED_FOR if name in facts}
    return Device(
        **plain,
        type=_mapped(facts, "type", _device_type),
        local_memory_type=_mapped(facts, "local_memory_type", _memory_type),
        available=_mapped(facts, "available", bool),
        compiler_available=_mapped(facts, "compiler_available", bool),
        image_support=_mapped(facts, "image_support", bool),
        max_sub_groups=_since(facts, "max_sub_groups"),
        extensions=_mapped(facts, "extensions", lambda text: tuple(text.split())),
        pci_address=_pci_address(facts),
        device_id=_extra(facts, "intel_device_id", _number),
        ip_version=_extra(facts, "intel_ip_version", _number),
        half_fp_config=_extra(facts, "half_fp_config", _number),
        double_fp_config=_extra(facts, "double_fp_config", _number),
        sub_group_sizes=_sub_group_sizes(facts),
    )


def _mapped(facts: Facts, name: str, convert: Callable[[Any], Any]) -> Any:
    value = facts.get(name, _NOT_ASKED)
    return value if isinstance(value, Unknown) else convert(value)


def _device_type(bits: int) -> str | Unknown:
    return next((name for bit, name in _TYPES if bits & bit), Unknown(f"type bits {bits:#x}"))


def _memory_type(number: int) -> str | Unknown:
    return _MEMORY_TYPES.get(number, Unknown(f"type {number}"))


def _extra(facts: Facts, name: str, convert: Callable[[bytes], Any]) -> Any:
    """Return an answer that only some drivers offer, None where this one does not offer it."""
    if name in facts:
        value = facts[name]
        return value if isinstance(value, Unknown) else convert(bytes.fromhex(value))
    extensions = facts.get("extensions", _NOT_ASKED)
    if isinstance(extensions, Unknown):
        return extensions
    return _NOT_ASKED if _EXTENSION_OF[name] in extensions.split() else None


def _since(facts: Facts, name: str) -> int | Unknown | None:
    """Return a number that came with a version of OpenCL, None for a device of an earlier one."""
    text = facts.get("opencl_version", _NOT_ASKED)
    if isinstance(text, Unknown):
        return text
    version = version_in(text)
    if version is None:
        return Unknown("the device tells no version of OpenCL")
    answer: int | Unknown = facts.get(name, _NOT_ASKED)
    return answer if version >= DEVICE_NUMBERS_SINCE[name][1] else None


def _number(raw: bytes) -> int:
    return int.from_bytes(raw[:8], "little")


def _pci_address(facts: Facts) -> str | Unknown | None:
    answers: tuple[str | Unknown | None, ...] = (
        _extra(facts, "pci_bus_info", _khronos_address),
        _nvidia_address(facts),
        _extra(facts, "amd_topology", _amd_address),
    )
    given = [answer for answer in answers if answer is not None]
    return next((answer for answer in given if isinstance(answer, str)), next(iter(given), None))


def _khronos_address(raw: bytes) -> str | Unknown:
    if len(raw) < 16:
        return Unknown(f"the PCI answer has {len(raw)} bytes instead of 16")
    return "{:04x}:{:02x}:{:02x}.{:x}".format(*struct.unpack("<4I", raw[:16]))


def _nvidia_address(facts: Facts) -> str | Unknown | None:
    bus: int | Unknown | None = _extra(facts, "nv_pci_bus", _number)
    slot: int | Unknown | None = _extra(facts, "nv_pci_slot", _number)
    domain = _extra(facts, "nv_pci_domain", _number)
    if not isinstance(bus, int):
        return bus
    if not isinstance(slot, int):
        return slot
    # The slot id holds device and function, as in PCI configuration space.
    number = domain if isinstance(domain, int) else 0
    return f"{number:04x}:{bus:02x}:{slot >> 3:02x}.{slot & 7:x}"


def _amd_address(raw: bytes) -> str | Unknown:
    # cl_device_topology_amd: 32-bit type, 17 unused bytes, then bus, device, function.
    if len(raw) < 24 or _number(raw[:4]) != _PCIE:
        return Unknown("the AMD topology answer is not a PCIe address")
    return f"0000:{raw[21]:02x}:{raw[22]:02x}.{raw[23]:x}"


def _sub_group_sizes(facts: Facts) -> tuple[int, ...] | Unknown:
    if isinstance(facts.get("sub_group_sizes"), list):
        return tuple(facts["sub_group_sizes"])
    for name in ("nv_warp_size", "amd_wavefront_width"):
        width = _extra(facts, name, _number)
        if isinstance(width, int):
            return (width,)
    extensions = facts.get("extensions", _NOT_ASKED)
    if isinstance(extensions, Unknown):
        return extensions
    if "subgroup" not in extensions:
        return ()
    asked = facts.get("sub_group_sizes")
    return asked if isinstance(asked, Unknown) else Unknown("no query tells the sizes here")
