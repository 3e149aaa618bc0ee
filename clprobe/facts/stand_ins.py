# SPDX-License-Identifier: MIT
"""Which OpenCL device stands for which GPU, as far as names, ids and makers tell."""

import re
from collections.abc import Sequence

from clprobe.facts.facts import DeviceFacts
from clprobe.facts.hardware_facts import AMBIGUOUS, GpuFacts
from clprobe.model.unknown import Fact, Unknown

_MAKERS = {0x8086: "intel", 0x1002: "amd", 0x10DE: "nvidia", 0x13B5: "arm", 0x5143: "qualcomm"}
_IMPLEMENTATIONS = {
    "compute-runtime": "intel", "compute-runtime-legacy1": "intel", "beignet": "intel",
    "amd-rocm": "amd", "nvidia": "nvidia", "mali": "arm", "adreno": "qualcomm",
    "vc4cl": "broadcom",
}  # fmt: skip
_NAMES = {
    "nvidia": r"nvidia|geforce|quadro|\btesla\b",
    "amd": r"\bamd\b|radeon|\bgfx\d{3}|advanced micro",
    "intel": r"\bintel\b|\biris\b|u?hd graphics",
    "arm": r"\bmali\b",
    "qualcomm": r"adreno",
}


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
    maker = _maker(device)
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


def _maker(device: DeviceFacts) -> str | None:
    if isinstance(device.implementation, str) and device.implementation in _IMPLEMENTATIONS:
        return _IMPLEMENTATIONS[device.implementation]
    if isinstance(device.vendor_id, int) and device.vendor_id in _MAKERS:
        return _MAKERS[device.vendor_id]
    texts = [text for text in (device.name, device.vendor) if isinstance(text, str)]
    found = {
        maker
        for maker, pattern in _NAMES.items()
        if any(re.search(pattern, text, re.IGNORECASE) for text in texts)
    }
    return found.pop() if len(found) == 1 else None
