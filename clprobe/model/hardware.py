# SPDX-License-Identifier: MIT
"""GPUs on the PCI bus and the device nodes that lead to them."""

import re
from typing import Annotated

from clprobe.model.access import Folder
from clprobe.model.fact import FactStruct, described
from clprobe.model.unknown import NOT_STATED, Fact


class Gpu(FactStruct, frozen=True, kw_only=True):
    """One PCI function of class 0x03 (display), whether or not anything drives it."""

    pci_address: Annotated[Fact[str], described("PCI address such as 0000:00:02.0")] = NOT_STATED
    pci_id: Annotated[
        Fact[str],
        described(
            "vendor:device in lower-case hex, such as 8086:5916",
            "/sys/bus/pci/devices/{pci_address}/{{vendor,device}}",
        ),
    ] = NOT_STATED
    pci_class: Annotated[
        Fact[str],
        described("PCI class, such as 0x030000", "/sys/bus/pci/devices/{pci_address}/class"),
    ] = NOT_STATED
    name: Annotated[
        Fact[str | None], described("what lspci or the reporter calls it; null: nameless", "lspci")
    ] = NOT_STATED
    kernel_driver: Annotated[
        Fact[str | None],
        described(
            "kernel driver bound to it (i915, xe, amdgpu, vfio-pci); null: none is bound",
            "/sys/bus/pci/devices/{pci_address}/driver",
        ),
    ] = NOT_STATED
    render_node: Annotated[
        Fact[str | None],
        described(
            "its render node, such as /dev/dri/renderD128; null: none",
            "/sys/bus/pci/devices/{pci_address}/drm",
        ),
    ] = NOT_STATED
    card_node: Annotated[
        Fact[str | None],
        described(
            "its card node, such as /dev/dri/card0; null: none",
            "/sys/bus/pci/devices/{pci_address}/drm",
        ),
    ] = NOT_STATED
    kernel_modules: Annotated[
        Fact[tuple[str, ...]],
        described(
            "kernel modules of this Linux that claim its PCI id, bound or not; []: none does",
            "/lib/modules/*/modules.alias, lspci -k",
        ),
    ] = NOT_STATED
    memory_bar_bytes: Annotated[
        Fact[int | None],
        described(
            "largest window to its memory (BAR) that the CPU sees; null: none",
            "/sys/bus/pci/devices/{pci_address}/resource",
        ),
    ] = NOT_STATED
    power_state: Annotated[
        Fact[str | None],
        described(
            "from runtime power management; null: not managed",
            "/sys/bus/pci/devices/{pci_address}/power/runtime_status",
            values=("active", "suspended", "suspending", "resuming", "error", "unsupported"),
        ),
    ] = NOT_STATED


class DeviceNode(FactStruct, frozen=True, kw_only=True):
    """A file under /dev through which a driver reaches a GPU."""

    path: Annotated[str, described("such as /dev/dri/renderD128")]
    kind: Annotated[
        Fact[str],
        described(
            "what it leads to",
            "the name of {path}",
            values=("render", "card", "kfd", "nvidia", "dxg", "mali", "kgsl"),
        ),
    ] = NOT_STATED
    pci_address: Annotated[
        Fact[str | None],
        described("PCI function behind it; null: none", "/sys/class/drm"),
    ] = NOT_STATED
    uid: Annotated[Fact[int], described("owner's user id", "stat {path}")] = NOT_STATED
    owner: Annotated[
        Fact[str | None], described("owner's name; null: the id has no name here", "stat {path}")
    ] = NOT_STATED
    gid: Annotated[Fact[int], described("group id", "stat {path}")] = NOT_STATED
    group: Annotated[
        Fact[str | None], described("group name; null: the id has no name here", "stat {path}")
    ] = NOT_STATED
    mode: Annotated[
        Fact[str], described("permission bits as four octal digits, such as 0660", "stat {path}")
    ] = NOT_STATED
    acl: Annotated[
        Fact[tuple[str, ...]],
        described(
            "access list entries beyond the mode, such as user:alice:rw-, group::rw-, mask::rw-; "
            "[]: none; not stated: taken as none",
            "getfacl {path}",
        ),
    ] = NOT_STATED
    closed_folders: Annotated[
        Fact[tuple[Folder, ...]],
        described(
            "folders on the way to it that not everybody may search; []: none; not stated: taken "
            "as none",
            "stat of /dev, /dev/dri",
        ),
    ] = NOT_STATED
    nodev: Annotated[
        Fact[bool],
        described(
            "whether its file system is mounted with nodev, so that nobody may open device files; "
            "not stated: taken as false",
            "mount options of {path}",
        ),
    ] = NOT_STATED
    device_error: Annotated[
        Fact[str | None],
        described(
            "errno name that whoever has permission gets, such as ENXIO; null: it opens",
            'open("{path}", O_RDWR) as somebody with permission',
        ),
    ] = NOT_STATED
    open_error: Annotated[
        Fact[str | None],
        described(
            "errno name of really opening it read-write, such as EACCES; null: it opens",
            'open("{path}", O_RDWR)',
        ),
    ] = NOT_STATED


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
