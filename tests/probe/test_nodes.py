# SPDX-License-Identifier: MIT
"""Device nodes with what their permissions say, and whether the process can open them."""

import struct

import fake_dri
import pytest
from fake_dri import Node

from clprobe.model.hardware import DeviceNode
from clprobe.model.snapshot import Snapshot
from clprobe.probe.file_access import parse_acl

_NOBODY = 65534


def _render_node(snapshot: Snapshot) -> DeviceNode:
    assert isinstance(snapshot.device_nodes, tuple)
    (node,) = snapshot.device_nodes
    return node


@pytest.mark.root
@pytest.mark.skipif(
    not fake_dri.is_possible(), reason="needs root, and a Python that others may run"
)
class TestWithAMadeUpNode:
    @pytest.mark.parametrize(
        ("node", "uid", "groups", "open_error"),
        [
            (Node("0660"), 0, (), "ENXIO"),
            (Node("0660"), _NOBODY, (), "EACCES"),
            (Node("0660"), _NOBODY, (109,), "ENXIO"),
            (Node("0666"), _NOBODY, (), "ENXIO"),
            (Node("0600"), _NOBODY, (109,), "EACCES"),
            (Node("0660", acl_user=_NOBODY), _NOBODY, (), "ENXIO"),
        ],
        ids=["root", "stranger", "member", "open to all", "udev did not run", "access list"],
    )
    def test_the_errno_is_that_of_a_real_open(
        self, node: Node, uid: int, groups: tuple[int, ...], open_error: str
    ) -> None:
        seen = _render_node(fake_dri.collect_as(node, uid=uid, groups=groups))
        assert (seen.path, seen.kind, seen.mode) == ("/dev/dri/renderD128", "render", node.mode)
        assert (seen.uid, seen.owner, seen.gid) == (0, "root", 109)
        assert seen.open_error == open_error

    def test_an_access_list_is_spelled_out(self) -> None:
        node = _render_node(fake_dri.collect_as(Node("0660", acl_user=_NOBODY)))
        assert node.acl == ("user:nobody:rw-", "group::rw-", "mask::rw-")
        assert _render_node(fake_dri.collect_as(Node("0660"))).acl == ()

    def test_no_dri_folder_means_no_nodes(self) -> None:
        assert fake_dri.collect_as(None).device_nodes == ()

    def test_the_groups_are_those_of_the_process(self) -> None:
        user = fake_dri.collect_as(Node("0660"), uid=_NOBODY, groups=(109,)).user
        assert isinstance(user.groups, tuple)
        assert {group.gid for group in user.groups} == {_NOBODY, 109}
        assert isinstance(user.database_groups, tuple)
        assert 109 not in {group.gid for group in user.database_groups}

    def test_the_id_of_a_user_without_a_name(self) -> None:
        user = fake_dri.collect_as(Node("0660"), uid=54321).user
        assert (user.uid, user.name) == (54321, None)


def test_an_access_list_of_another_version_is_not_guessed() -> None:
    assert parse_acl(struct.pack("<IHHI", 3, 2, 6, 1000)) == []
    assert parse_acl(b"") == []
    assert parse_acl(struct.pack("<IHHI", 2, 2, 6, 1000) + b"\0\0\0") == [(2, 6, 1000)]
