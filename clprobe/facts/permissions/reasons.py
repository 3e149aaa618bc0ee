# SPDX-License-Identifier: MIT
"""Why a device node may not be opened: groups, sessions, modes, folders, sandboxes told apart."""

from clprobe.facts.permissions.kernel import READ, WRITE, admits, deciding
from clprobe.facts.permissions.membership import OVERFLOW_ID, is_member, number_of
from clprobe.facts.permissions.prediction import is_mapped, may_reach
from clprobe.model.hardware import DeviceNode
from clprobe.model.system import Group, System, User
from clprobe.model.unknown import Unknown, listed

_RIGHTS = READ | WRITE
# Groups that udev rules give GPU nodes to: systemd's, older systemd's, other init systems'.
GPU_GROUPS = frozenset({"render", "video", "kvm", "graphics", "gpu", "users", "wheel", "amdgpu"})
_NO_GROUPS = frozenset({"root", "nogroup", "nobody"})


def reason_for_denial(node: DeviceNode, user: User, system: System, errno: str) -> str:
    """Return one word for what keeps the user from opening the node; see `denied_because`."""
    # EPERM is a device cgroup's or seccomp filter's answer: all file permissions say EACCES.
    above = {"ENOENT": "private-devices", "EPERM": "sandbox"}
    return above.get(errno) or _on_the_way(node, user, system) or _at_the_node(node, user, system)


def _on_the_way(node: DeviceNode, user: User, system: System) -> str | None:
    if may_reach(node.closed_folders, user, mapped=is_mapped(system)) is False:
        return "folder-closed"
    return "nodev-mount" if node.nodev is True else None


def _at_the_node(node: DeviceNode, user: User, system: System) -> str:
    mapped = is_mapped(system, node)
    if mapped and number_of(node.gid, node.group) == OVERFLOW_ID:
        return "user-namespace"
    admitted = admits(node, _RIGHTS, user, mapped=mapped) is True
    if admitted or _is_member_at_least(node, user):
        return "policy"  # mode and group admit us, so something above them does not
    return _reason_by_entry(node, user, system, mapped=mapped)


def _is_member_at_least(node: DeviceNode, user: User) -> bool:
    """Whether the user is in the group and nobody stated the mode: group modes are the rule."""
    unstated = isinstance(node.mode, Unknown)
    return unstated and is_member(user.groups, node.gid, node.group) is True


def _reason_by_entry(node: DeviceNode, user: User, system: System, *, mapped: bool) -> str:
    kinds = {entry.kind for entry in deciding(node, _RIGHTS, user, mapped=mapped)}
    if kinds == {"owner"}:
        return "owner-denied"
    if kinds and kinds <= {"named-user", "named-group"}:
        return "access-list"
    if not _admits_its_group(node):
        others = isinstance(node.mode, str) and int(node.mode, 8) & _RIGHTS == _RIGHTS
        if kinds == {"group"}:
            return "group-denied" if others else _closed_to_group(node)
        return "root-only"
    return _reason_outside_group(node, user, system)


def _closed_to_group(node: DeviceNode) -> str:
    return "access-list" if isinstance(node.acl, tuple) and node.acl else "root-only"


def _admits_its_group(node: DeviceNode) -> bool:
    """Whether membership of the owning group would open the node, as far as anybody stated."""
    if isinstance(node.mode, Unknown):
        return True
    member = User(uid=-1, name=None, groups=_own_group(node), overrides_permissions=False)
    return admits(node, _RIGHTS, member) is not False


def _own_group(node: DeviceNode) -> tuple[Group, ...]:
    return (Group(gid=node.gid, name=node.group),)


def _reason_outside_group(node: DeviceNode, user: User, system: System) -> str:
    if is_member(user.database_groups, node.gid, node.group) is True:
        return "old-session"
    if node.gid == 0 or node.group in _NO_GROUPS:
        return "root-only"
    if node.group is None:
        return "group-without-name"
    return "foreign-group" if has_foreign_group(node, system) else "not-in-group"


def has_foreign_group(node: DeviceNode, system: System) -> bool:
    """Whether the node's group number stands for an unrelated group here, as in containers.

    The number then comes from the host, where it is the number of render or video.
    """
    if not isinstance(node.group, str) or node.group in GPU_GROUPS | _NO_GROUPS:
        return False
    if isinstance(system.virtualization.container, str):
        return True
    known = listed(system.gpu_groups)
    return any(group.name == "render" and group.gid != node.gid for group in known)
