# SPDX-License-Identifier: MIT
"""Why a device node may not be opened: the difference between groups, sessions and modes."""

from clprobe.engine.hardware_facts import NodeFacts
from clprobe.model.hardware import DeviceNode
from clprobe.model.system import Group, System, User
from clprobe.model.unknown import NOT_STATED, Fact, Unknown

READ_WRITE = 6
OVERFLOW_ID = 65534
"""The id that a user namespace shows for every id that it does not map."""


def judge_node(node: DeviceNode, user: User, system: System, vendor: Fact[str]) -> NodeFacts:
    """Return the node with a verdict on its permissions for this user.

    The errno of a real `open` wins; where nobody tried, mode, groups and access list predict it.
    """
    may_open = _may_open(node, user, system)
    reason: Fact[str | None] = may_open if isinstance(may_open, Unknown) else None
    if may_open is False:
        reason = _reason(node, user, system)
    label = node.group if isinstance(node.group, str) else node.gid
    stated = {name: getattr(node, name) for name in node.__struct_fields__}
    return NodeFacts(
        **stated,
        vendor=vendor,
        may_open=may_open,
        denied_because=reason,
        group_label="?" if isinstance(label, Unknown) else str(label),
    )


def _may_open(node: DeviceNode, user: User, system: System) -> Fact[bool]:
    if not isinstance(node.open_error, Unknown):
        # Other errors (ENXIO, ENODEV, EIO) come from behind the permission check.
        return node.open_error not in ("EACCES", "EPERM")
    if user.uid == 0 and system.virtualization.user_namespace is not True:
        return True
    return node.mode if isinstance(node.mode, Unknown) else _predicted(node, user, node.mode)


def _predicted(node: DeviceNode, user: User, mode: str) -> Fact[bool]:
    bits = int(mode, 8)
    if _grants(bits) or (user.uid == node.uid and _grants(bits >> 6)):
        return True
    if any(_entry_admits(entry, user) for entry in _entries(node)):
        return True
    return _is_member(user.groups, node) if _grants(bits >> 3) else False


def _reason(node: DeviceNode, user: User, system: System) -> str:
    if node.open_error == "EPERM":
        return "sandbox"  # a device cgroup or seccomp filter: file permissions give EACCES
    if isinstance(node.mode, str) and not _grants(int(node.mode, 8) >> 3):
        return "root-only"
    if system.virtualization.user_namespace is True and node.gid == OVERFLOW_ID:
        return "user-namespace"
    if _is_member(user.groups, node) is True:
        return "policy"  # mode and group admit us, so something above them does not
    return _reason_outside_group(node, user)


def _reason_outside_group(node: DeviceNode, user: User) -> str:
    if _is_member(user.database_groups, node) is True:
        return "old-session"
    if node.group is None:
        return "group-without-name"
    return "root-only" if node.gid == 0 or node.group == "root" else "not-in-group"


def _grants(bits: int) -> bool:
    return bits & READ_WRITE == READ_WRITE


def _is_member(groups: Fact[tuple[Group, ...]], node: DeviceNode) -> Fact[bool]:
    if isinstance(groups, Unknown):
        return groups
    if isinstance(node.gid, Unknown) and isinstance(node.group, Unknown):
        return node.gid
    by_id = any(not isinstance(node.gid, Unknown) and group.gid == node.gid for group in groups)
    by_name = any(isinstance(node.group, str) and group.name == node.group for group in groups)
    return by_id or by_name


def _entries(node: DeviceNode) -> tuple[str, ...]:
    # Whoever states a mode has seen `ls -l`, which marks access lists: unstated means none.
    return () if isinstance(node.acl, Unknown) else node.acl


def _entry_admits(entry: str, user: User) -> bool:
    kind, _, rest = entry.partition(":")
    name, _, rights = rest.partition(":")
    if not rights.startswith("rw"):
        return False
    if kind == "user":
        return name in (user.name, str(user.uid))
    groups = () if isinstance(user.groups, Unknown) else user.groups
    return kind == "group" and any(name in (group.name, str(group.gid)) for group in groups)


def vendor_of_kind(kind: Fact[str]) -> Fact[str]:
    """Return the vendor that a kind of node belongs to by itself."""
    vendors = {"kfd": "amd", "nvidia": "nvidia"}
    return vendors.get(kind, NOT_STATED) if isinstance(kind, str) else kind
