# SPDX-License-Identifier: MIT
"""Who may open the GPU's node where nobody says so: by group numbers here and on the host."""

from msgspec.structs import replace

from clprobe.compat.packages import release_of
from clprobe.facts.closure.closed import Closed
from clprobe.facts.permissions.kernel import is_root
from clprobe.facts.permissions.nodes import GPU_GROUPS, NO_GROUPS
from clprobe.knowledge.printed import Forms
from clprobe.knowledge.tables import Tables
from clprobe.model.hardware import DeviceNode, node_kind
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Group
from clprobe.model.unknown import NOT_STATED, Unknown, known, listed

_FORMS = Forms("closure")
_RENDER_NODE = "/dev/dri/renderD128"
_DENIED = "EACCES"


def with_nodes(closed: Closed, tables: Tables) -> Closed:
    """Return it with nodes refused whose group is none of the GPU's groups of this place."""
    snapshot = closed.snapshot
    if is_root(snapshot.user) is True or not isinstance(snapshot.user.groups, Unknown):
        return closed  # where the groups are told, so is who may open what
    if isinstance(snapshot.device_nodes, Unknown):
        return _with_foreign_node(_with_usual_node(closed, tables))
    why = "its group is none of the GPU's groups in this place"
    return closed.with_each(
        "device_nodes", lambda one: _refused(one, snapshot), "device_nodes", why
    )


def _with_usual_node(closed: Closed, tables: Tables) -> Closed:
    """Where only group render may open nodes, and the user is told to be an ordinary one."""
    snapshot = closed.snapshot
    release = release_of(tables, snapshot.system.distribution)
    closed_by_default = _FORMS.words["closed_by_default"]
    usual = release is not None and f"{release.id}-{release.release}" in closed_by_default
    ordinary = is_root(snapshot.user) is False
    inside = known(snapshot.system.virtualization.container) is not None
    if not (usual and ordinary) or inside or not listed(snapshot.gpus):
        return closed
    node = DeviceNode(
        path=_RENDER_NODE, kind="render", uid=0, group="render", mode="0660", open_error=_DENIED
    )
    why = "this release opens nodes to group render alone, in which new users are not"
    return closed.with_list("device_nodes", (node,), why)


def _with_foreign_node(closed: Closed) -> Closed:
    """Where host and container number the group of the nodes differently."""
    snapshot = closed.snapshot
    here, there = _number(snapshot), _number_on_host(snapshot)
    known_nodes = not isinstance(snapshot.device_nodes, Unknown)
    if known_nodes or here is None or there is None or here == there:
        return closed
    node = DeviceNode(path=_RENDER_NODE, kind="render", gid=there, group=None, open_error=_DENIED)
    why = f"group render is {there} on the host and {here} here"
    return closed.with_list("device_nodes", (node,), why)


def _refused(node: DeviceNode, snapshot: Snapshot) -> DeviceNode:
    """Return the node as closed if its group is told, and is no GPU's group of this place."""
    kind = node.kind if isinstance(node.kind, str) else node_kind(node.path)
    open_to_all = isinstance(node.mode, str) and node.mode[-1:] in ("6", "7")
    if kind not in ("render", "kfd") or node.open_error != NOT_STATED or open_to_all:
        return node
    gid = node.gid if isinstance(node.gid, int) else _number_on_host(snapshot)
    numbers = {group.gid for group in listed(snapshot.system.gpu_groups)}
    numbered = isinstance(gid, int) and gid != 0 and bool(numbers) and gid not in numbers
    if isinstance(node.group, str):
        return node if node.group in GPU_GROUPS | NO_GROUPS else replace(node, open_error=_DENIED)
    if node.group is None:
        return replace(node, open_error=_DENIED)
    if numbered and gid is not None:
        return replace(node, gid=gid, group=None, open_error=_DENIED)
    return node


def _number(snapshot: Snapshot) -> int | None:
    groups = listed(snapshot.system.gpu_groups)
    return next((known(one.gid) for one in groups if _is_render(one)), None)


def _number_on_host(snapshot: Snapshot) -> int | None:
    host = (one.facts for one in snapshot.perspectives if one.where == "host")
    return next((number for one in host if (number := _number(one)) is not None), None)


def _is_render(group: Group) -> bool:
    return group.name == "render"
