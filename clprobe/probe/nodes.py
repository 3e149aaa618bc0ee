# SPDX-License-Identifier: MIT
"""Device nodes: who owns them, who may open them, and whether this process really can."""

import errno
import re

from msgspec.structs import replace

from clprobe.model.hardware import DeviceNode, node_kind
from clprobe.model.unknown import NOT_STATED, Unknown
from clprobe.probe.facts import (
    ask,
    ask_names,
    ask_text,
    ask_unless_absent,
    is_there,
    or_unknown,
    reason,
)
from clprobe.probe.file_access import AccessReader, permissions
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
        or_unknown(ask(_node, host, access, path, kind), DeviceNode, path=path, kind=kind)
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
    paths = [f"{_DRI}/{name}" for name in ask_names(host.list_folder, "/sys/class/drm")]
    # Drivers try the first render node whatever they can list, and so do we.
    return [path for path in paths if node_kind(path)] or [_FIRST_RENDER_NODE]


def _node(host: Host, access: AccessReader, path: str, kind: str) -> DeviceNode:
    status = ask(host.status, path)
    open_error = ask(host.open_error, path, "read-write")
    address = _pci_address(host, path, kind)
    node = DeviceNode(
        path=path,
        kind=kind,
        pci_address=address,
        **permissions(host, path, status),
        closed_folders=access.closed_folders(path),
        open_error=open_error,
    )
    if isinstance(status, Unknown):
        return node
    flags = ask(host.mount_flags, path)
    return replace(
        node,
        nodev=flags if isinstance(flags, Unknown) else "nodev" in flags,
        device_error=_device_error(host, status, open_error),
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
    is_known = is_there(host.link_status, f"/sys/dev/char/{status.device}")
    return NOT_STATED if is_known else "ENODEV"


def _characters(text: str) -> set[str]:
    """Return the numbers of character drivers in /proc/devices."""
    return {line.split()[0] for line in text.partition("Block devices:")[0].splitlines() if line}


def _pci_address(host: Host, path: str, kind: str) -> str | Unknown | None:
    if kind not in ("render", "card"):
        return None
    name = path.rpartition("/")[2]
    link = f"/sys/class/drm/{name}/device"
    status = ask_unless_absent(host.status, link)
    if status is None or isinstance(status, Unknown):
        return status
    target = ask(host.real_path, link)
    if isinstance(target, Unknown):
        return target
    address = target.rpartition("/")[2]
    return address if re.fullmatch(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.\d", address) else None
