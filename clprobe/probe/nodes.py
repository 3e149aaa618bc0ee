# SPDX-License-Identifier: MIT
"""Device nodes: who owns them, who may open them, and whether this process really can."""

import errno
import re
import struct

from clprobe.model.hardware import DeviceNode, node_kind
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ABSENT, ask, reason
from clprobe.probe.host import FileStatus, Host

_ACL = "system.posix_acl_access"
_NO_ACL = (errno.ENODATA, errno.EOPNOTSUPP)
# Entry kinds of linux/posix_acl_xattr.h; owner, group and other repeat the permission bits.
_ACL_USER, _ACL_GROUP, _ACL_MASK = 0x02, 0x08, 0x10


def probe_nodes(host: Host) -> tuple[DeviceNode, ...] | Unknown:
    """Return the nodes that lead to GPUs; empty where /dev has none."""
    try:
        paths = [f"/dev/{name}" for name in host.list_folder("/dev")]
        if "/dev/dri" in paths:
            paths += [f"/dev/dri/{name}" for name in host.list_folder("/dev/dri")]
    except OSError as error:
        return Unknown(reason(error))
    kinds = ((path, node_kind(path)) for path in paths)
    return tuple(_node(host, path, kind) for path, kind in kinds if kind is not None)


def _node(host: Host, path: str, kind: str) -> DeviceNode:
    status = ask(host.status, path)
    open_error = ask(host.open_error, path, "read-write")
    acl = _acl(host, path)
    address = _pci_address(host, path, kind)
    if isinstance(status, Unknown):
        return DeviceNode(
            path=path, kind=kind, pci_address=address, uid=status, owner=status, gid=status,
            group=status, mode=status, acl=acl, open_error=open_error,
        )  # fmt: skip
    return DeviceNode(
        path=path,
        kind=kind,
        pci_address=address,
        uid=status.uid,
        owner=ask(host.user_name, status.uid),
        gid=status.gid,
        group=ask(host.group_name, status.gid),
        mode=_octal(status),
        acl=acl,
        open_error=open_error,
    )


def _octal(status: FileStatus) -> str:
    return f"{status.mode:04o}"


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


def _acl(host: Host, path: str) -> tuple[str, ...] | Unknown:
    try:
        raw = host.attribute(path, _ACL)
    except OSError as error:
        return () if error.errno in _NO_ACL else Unknown(reason(error))
    return tuple(
        _acl_entry(host, kind, permissions, number)
        for kind, permissions, number in parse_acl(raw)
        if kind in (_ACL_USER, _ACL_GROUP, _ACL_MASK)
    )


def parse_acl(raw: bytes) -> list[tuple[int, int, int]]:
    """Return (kind, permissions, id) of each entry; none if the version is not the known one."""
    known_version = 2
    if len(raw) < 4 or struct.unpack_from("<I", raw)[0] != known_version:
        return []
    whole = len(raw) - (len(raw) - 4) % 8
    return [struct.unpack_from("<HHI", raw, at) for at in range(4, whole, 8)]


def _acl_entry(host: Host, kind: int, permissions: int, number: int) -> str:
    letters = "".join(
        letter if permissions & bit else "-" for letter, bit in (("r", 4), ("w", 2), ("x", 1))
    )
    if kind == _ACL_MASK:
        return f"mask::{letters}"
    if kind == _ACL_USER:
        name = ask(host.user_name, number)
        return f"user:{name if isinstance(name, str) else number}:{letters}"
    name = ask(host.group_name, number)
    return f"group:{name if isinstance(name, str) else number}:{letters}"
