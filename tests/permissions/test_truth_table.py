# SPDX-License-Identifier: MIT
"""Predicted errno and real errno, row by row, with real nodes, access lists, users, namespaces."""

import os
import shutil
from typing import Any

import msgspec
import pytest
from behind_nodes import host_behind
from log_checks import ends_at_the_root_cause
from msgspec.structs import replace
from permission_rows import ROWS, answers

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.facts.permissions.nodes import judge_node
from clprobe.facts.permissions.prediction import predicted_errno
from clprobe.model.hardware import DeviceNode
from clprobe.model.system import System, User
from clprobe.model.unknown import NOT_STATED, Unknown

pytestmark = [
    pytest.mark.root,
    pytest.mark.slow,
    pytest.mark.skipif(
        os.geteuid() != 0 or not shutil.which("setfacl") or not shutil.which("unshare"),
        reason="needs root, unshare, and setfacl of acl",
    ),
]
KNOWLEDGE = Knowledge.load()
NAMES = [row["name"] for row in ROWS]
NOT_TRIED = Unknown("nobody tried")


class World(dict[str, dict[str, Any]]):
    """The answers; asking for one that could not be had here skips the test."""

    def __getitem__(self, name: str) -> dict[str, Any]:
        answer = super().__getitem__(name)
        if "skipped" in answer:
            pytest.skip(answer["skipped"])
        return answer


@pytest.fixture(scope="module")
def world() -> World:
    return World(answers())


def _row(name: str) -> dict[str, Any]:
    return next(row for row in ROWS if row["name"] == name)


def _system(answer: dict[str, Any], row: dict[str, Any]) -> System:
    unit: dict[str, Any] = {}
    if "device_list" in row:
        allowed = [line.replace("c 226:*", "char-drm") for line in row["device_list"]]
        allowed = [line.replace("c 226:128", row["path"]) for line in allowed]
        unit = {"device_policy": "closed", "device_allow": allowed}
    return msgspec.convert(
        {
            "service_unit": {**unit, "private_devices": "private_devices" in row},
            "gpu_groups": answer["own"]["gpu_groups"],
            "virtualization": {"user_namespace": answer["namespace"]},
        },
        System,
    )


def _node(answer: dict[str, Any], row: dict[str, Any]) -> DeviceNode:
    """Return the node as root saw it, where ids or nodes differ as the process itself saw it."""
    sources = ["own"] if "namespace" in row else ["as_root", "own"]
    for source in sources:
        nodes = msgspec.convert(answer[source]["device_nodes"], tuple[DeviceNode, ...])
        if nodes:
            return replace(nodes[0], open_error=NOT_TRIED)
    # A report of a missing node is the failed open itself.
    return DeviceNode(path=row["path"], device_error="ENOENT")


def _user(answer: dict[str, Any]) -> User:
    return msgspec.convert(answer["own"]["user"], User)


def test_the_table_has_every_row_of_the_issue() -> None:
    assert len(ROWS) >= 24
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_world_answers_as_the_row_says(name: str, world: World) -> None:
    assert world[name]["errno"] == _row(name)["errno"]


@pytest.mark.parametrize("name", NAMES)
def test_the_predicted_errno_is_the_real_one(name: str, world: World) -> None:
    row, answer = _row(name), world[name]
    predicted = predicted_errno(_node(answer, row), _user(answer), _system(answer, row))
    if row.get("undecided"):
        assert isinstance(predicted, Unknown)
    else:
        assert predicted == answer["errno"]


@pytest.mark.parametrize("name", NAMES)
def test_the_reason_is_the_same_for_a_tried_and_for_a_predicted_denial(
    name: str, world: World
) -> None:
    row, answer = _row(name), world[name]
    node, user, system = _node(answer, row), _user(answer), _system(answer, row)
    tried = replace(node, open_error=answer["errno"])
    reasons = [judge_node(one, user, system, NOT_STATED).denied_because for one in (tried, node)]
    if "private_devices" in row:
        reasons = reasons[1:]  # a plain ENOENT does not tell why
    elif answer["errno"] == "ENOENT" or row.get("undecided"):
        reasons = reasons[:1]
    assert set(reasons) == {row.get("reason")}


@pytest.mark.parametrize("name", NAMES)
def test_the_log_of_the_gpu_ends_at_the_root_cause(name: str, world: World) -> None:
    row, answer = _row(name), world[name]
    node = replace(_node(answer, row), open_error=answer["errno"])
    snapshot = host_behind(node, _user(answer), _system(answer, row))
    report = msgspec.to_builtins(diagnose(snapshot, KNOWLEDGE, log_of="gpu"))
    assert ends_at_the_root_cause(report)


@pytest.mark.parametrize("name", [row["name"] for row in ROWS if "cli" in row])
def test_doctor_as_another_user_predicts_the_errno_of_its_real_open(
    name: str, world: World
) -> None:
    answer, path = world[name], _row(name)["path"]
    assert answer["cli"]["stderr"] == ""
    nodes = {node["path"]: node for node in answer["cli"]["document"]["nodes"]}
    assert nodes[path]["errno"] == answer["errno"]
    assert nodes[path]["denied_because"] == _row(name).get("reason")
    assert nodes[path]["is_predicted"]
