# SPDX-License-Identifier: MIT
"""Device nodes that messages name: reports quote strace or a program rather than ls -l."""

import re

import msgspec

from clprobe.model.hardware import DeviceNode, node_kind
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Fact, Unknown

_NODE = r"/dev/(?:dri/(?:renderD\d+|by-path/\S+?-render)|kfd|nvidia\w*|nvidia-uvm)"
_REFUSED = re.compile(
    rf"(?P<path>{_NODE})\"?[^\n]{{0,60}}?(?P<errno>EACCES|EPERM|Permission denied)"
    rf"|(?:permission denied|cannot open|failed to open)[^\n]{{0,20}}?(?P<other>{_NODE})",
    re.IGNORECASE,
)
_UNMAPPED = re.compile(r"\bmember of \"?(?P<group>nogroup|nobody)\"? group", re.IGNORECASE)
"""rocminfo's words where the group of /dev/kfd has no counterpart in a user namespace."""


def with_nodes_named(snapshot: Snapshot, said: Fact[str]) -> Snapshot:
    """Return the snapshot with the nodes that were refused in words, if it tells of none itself."""
    if _lists_kfd_alone(snapshot):
        return msgspec.structs.replace(snapshot, excerpts=(*snapshot.excerpts, "device_nodes"))
    if not isinstance(snapshot.device_nodes, Unknown) or isinstance(said, Unknown):
        return snapshot
    refused = {}
    for match in _REFUSED.finditer(said):
        path = match["path"] or match["other"]
        kind = node_kind(path) or ("render" if path.endswith("-render") else None)
        if kind is not None:
            errno = "EPERM" if match["errno"] == "EPERM" else "EACCES"
            refused[path] = DeviceNode(path=path, kind=kind, open_error=errno)
    unmapped = _UNMAPPED.search(said)
    if unmapped and "/dev/kfd" in refused:
        refused["/dev/kfd"] = msgspec.structs.replace(refused["/dev/kfd"], group=unmapped["group"])
    if not refused:
        return snapshot
    return msgspec.structs.replace(
        snapshot,
        device_nodes=tuple(refused.values()),
        excerpts=(*snapshot.excerpts, "device_nodes"),
    )


def _lists_kfd_alone(snapshot: Snapshot) -> bool:
    """Whether a reporter listed /dev/kfd and nothing else: that says nothing of /dev/dri."""
    nodes, by_probe = snapshot.device_nodes, isinstance(snapshot.clprobe, str)
    if isinstance(nodes, Unknown) or by_probe or not nodes:
        return False
    return all(node.path == "/dev/kfd" for node in nodes)
