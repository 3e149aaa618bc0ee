# SPDX-License-Identifier: MIT
"""Predicts what open() says to a user who has not tried: of nodes, `.icd` files and libraries."""

import fnmatch
from collections.abc import Iterator

from msgspec.structs import replace

from clprobe.facts.permissions.kernel import READ, SEARCH, WRITE, admits, has_hidden_ids, is_root
from clprobe.model.access import FileAccess, Folder
from clprobe.model.hardware import DeviceNode
from clprobe.model.opencl import Icd
from clprobe.model.system import ServiceUnit, System, User
from clprobe.model.unknown import NOT_STATED, Fact, Unknown, listed

_DRIVER_NAMES = {"render": "drm", "card": "drm", "kfd": "kfd", "nvidia": "nvidia", "dxg": "dxg"}
"""Kind of node → start of the name of its driver in /proc/devices, which DeviceAllow= takes."""


def predicted_errno(node: DeviceNode, user: User, system: System) -> Fact[str | None]:
    """Return the errno name of `open(node.path, O_RDWR)` as this user; None: it opens.

    The checks come in the kernel's order: search permission of the folders, existence, nodev,
    mode and access list, device cgroup, and only then the driver behind the node.

    **Source**: path_resolution(7); may_open() and inode_permission() in fs/namei.c of Linux.
    """
    for errno in _refusals(node, user, system):
        if errno is not None:
            return errno
    # Nothing stated about the device: permission is all that can be told, and it is given.
    return None if node.device_error == NOT_STATED else node.device_error


def _refusals(node: DeviceNode, user: User, system: System) -> Iterator[Fact[str | None]]:
    """Yield what each check says; None: it lets the user pass."""
    yield "ENOENT" if system.service_unit.private_devices is True else None
    yield _refused(may_reach(node.closed_folders, user, mapped=is_mapped(system)), "EACCES")
    yield "ENOENT" if node.device_error == "ENOENT" else None
    yield "EACCES" if node.nodev is True else None
    yield _refused(admits(node, READ | WRITE, user, mapped=is_mapped(system, node)), "EACCES")
    yield _refused(is_listed(node, system.service_unit), "EPERM")


def _refused(allowed: Fact[bool], errno: str) -> Fact[str | None]:
    if isinstance(allowed, Unknown):
        return allowed
    return None if allowed else errno


def predicted_read_error(file: FileAccess, user: User, system: System) -> Fact[str | None]:
    """Return the errno name of reading the file as this user; None: it reads."""
    mapped = is_mapped(system)
    way = may_reach(file.closed_folders, user, mapped=mapped)
    allowed = way if way is not True else admits(file, READ, user, mapped=mapped)
    return _refused(allowed, "EACCES")


def is_mapped(system: System, node: DeviceNode | None = None) -> bool:
    """Tell whether the ids are those of a user namespace; where unstated, the node's own tell."""
    stated = system.virtualization.user_namespace
    if not isinstance(stated, Unknown):
        return stated
    return node is not None and has_hidden_ids(node)


def may_reach(folders: Fact[tuple[Folder, ...]], user: User, *, mapped: bool = False) -> Fact[bool]:
    """Return whether the user may search all folders on the way; unstated means all are open."""
    if isinstance(folders, Unknown):
        return True if folders == NOT_STATED else folders
    answers = [admits(folder, SEARCH, user, mapped=mapped) for folder in folders]
    if False in answers:
        return False
    return next((answer for answer in answers if isinstance(answer, Unknown)), True)


def is_listed(node: DeviceNode, unit: ServiceUnit) -> Fact[bool]:
    """Return whether the device list of a service holds the node, for reading and writing.

    **Source**: systemd.resource-control(5): with the policy `auto` an empty list allows all.
    """
    if isinstance(unit.device_policy, Unknown):
        return True if unit.device_policy == NOT_STATED else unit.device_policy
    allowed = listed(unit.device_allow)
    if unit.device_policy == "auto" and not allowed:
        return True
    rights = "".join(rights for entry in allowed for rights in _rights_of(node, entry))
    return {"r", "w"} <= set(rights)


def _rights_of(node: DeviceNode, entry: str) -> tuple[str, ...]:
    pattern, _, rights = entry.partition(" ")
    if pattern.startswith("/dev/"):
        named = fnmatch.fnmatchcase(node.path, pattern)
    else:
        driver = _DRIVER_NAMES.get(str(node.kind), "")
        # nvidia's nodes have several drivers (nvidia, nvidia-frontend, nvidia-uvm).
        names = (driver, f"{driver}-frontend", f"{driver}-uvm", f"{driver}ctl")
        named = any(fnmatch.fnmatchcase(f"char-{name}", pattern) for name in names if driver)
    return (rights.strip() or "rwm",) if named else ()


def with_read_errors(icd: Icd, user: User, system: System) -> Icd:
    """Return the ICD with the errnos that this user meets, predicted where nobody tried."""
    file_error = icd.open_error
    if isinstance(file_error, Unknown):
        access = icd.file_access
        if isinstance(access.mode, Unknown):
            # What `ls` shows of a package's file where a report states the mode alone.
            access = FileAccess(uid=0, owner="root", gid=0, group="root", mode=icd.file_mode)
        file_error = _predicted(file_error, access, user, system)
    library = icd.library
    if isinstance(library.open_error, Unknown):
        error = _predicted(library.open_error, library.access, user, system)
        library = replace(library, open_error=error)
    return replace(icd, open_error=file_error, library=library)


def _predicted(
    untried: Unknown, access: FileAccess, user: User, system: System
) -> Fact[str | None]:
    if isinstance(access.mode, Unknown):
        return untried
    if isinstance(user.groups, Unknown) and is_root(user) is False:
        # Nobody but root is in root's group, and drivers' files belong to no other.
        user = replace(user, groups=()) if access.gid == 0 else user
    predicted = predicted_read_error(access, user, system)
    return untried if isinstance(predicted, Unknown) and untried != NOT_STATED else predicted
