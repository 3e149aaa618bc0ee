# SPDX-License-Identifier: MIT
import pytest

from clprobe.facts.permissions.nodes import judge_node
from clprobe.model.access import Folder
from clprobe.model.hardware import DeviceNode
from clprobe.model.system import Group, System, User, Virtualization
from clprobe.model.unknown import NOT_STATED, Unknown

RENDER = Group(gid=109, name="render")
OWN = Group(gid=1000, name="alice")
CLOSED = Folder(path="/dev/dri", uid=0, gid=0, mode="0700")


def _user(**facts: object) -> User:
    known: dict[str, object] = {"uid": 1000, "name": "alice", "groups": (OWN,)}
    return User(**{**known, **facts})  # type: ignore[arg-type]


def _node(**facts: object) -> DeviceNode:
    known: dict[str, object] = {"uid": 0, "gid": 109, "group": "render", "mode": "0660"}
    return DeviceNode(path="/dev/dri/renderD128", **{**known, **facts})  # type: ignore[arg-type]


def _reason(node: DeviceNode, user: User, **around: object) -> tuple[object, object]:
    system = System(virtualization=Virtualization(**around))  # type: ignore[arg-type]
    judged = judge_node(node, user, system, NOT_STATED)
    return judged.may_open, judged.denied_because


@pytest.mark.parametrize(
    ("node", "user", "expected"),
    [
        (_node(open_error="EACCES"), _user(), (False, "not-in-group")),
        (_node(), _user(), (False, "not-in-group")),
        (_node(), _user(database_groups=(OWN, RENDER)), (False, "old-session")),
        (_node(), _user(groups=(OWN, RENDER)), (True, None)),
        (_node(), _user(uid=0), (True, None)),
        (_node(uid=1000), _user(), (True, None)),
        (_node(mode="0666"), _user(groups=NOT_STATED), (True, None)),
        (_node(mode="0600"), _user(groups=(OWN, RENDER)), (False, "root-only")),
        (_node(gid=0, group="root"), _user(), (False, "root-only")),
        (_node(group=None), _user(), (False, "group-without-name")),
        (_node(acl=("user:alice:rw-",)), _user(), (True, None)),
        (_node(acl=("user:1000:rw-",)), _user(), (True, None)),
        (_node(acl=("user:bob:rw-",)), _user(), (False, "not-in-group")),
        (_node(acl=("group:alice:rw-",)), _user(), (True, None)),
        (_node(acl=("user:alice:r--",)), _user(), (False, "access-list")),
        (_node(open_error="EACCES"), _user(groups=(RENDER,)), (False, "policy")),
        (_node(open_error="EPERM"), _user(groups=(RENDER,)), (False, "sandbox")),
        (_node(open_error="ENXIO"), _user(), (True, None)),
        (_node(open_error=None), _user(), (True, None)),
        (_node(open_error="EACCES"), _user(groups=NOT_STATED), (False, "not-in-group")),
        (_node(mode="0606"), _user(groups=(RENDER,)), (False, "group-denied")),
        (_node(uid=1000, mode="0066"), _user(), (False, "owner-denied")),
        (_node(mode="0640"), _user(groups=(RENDER,)), (False, "root-only")),
        (_node(nodev=True), _user(uid=0), (False, "nodev-mount")),
        (_node(closed_folders=(CLOSED,)), _user(groups=(RENDER,)), (False, "folder-closed")),
        (_node(closed_folders=(CLOSED,)), _user(uid=0), (True, None)),
        (_node(acl=("user:alice:rw-", "mask::r--")), _user(), (False, "access-list")),
        (_node(), _user(uid=NOT_STATED, name="root", groups=NOT_STATED), (True, None)),
        (_node(), _user(uid=NOT_STATED, name=NOT_STATED), (False, "not-in-group")),
        (_node(group=None), _user(groups=(Group(name="render"),)), (False, "group-without-name")),
        (_node(), _user(uid=0, overrides_permissions=False), (True, None)),
        (_node(mode="0060"), _user(uid=0, overrides_permissions=False), (False, "owner-denied")),
    ],
)
def test_the_reason_follows_from_mode_groups_and_errno(
    node: DeviceNode, user: User, expected: tuple[object, object]
) -> None:
    assert _reason(node, user) == expected


def test_an_unmapped_group_is_the_namespaces_doing() -> None:
    node = _node(gid=65534, group="nogroup", open_error="EACCES")
    assert _reason(node, _user(uid=0), user_namespace=True) == (False, "user-namespace")


def test_without_mode_and_errno_nothing_is_said() -> None:
    refused = Unknown(unknown="no such command")
    assert _reason(_node(mode=refused), _user()) == (refused, refused)


def test_a_group_that_is_known_by_name_only_counts_by_name() -> None:
    node = _node(gid=NOT_STATED)
    assert _reason(node, _user(groups=(Group(name="render"),))) == (True, None)
