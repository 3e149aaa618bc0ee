# SPDX-License-Identifier: MIT
"""A host whose only trouble may be its node: a GPU behind it, and a driver that shows nothing."""

import msgspec

from clprobe.model.hardware import DeviceNode
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import System, User

_ADDRESS = "0000:00:02.0"
_GPUS = {
    "dri": ("8086:5916", "i915", "/etc/OpenCL/vendors/intel.icd", "libigdrcl.so"),
    "kfd": ("1002:73bf", "amdgpu", "/etc/OpenCL/vendors/amdocl64.icd", "libamdocl64.so"),
    "nvidia0": ("10de:2204", "nvidia", "/etc/OpenCL/vendors/nvidia.icd", "libnvidia-opencl.so.1"),
}


def host_behind(node: DeviceNode, user: User, system: System) -> Snapshot:
    """Return the host; its driver shows a device only where the node opens."""
    pci_id, driver, icd, library = _GPUS[node.path.split("/")[2]]
    opens = node.open_error in (None, "ENXIO")  # ENXIO: a real driver would stand behind the node
    device = {"name": "GPU", "type": "gpu", "available": True, "pci_address": _ADDRESS}
    platforms = [{"name": "Intel(R) OpenCL", "devices": [device] if opens else []}]
    facts = {
        "gpus": [{"pci_address": _ADDRESS, "pci_id": pci_id, "kernel_driver": driver,
                  "render_node": None if "nvidia" in node.path else "/dev/dri/renderD128"}],
        "loaders": [{"path": "/usr/lib/libOpenCL.so.1", "is_default": True}],
        "icds": [{"path": icd, "library_name": library,
                  "searched_by": ["/usr/lib/libOpenCL.so.1"],
                  "library": {"path": f"/usr/lib/{library}", "format": "elf"},
                  "answer": {"stage": "queries" if opens else "devices",
                             "outcome": "ok" if opens else "no-devices", "platforms": platforms}}],
        "views": [{"viewer": "clinfo", "answer": {"platforms": platforms}}],
    }  # fmt: skip
    nodes = () if node.open_error == "ENOENT" else (node,)
    if "kfd" in node.path:  # ROCm takes both
        render = DeviceNode(path="/dev/dri/renderD128", pci_address=_ADDRESS, open_error=None)
        nodes = (*nodes, render)
    stated = msgspec.convert(facts, Snapshot)
    return msgspec.structs.replace(stated, device_nodes=nodes, user=user, system=system)
