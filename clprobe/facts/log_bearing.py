# SPDX-License-Identifier: MIT
"""Which lines of the running Linux's log bear on what is wrong now.

People quote a log because something fails, and every line of a report counts. The live log holds
all since the start: a GPU that hung last week and computes today, or the module of some other
device that was refused. Such lines explain nothing, and must not be named as a cause.
"""

import re
from collections.abc import Sequence

from clprobe.facts.facts import DeviceFacts
from clprobe.facts.hardware_facts import GpuFacts
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Fact, Unknown, listed

_COMPUTING_DRIVERS = ("i915", "xe", "amdgpu", "nvidia")
_DENIED = ("EACCES", "EPERM")
_ABOUT_GPUS = re.compile(r"(?i)drm|i915|\bxe\b|amdgpu|radeon|nouveau|nvidia|NVRM|kfd")


def bearing_log(
    snapshot: Snapshot,
    gpus: Fact[tuple[GpuFacts, ...]],
    devices: Fact[tuple[DeviceFacts, ...]],
) -> Fact[str]:
    """Return the log without the lines that are history; a report's log stays whole."""
    log = snapshot.system.linux.log
    if isinstance(log, Unknown) or snapshot.source != "live" or isinstance(gpus, Unknown):
        return log
    if _miscomputes(devices):
        return log
    open_questions = [gpu for gpu in gpus if _needs_log(gpu, snapshot)]
    if gpus and not open_questions:
        return ""
    at_work = [gpu for gpu in gpus if gpu not in open_questions]
    lines = [line for line in log.splitlines() if not _names_one(line, at_work)]
    if not gpus:  # one that fell off the bus is missing there, but not in the log
        lines = [line for line in lines if _ABOUT_GPUS.search(line)]
    return "\n".join(lines)


def _miscomputes(devices: Fact[tuple[DeviceFacts, ...]]) -> bool:
    """Tell whether a GPU shows up and yet fails at its work."""
    return any(
        isinstance(device.kernel_result, str) and device.kernel_result != "right"
        for device in listed(devices)
        if device.type == "gpu"
    )


def _needs_log(gpu: GpuFacts, snapshot: Snapshot) -> bool:
    """Tell whether only Linux may know why the GPU has no OpenCL device."""
    if gpu.has_device is True or gpu.computes is False:
        return False
    if gpu.kernel_driver not in _COMPUTING_DRIVERS or gpu.render_node is None:
        return True
    nodes = listed(snapshot.device_nodes)
    own = [node for node in nodes if node.path == gpu.render_node]
    # Neither a node that nobody may open nor a driver that nobody installed is Linux's fault.
    return not any(node.open_error in _DENIED for node in own) and gpu.installed != ()


def _names_one(line: str, gpus: Sequence[GpuFacts]) -> bool:
    addresses = [gpu.pci_address for gpu in gpus if isinstance(gpu.pci_address, str)]
    # 0000:00:02.0; DMAR writes [00:02.0], NVIDIA PCI:0000:01:00.
    return any(
        address.partition(":")[2] in line or f"PCI:{address[:-2]}" in line for address in addresses
    )
