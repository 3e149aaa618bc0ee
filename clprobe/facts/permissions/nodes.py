# SPDX-License-Identifier: MIT
"""Judges each device node: may it be opened, by what right or why not, and who else may."""

import msgspec
from msgspec.structs import asdict

from clprobe.facts.hardware_facts import NodeFacts
from clprobe.facts.permissions.kernel import READ, WRITE, admits, deciding, overrides
from clprobe.facts.permissions.prediction import is_mapped, may_reach, predicted_errno
from clprobe.facts.permissions.reasons import has_foreign_group, reason_for_denial
from clprobe.model.access import Folder
from clprobe.model.hardware import DeviceNode
from clprobe.model.system import Group, System, User
from clprobe.model.unknown import NOT_STATED, Fact, Unknown, listed

_RIGHTS = READ | WRITE
_DENIED = ("EACCES", "EPERM")
STRANGER = User(uid=-1, name=None, groups=(), overrides_permissions=False)
"""Somebody who is not root, owns no node and is in no group of one."""


def judge_node(node: DeviceNode, user: User, system: System, vendor: Fact[str]) -> NodeFacts:
    """Return the node with a verdict on its permissions for this user.

    The errno of a real `open` wins; where nobody tried, it is predicted.
    """
    node = _with_usual_owner(node)
    tried = not isinstance(node.open_error, Unknown)
    errno = node.open_error if tried else predicted_errno(node, user, system)
    hidden = system.service_unit.private_devices is True
    closed = first_closed(node.closed_folders, user, system)
    may_open = _may_open(errno, hidden=hidden)
    reason: Fact[str | None] = may_open if isinstance(may_open, Unknown) else None
    if may_open is False:
        reason = reason_for_denial(node, user, system, str(errno))
    return NodeFacts(
        **asdict(node),
        vendor=vendor,
        errno=errno,
        is_predicted=not tried,
        may_open=may_open,
        denied_because=reason,
        admitted_by=_admitted_by(node, user, system) if may_open is True else None,
        foreign_group=has_foreign_group(node, system),
        others_may_open=_others_may_open(node, system),
        group_label=_label(node.group, node.gid),
        closed_folder=None if closed is None else closed.path,
        open_to=_open_to(node, system),
    )


def _with_usual_owner(node: DeviceNode) -> DeviceNode:
    """Return the node owned by root where nobody says whose it is: whoever saw another, told it."""
    if node.uid != NOT_STATED or node.owner != NOT_STATED:
        return node
    return msgspec.structs.replace(node, uid=0)


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
    return reach if reach is not True else admits(node, _RIGHTS, STRANGER) and not _is_nodev(node)


def _is_nodev(node: DeviceNode) -> bool:
    return node.nodev is True


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
    member = User(
        uid=-1, name=None, groups=(Group(gid=node.gid, name=node.group),),
        overrides_permissions=False,
    )  # fmt: skip
    is_named = not (isinstance(node.gid, Unknown) and isinstance(node.group, Unknown))
    if is_named and node.gid != 0 and admits(node, _RIGHTS, member) is True:
        admitted.append(f"members of group {_label(node.group, node.gid)}")
    if isinstance(node.uid, int) and node.uid != 0:
        admitted.append(f"user {_label(node.owner, node.uid)}")
    entries = listed(node.acl)
    admitted += [f"{entry.rpartition(':')[0].replace(':', ' ')}" for entry in entries
                 if entry.startswith(("user:", "group:")) and "::" not in entry
                 and entry.rpartition(":")[2].startswith("rw")]  # fmt: skip
    return " and ".join(admitted) or "nobody"


def vendor_of_kind(kind: Fact[str]) -> Fact[str]:
    """Return the vendor that a kind of node belongs to by itself."""
    vendors = {"kfd": "amd", "nvidia": "nvidia"}
    return vendors.get(kind, NOT_STATED) if isinstance(kind, str) else kind
