# SPDX-License-Identifier: MIT
"""ICDs and nodes that only messages name become facts; whoever lists them is believed."""

from typing import Any

import msgspec

from clprobe.facts.derive import derive
from clprobe.facts.facts import Facts, IcdFacts
from clprobe.facts.hardware_facts import NodeFacts
from clprobe.knowledge.tables import Tables
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Unknown

TABLES = Tables.load()
LOG = """\
_open_driver: Considering file '/etc/OpenCL/vendors//amdocl64.icd'
_load_icd: Loading ICD 'libamdocl64.so'
_load_icd: error while dlopening the IDL: '{error}', => skipping ICD
_open_driver: Considering file '/etc/OpenCL/vendors//pocl.icd'
_load_icd: Loading ICD '/usr/lib/libpocl.so.2'
_load_icd: ICD[0] loaded"""
MISSING = "{}: cannot open shared object file: No such file or directory"
REFUSED = "Unable to open /dev/kfd read-write: Permission denied"


def _facts(*messages: str, **facts: Any) -> Facts:
    return derive(msgspec.convert({"messages": messages, **facts}, Snapshot), TABLES)


def _icds(facts: Facts) -> dict[str, IcdFacts]:
    assert not isinstance(facts.icds, Unknown)
    return {icd.path: icd for icd in facts.icds}


def _node(facts: Facts) -> NodeFacts:
    assert not isinstance(facts.device_nodes, Unknown)
    (node,) = facts.device_nodes
    return node


def test_the_log_of_a_loader_names_icds_and_what_they_lack() -> None:
    icds = _icds(_facts(LOG.format(error=MISSING.format("libamd_comgr.so.1"))))
    amd = icds["/etc/OpenCL/vendors/amdocl64.icd"]
    pocl = icds["/etc/OpenCL/vendors/pocl.icd"]
    assert (amd.implementation, amd.library_fault) == ("amd-rocm", "missing-dependency")
    assert (pocl.implementation, pocl.answer.stage) == ("pocl", "load")


def test_the_library_itself_may_be_what_is_missing() -> None:
    icds = _icds(_facts(LOG.format(error=MISSING.format("libamdocl64.so"))))
    assert icds["/etc/OpenCL/vendors/amdocl64.icd"].library_fault == "missing"


def test_a_list_of_icds_is_believed_before_a_log() -> None:
    assert _icds(_facts(LOG.format(error="x"), icds=[])) == {}


def test_a_log_names_only_a_part_of_the_icds() -> None:
    assert "icds" in _facts(LOG.format(error="x")).excerpts


def test_a_node_of_a_group_without_counterpart_lies_behind_a_namespace() -> None:
    node = _node(_facts(REFUSED, "user is member of nobody group"))
    assert (node.group, node.denied_because) == ("nobody", "user-namespace")


def test_a_node_that_is_refused_otherwise_lies_behind_none() -> None:
    assert _node(_facts(REFUSED, "user is member of video group")).denied_because == "not-in-group"


KFD = {"path": "/dev/kfd", "group": "render", "mode": "0660"}


def test_a_reporter_who_lists_kfd_alone_says_nothing_of_the_render_nodes() -> None:
    assert "device_nodes" in _facts(device_nodes=[KFD]).excerpts
    assert "device_nodes" not in _facts(device_nodes=[KFD], clprobe="0.2.0").excerpts
    assert "device_nodes" not in _facts(device_nodes=[KFD, {"path": "/dev/dri/card0"}]).excerpts
    assert "device_nodes" not in _facts(device_nodes=[]).excerpts
