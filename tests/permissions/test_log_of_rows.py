# SPDX-License-Identifier: MIT
"""The log of a GPU whose node is closed ends where doctor's root cause stands, row by row."""

from typing import Any

import msgspec
import pytest
from behind_nodes import host_behind
from log_checks import ends_at_the_root_cause
from permission_rows import ROWS

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.hardware import DeviceNode
from clprobe.model.system import System, User

KNOWLEDGE = Knowledge.load()
_WHO = {"u": "user", "g": "group", "m": "mask"}
_GROUPS = {109: "render", 44: "video", 111: "ssl-cert", 4100: "lab", 0: "root"}


def _acl(text: str) -> list[str]:
    entries = (entry.split(":") for entry in text.split(","))
    return [f"{_WHO[kind]}:{name}:{rights.ljust(3, '-')}" for kind, name, rights in entries]


def _node(row: dict[str, Any]) -> DeviceNode:
    group = row.get("group", 109)
    return msgspec.convert(
        {
            "path": row["path"], "mode": row.get("mode", "0660"), "uid": row.get("owner", 0),
            "gid": group, "group": _GROUPS.get(group), "nodev": "nodev" in row,
            "acl": _acl(row["acl"]) if "acl" in row else [], "open_error": row["errno"],
        },
        DeviceNode,
    )  # fmt: skip


def _user(row: dict[str, Any]) -> User:
    ids = [row.get("gid", row["uid"]), *row.get("groups", [])]
    groups = [{"gid": gid, "name": _GROUPS.get(gid, f"g{gid}")} for gid in ids]
    return msgspec.convert({"uid": row["uid"], "groups": groups, "database_groups": groups}, User)


def _system(row: dict[str, Any]) -> System:
    return msgspec.convert(
        {
            "virtualization": {"user_namespace": "namespace" in row, "container": None},
            "service_unit": {"private_devices": "private_devices" in row},
        },
        System,
    )


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_the_log_ends_at_the_root_cause(row: dict[str, Any]) -> None:
    snapshot = host_behind(_node(row), _user(row), _system(row))
    report = msgspec.to_builtins(diagnose(snapshot, KNOWLEDGE, log_of="gpu"))
    assert ends_at_the_root_cause(report)
    if row["errno"] in ("EACCES", "EPERM"):
        assert report["log"]["first_no"] in ("node-opens", "container")
