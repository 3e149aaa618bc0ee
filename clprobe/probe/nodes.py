# SPDX-License-Identifier: MIT
"""Device nodes: who owns them, who may open them, and whether this process really can."""

import errno
import re

from clprobe.model.hardware import DeviceNode, node_kind
from clprobe.model.unknown import NOT_STATED, Unknown
from clprobe.probe.access_lists import read_access_list
from clprobe.probe.facts import ABSENT, ask, ask_text, known, reason
from clprobe.probe.file_access import AccessReader
from clprobe.probe.host import FileStatus, Host

_DRI = "/dev/dri"
_FIRST_RENDER_NODE = f"{_DRI}/renderD128"
_DENIED = (errno.EACCES, errno.EPERM)
_DENIALS = ("EACCES", "EPERM")
_DRM_MAJOR = "226"


def probe_nodes(host: Host) -> tuple[DeviceNode, ...] | Unknown:
    """Return the nodes that lead to GPUs; empty where /dev has none."""
    try:
        paths = [f"/dev/{name}" for name in host.list_folder("/dev")]
        if _DRI in paths:
            paths += _in_dri(host)
    except OSError as error:
        return Unknown(reason(error))
    kinds = ((path, node_kind(path)) for path in paths)
    access = AccessReader(host)
    return tuple(
        known(ask(_node, host, access, path, kind), DeviceNode, path=path, kind=kind)
        for path, kind in kinds
        if kind is not None
    )


def _in_dri(host: Host) -> list[str]:
    """Return the nodes under /dev/dri; where it cannot be listed, those that sysfs knows."""
    try:
        return [f"{_DRI}/{name}" for name in host.list_folder(_DRI)]
    except OSError as error:
        if error.errno not in _DENIED:
            raise
    known = ask(host.list_folder, "/sys/class/drm")
    names = [] if isinstance(known, Unknown) else [f"{_DRI}/{name}" for name in known]
    # Drivers try the first render node whatever they can list, and so do we.
    return [path for path in names if node_kind(path)] or [_FIRST_RENDER_NODE]


def _node(host: Host, access: AccessReader, path: str, kind: str) -> DeviceNode:
    status = ask(host.status, path)
    open_error = ask(host.open_error, path, "read-write")
    address = _pci_address(host, path, kind)
    folders = access.closed_folders(path)
    if isinstance(status, Unknown):
        return DeviceNode(
            path=path, kind=kind, pci_address=address, uid=status, owner=status, gid=status,
            group=status, mode=status, acl=status, closed_folders=folders, open_error=open_error,
        )  # fmt: skip
    flags = ask(host.mount_flags, path)
    return DeviceNode(
        path=path,
        kind=kind,
        pci_address=address,
        uid=status.uid,
        owner=ask(host.user_name, status.uid),
        gid=status.gid,
        group=ask(host.group_name, status.gid),
        mode=f"{status.mode:04o}",
        acl=read_access_list(host, path),
        closed_folders=folders,
        nodev=flags if isinstance(flags, Unknown) else "nodev" in flags,
        device_error=_device_error(host, status, open_error),
        open_error=open_error,
    )


def _device_error(
    host: Host, status: FileStatus, open_error: str | Unknown | None
) -> str | Unknown | None:
    """Return what whoever has permission gets: our own errno, or that no driver is there.

    **Source**: chrdev_open() in fs/char_dev.c answers ENXIO for a number that no driver took;
    drm_stub_open() in drivers/gpu/drm/drm_drv.c answers ENODEV for a minor that is gone.
    """
    if open_error not in _DENIALS:
        return open_error
    major, _, minor = status.device.partition(":")
    drivers = ask_text(host.read, "/proc/devices")
    if isinstance(drivers, Unknown) or not minor:
        return NOT_STATED
    if major not in _characters(drivers):
        return "ENXIO"
    if major != _DRM_MAJOR:
        return NOT_STATED
    known = ask(host.link_status, f"/sys/dev/char/{status.device}")
    return "ENODEV" if isinstance(known, Unknown) else NOT_STATED


def _characters(text: str) -> set[str]:
    """Return the numbers of character drivers in /proc/devices."""
    return {line.split()[0] for line in text.partition("Block devices:")[0].splitlines() if line}


def _pci_address(host: Host, path: str, kind: str) -> str | Unknown | None:
    if kind not in ("render", "card"):
        return None
    name = path.rpartition("/")[2]
    link = f"/sys/class/drm/{name}/device"
    try:
        host.status(link)
    except OSError as error:
        return None if error.errno in ABSENT else Unknown(reason(error))
    target = ask(host.real_path, link)
    if isinstance(target, Unknown):
        return target
    address = target.rpartition("/")[2]
    return address if re.fullmatch(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.\d", address) else None
