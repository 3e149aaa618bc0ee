# SPDX-License-Identifier: MIT
"""GPUs on the PCI bus, the device nodes that lead to them, and the modules that drive them."""

import re
from typing import Annotated

from clprobe.model.access import Folder
from clprobe.model.fact import FactStruct, described, fact
from clprobe.model.unknown import Fact


class Gpu(FactStruct, frozen=True, kw_only=True):
    """One PCI function of class 0x03 (display), whether or not anything drives it."""

    pci_address: Fact[str] = fact("PCI address such as 0000:00:02.0")
    pci_id: Fact[str] = fact(
        "vendor:device in lower-case hex, such as 8086:5916",
        "/sys/bus/pci/devices/{pci_address}/{{vendor,device}}",
    )
    pci_class: Fact[str] = fact(
        "PCI class, such as 0x030000", "/sys/bus/pci/devices/{pci_address}/class"
    )
    name: Fact[str | None] = fact("what lspci or the reporter calls it; null: nameless", "lspci")
    kernel_driver: Fact[str | None] = fact(
        "kernel driver bound to it (i915, xe, amdgpu, vfio-pci); null: none is bound",
        "/sys/bus/pci/devices/{pci_address}/driver",
    )
    render_node: Fact[str | None] = fact(
        "its render node, such as /dev/dri/renderD128; null: none",
        "/sys/bus/pci/devices/{pci_address}/drm",
    )
    card_node: Fact[str | None] = fact(
        "its card node, such as /dev/dri/card0; null: none",
        "/sys/bus/pci/devices/{pci_address}/drm",
    )
    kernel_modules: Fact[tuple[str, ...]] = fact(
        "kernel modules of this Linux that claim its PCI id, bound or not; []: none does",
        "/lib/modules/*/modules.alias, lspci -k",
    )
    memory_bar_bytes: Fact[int | None] = fact(
        "largest window to its memory (BAR) that the CPU sees; null: none",
        "/sys/bus/pci/devices/{pci_address}/resource",
    )
    power_state: Fact[str | None] = fact(
        "from runtime power management; null: not managed",
        "/sys/bus/pci/devices/{pci_address}/power/runtime_status",
        values=("active", "suspended", "suspending", "resuming", "error", "unsupported"),
    )


class DeviceNode(FactStruct, frozen=True, kw_only=True):
    """A file under /dev through which a driver reaches a GPU."""

    path: Annotated[str, described("such as /dev/dri/renderD128")]
    kind: Fact[str] = fact(
        "what it leads to",
        "the name of {path}",
        values=("render", "card", "kfd", "nvidia", "dxg", "mali", "kgsl"),
    )
    pci_address: Fact[str | None] = fact("PCI function behind it; null: none", "/sys/class/drm")
    uid: Fact[int] = fact("owner's user id", "stat {path}")
    owner: Fact[str | None] = fact("owner's name; null: the id has no name here", "stat {path}")
    gid: Fact[int] = fact("group id", "stat {path}")
    group: Fact[str | None] = fact("group name; null: the id has no name here", "stat {path}")
    mode: Fact[str] = fact("permission bits as four octal digits, such as 0660", "stat {path}")
    acl: Fact[tuple[str, ...]] = fact(
        "access list entries beyond the mode, such as user:alice:rw-, group::rw-, mask::rw-; "
        "[]: none; not stated: taken as none",
        "getfacl {path}",
    )
    closed_folders: Fact[tuple[Folder, ...]] = fact(
        "folders on the way to it that not everybody may search; []: none; not stated: taken "
        "as none",
        "stat of /dev, /dev/dri",
    )
    nodev: Fact[bool] = fact(
        "whether its file system is mounted with nodev, so that nobody may open device files; "
        "not stated: taken as false",
        "mount options of {path}",
    )
    device_error: Fact[str | None] = fact(
        "errno name that whoever has permission gets, such as ENXIO; null: it opens",
        'open("{path}", O_RDWR) as somebody with permission',
    )
    open_error: Fact[str | None] = fact(
        "errno name of really opening it read-write, such as EACCES; null: it opens",
        'open("{path}", O_RDWR)',
    )


_PCI_ID = re.compile(r"[0-9a-f]{4}:[0-9a-f]{4}")


def pci_id_of(gpu: Gpu) -> str | None:
    """Return vendor:device of a GPU in lower-case hex; None: not known, or no such id."""
    pci_id = gpu.pci_id.lower() if isinstance(gpu.pci_id, str) else ""
    return pci_id if _PCI_ID.fullmatch(pci_id) else None


_NODE_KINDS = {
    "render": re.compile(r"/dev/dri/renderD\d+"),
    "card": re.compile(r"/dev/dri/card\d+"),
    "kfd": re.compile(r"/dev/kfd"),
    "nvidia": re.compile(r"/dev/nvidia(\d+|ctl|-uvm|-uvm-tools|-modeset)"),
    "dxg": re.compile(r"/dev/dxg"),
    "mali": re.compile(r"/dev/mali\d"),
    "kgsl": re.compile(r"/dev/kgsl-3d\d"),
}


def node_kind(path: str) -> str | None:
    """Return what kind of device node a path is; None if it leads to no GPU."""
    return next((kind for kind, form in _NODE_KINDS.items() if form.fullmatch(path)), None)


GPU_MODULES = frozenset((
    "i915", "xe", "gma500_gfx", "amdgpu", "radeon", "amdkfd", "nouveau", "nova_core",
    "nvidia", "nvidia_uvm", "nvidia_drm", "nvidia_modeset", "vfio_pci", "panfrost", "panthor",
    "lima", "msm", "v3d", "vc4", "etnaviv", "asahi", "powervr", "vmwgfx", "virtio_gpu", "qxl",
    "bochs", "vboxvideo", "hyperv_drm", "dxgkrnl", "bbswitch", "simpledrm", "ast", "mgag200",
))  # fmt: skip
"""Kernel modules that drive GPUs, or hold them for somebody else, as /proc/modules writes them."""


def module_name(text: str) -> str:
    """Return a module's name as /proc/modules writes it; modprobe takes hyphens too."""
    return text.replace("-", "_")
