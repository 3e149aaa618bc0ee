# SPDX-License-Identifier: MIT
"""Judges each device node: may it be opened, by what right or why not, and who else may."""

import re

from msgspec.structs import asdict, replace

from clprobe.facts.hardware_facts import NodeFacts
from clprobe.facts.permissions.kernel import (
    OVERFLOW_ID,
    READ,
    WRITE,
    admits,
    deciding,
    is_member,
    number_of,
    overrides,
)
from clprobe.facts.permissions.prediction import is_mapped, may_reach, predicted_errno
from clprobe.model.access import Folder
from clprobe.model.hardware import DeviceNode
from clprobe.model.system import Group, System, User
from clprobe.model.unknown import NOT_STATED, Fact, Unknown, listed

_RIGHTS = READ | WRITE
# Groups that udev rules give GPU nodes to: systemd's, older systemd's, other init systems'.
GPU_GROUPS = frozenset({"render", "video", "kvm", "graphics", "gpu", "users", "wheel", "amdgpu"})
NO_GROUPS = frozenset({"root", "nogroup", "nobody"})
_DENIED = ("EACCES", "EPERM")
STRANGER = User(uid=-1, name=None, groups=(), overrides_permissions=False)
"""Somebody who is not root, owns no node and is in no group of one."""


def judge_node(node: DeviceNode, user: User, system: System, vendor: Fact[str]) -> NodeFacts:
    """Return the node with a verdict on its permissions for this user.

    The errno of a real `open` wins; where nobody tried, it is predicted.
    """
    if node.uid == NOT_STATED and node.owner == NOT_STATED:
        node = replace(node, uid=0)  # whoever saw another owner than root told it
    tried = not isinstance(node.open_error, Unknown)
    errno = node.open_error if tried else predicted_errno(node, user, system)
    hidden = system.service_unit.private_devices is True
    closed = first_closed(node.closed_folders, user, system)
    may_open = _may_open(errno, hidden=hidden)
    reason: Fact[str | None] = may_open if isinstance(may_open, Unknown) else None
    if may_open is False:
        reason = _reason_for_denial(node, user, system, str(errno))
    return NodeFacts(
        **asdict(node),
        vendor=vendor,
        errno=errno,
        is_predicted=not tried,
        may_open=may_open,
        denied_because=reason,
        admitted_by=_admitted_by(node, user, system) if may_open is True else None,
        foreign_group=_has_foreign_group(node, system),
        others_may_open=_others_may_open(node, system),
        group_label=_label(node.group, node.gid),
        closed_folder=None if closed is None else closed.path,
        open_to=_open_to(node, system),
    )


def _may_open(errno: Fact[str | None], *, hidden: bool) -> Fact[bool]:
    if isinstance(errno, Unknown):
        return errno
    # ENXIO, ENODEV, EIO come from behind the permission check, a sandbox's ENOENT does not.
    return errno not in _DENIED and not (hidden and errno == "ENOENT")


def _admitted_by(node: DeviceNode, user: User, system: System) -> Fact[str | None]:
    """Return which entry lets the user in, root's capability only where no entry does."""
    mapped = is_mapped(system, node)
    if isinstance(node.mode, Unknown):
        return node.mode
    entries = list(deciding(node, _RIGHTS, user, mapped=mapped))
    if len(entries) == 1 and entries[0].grants(_RIGHTS):
        return entries[0].kind
    if overrides(node, user, mapped=mapped) is True:
        return "root"
    kinds = {entry.kind for entry in entries if entry.grants(_RIGHTS)}
    return kinds.pop() if len(kinds) == 1 else Unknown("more than one entry may decide")


def _others_may_open(node: DeviceNode, system: System) -> Fact[bool]:
    """Return whether somebody without special rights may open it, whoever asks."""
    if isinstance(node.mode, Unknown):
        return node.mode
    reach = may_reach(node.closed_folders, STRANGER, mapped=is_mapped(system))
    return (
        reach if reach is not True else admits(node, _RIGHTS, STRANGER) and node.nodev is not True
    )


def first_closed(folders: Fact[tuple[Folder, ...]], user: User, system: System) -> Folder | None:
    """Return the first folder on a path that the user may not search; None: none is known."""
    mapped = is_mapped(system)
    for folder in listed(folders):
        if may_reach((folder,), user, mapped=mapped) is False:
            return folder
    return None


def _label(name: Fact[str | None], number: Fact[int]) -> Fact[str]:
    label = name if isinstance(name, str) else number
    return label if isinstance(label, Unknown) else str(label)


def _open_to(node: DeviceNode, system: System) -> str:
    """Return in words who may open the node, root aside."""
    if _others_may_open(node, system) is True:
        return "everybody"
    admitted = []
    is_named = not (isinstance(node.gid, Unknown) and isinstance(node.group, Unknown))
    if is_named and node.gid != 0 and admits(node, _RIGHTS, _member(node)) is True:
        admitted.append(f"members of group {_label(node.group, node.gid)}")
    if isinstance(node.uid, int) and node.uid != 0:
        admitted.append(f"user {_label(node.owner, node.uid)}")
    admitted += [
        entry.rpartition(":")[0].replace(":", " ")
        for entry in listed(node.acl)
        if re.match(r"(user|group):[^:]+:rw", entry)
    ]
    return " and ".join(admitted) or "nobody"


def vendor_of_kind(kind: Fact[str]) -> Fact[str]:
    """Return the vendor that a kind of node belongs to by itself."""
    vendors = {"kfd": "amd", "nvidia": "nvidia"}
    return vendors.get(kind, NOT_STATED) if isinstance(kind, str) else kind


def _reason_for_denial(node: DeviceNode, user: User, system: System, errno: str) -> Fact[str]:
    """Return one word for what keeps the user from opening the node; see `denied_because`."""
    # EPERM is a device cgroup's or seccomp filter's answer: all file permissions say EACCES.
    above = {"ENOENT": "private-devices", "EPERM": "sandbox"}
    if errno in above:
        return above[errno]
    if may_reach(node.closed_folders, user, mapped=is_mapped(system)) is False:
        return "folder-closed"
    return "nodev-mount" if node.nodev is True else _at_the_node(node, user, system)


def _at_the_node(node: DeviceNode, user: User, system: System) -> Fact[str]:
    mapped = is_mapped(system, node)
    if mapped and number_of(node.gid, node.group) == OVERFLOW_ID:
        return "user-namespace"
    # Where nobody stated the mode, membership is enough: group modes are the rule.
    unstated = isinstance(node.mode, Unknown)
    if unstated and is_member(user.groups, node.gid, node.group) is True:
        return "policy"
    if admits(node, _RIGHTS, user, mapped=mapped) is True:
        return "policy"  # mode and group admit us, so something above them does not
    if unstated and node.gid == node.group == NOT_STATED and _may_be_rootless(system):
        return Unknown("podman without root may hide the node's group")
    return _reason_by_entry(node, user, system, mapped=mapped)


def _may_be_rootless(system: System) -> bool:
    """Whether this is a container of podman, which most people start without root."""
    inside = system.virtualization
    return inside.container == "podman" and inside.user_namespace is not False


def _reason_by_entry(node: DeviceNode, user: User, system: System, *, mapped: bool) -> str:
    kinds = {entry.kind for entry in deciding(node, _RIGHTS, user, mapped=mapped)}
    if kinds == {"owner"}:
        return "owner-denied"
    if kinds and kinds <= {"named-user", "named-group"}:
        return "access-list"
    if not _admits_its_group(node):
        others = isinstance(node.mode, str) and int(node.mode, 8) & _RIGHTS == _RIGHTS
        if kinds == {"group"} and others:
            return "group-denied"
        return "access-list" if kinds == {"group"} and listed(node.acl) else "root-only"
    return _reason_outside_group(node, user, system)


def _admits_its_group(node: DeviceNode) -> bool:
    """Whether membership of the owning group would open the node, as far as anybody stated."""
    if isinstance(node.mode, Unknown):
        return True
    return admits(node, _RIGHTS, _member(node)) is not False


def _member(node: DeviceNode) -> User:
    """Return somebody who is in the node's group and has no other right."""
    return replace(STRANGER, groups=(Group(gid=node.gid, name=node.group),))


def _reason_outside_group(node: DeviceNode, user: User, system: System) -> str:
    if is_member(user.database_groups, node.gid, node.group) is True:
        return "old-session"
    if node.gid == 0 or node.group in NO_GROUPS:
        return "root-only"
    if node.group is None:
        return "group-without-name"
    return "foreign-group" if _has_foreign_group(node, system) else "not-in-group"


def _has_foreign_group(node: DeviceNode, system: System) -> bool:
    """Whether the node's group number stands for an unrelated group here, as in containers.

    The number then comes from the host, where it is the number of render or video.
    """
    if not isinstance(node.group, str) or node.group in GPU_GROUPS | NO_GROUPS:
        return False
    if isinstance(system.virtualization.container, str):
        return True
    known = listed(system.gpu_groups)
    return any(group.name == "render" and group.gid != node.gid for group in known)
