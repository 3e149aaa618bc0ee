# SPDX-License-Identifier: MIT
"""A snapshot as another user would take it: what is predicted, carried over, left unknown."""

from typing import Any

import msgspec
import pytest

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.facts.derive import derive
from clprobe.facts.permissions.as_user import as_stated_user, as_user
from clprobe.model.errors import ClprobeError
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Group, ServiceUnit, User
from clprobe.model.unknown import NOT_TRIED, Unknown

KNOWLEDGE = Knowledge.load()
RENDER = Group(gid=109, name="render")
JELLYFIN = User(uid=112, name="jellyfin", groups=(Group(gid=118),), is_asker=False)
NO_UNIT = ServiceUnit(name=None)
CLOSED = [{"path": "/etc/OpenCL/vendors", "uid": 0, "gid": 0, "mode": "0750"}]


def _snapshot(**more: Any) -> Snapshot:
    access = {"uid": 0, "gid": 0, "mode": "0644", "closed_folders": []}
    gpu = [{"name": "UHD 770", "type": "gpu"}]
    cpu = [{"name": "pthread", "type": "cpu"}]

    def icd(name: str, devices: list[dict[str, str]]) -> dict[str, Any]:
        answer = {"outcome": "ok", "platforms": [{"name": name, "devices": devices}]}
        library = {"path": f"/usr/lib/{name}.so", "open_error": None, "access": access}
        path = f"/etc/OpenCL/vendors/{name}.icd"
        return {
            "path": path,
            "searched_by": ["/lib/libOpenCL.so.1"],
            "open_error": None,
            "file_access": access,
            "library": library,
            "answer": answer,
        }

    facts = {
        "user": {"uid": 0, "name": "root", "groups": [{"gid": 0, "name": "root"}]},
        "environment": {"OCL_ICD_VENDORS": "/root/vendors"},
        "device_nodes": [
            {"path": "/dev/dri/renderD128", "kind": "render", "uid": 0, "gid": 109,
             "group": "render", "mode": "0660", "acl": [], "open_error": None}
        ],
        "icds": [icd("intel", gpu), icd("pocl", cpu)],
        "views": [{"viewer": "clinfo", "answer": {"platforms": []}}],
        **more,
    }  # fmt: skip
    return msgspec.convert(facts, Snapshot)


def _ids(snapshot: Snapshot) -> list[str]:
    return [f.id for f in diagnose(snapshot, KNOWLEDGE).findings if f.verdict == "present"]


def test_where_permissions_differ_only_cpu_drivers_keep_their_answer() -> None:
    seen = as_user(_snapshot(), JELLYFIN, NO_UNIT)
    assert not isinstance(seen.icds, Unknown)
    intel, pocl = seen.icds
    assert intel.answer.platforms == NOT_TRIED
    assert pocl.answer.outcome == "ok"
    assert seen.views == NOT_TRIED
    assert "render-node-not-accessible" in _ids(seen)


def test_where_permissions_are_the_same_answers_are_carried_over() -> None:
    member = msgspec.structs.replace(JELLYFIN, groups=(RENDER,))
    seen, live = as_user(_snapshot(), member, NO_UNIT), _snapshot()
    assert not isinstance(seen.icds, Unknown)
    assert not isinstance(live.icds, Unknown)
    assert [icd.answer for icd in seen.icds] == [icd.answer for icd in live.icds]
    assert seen.views == live.views
    assert "render-node-not-accessible" not in _ids(seen)


def test_the_variables_of_whoever_asks_are_not_the_other_users() -> None:
    assert as_user(_snapshot(), JELLYFIN, NO_UNIT).environment == {}


def test_nodes_count_as_not_tried_and_their_errno_is_predicted() -> None:
    seen = as_user(_snapshot(), JELLYFIN, NO_UNIT)
    facts = derive(seen, KNOWLEDGE.tables)
    assert not isinstance(facts.device_nodes, Unknown)
    (node,) = facts.device_nodes
    assert (node.open_error, node.errno, node.is_predicted) == (NOT_TRIED, "EACCES", True)


@pytest.mark.parametrize(
    ("place", "rule"),
    [("file_access", "icd-file-not-readable"), ("library", "icd-library-not-readable")],
)
def test_driver_files_that_the_user_cannot_reach_are_found(place: str, rule: str) -> None:
    document = msgspec.to_builtins(_snapshot())
    icd = document["icds"][0]
    access = icd["file_access"] if place == "file_access" else icd["library"]["access"]
    access["closed_folders"] = CLOSED
    seen = as_user(msgspec.convert(document, Snapshot), JELLYFIN, NO_UNIT)
    assert rule in _ids(seen)


def test_findings_name_whoever_was_asked_about() -> None:
    diagnosis = diagnose(as_user(_snapshot(), JELLYFIN, NO_UNIT), KNOWLEDGE)
    assert diagnosis.findings[0].title.startswith("User jellyfin cannot open /dev/dri/renderD128")
    assert diagnosis.asked_as == "jellyfin"
    assert diagnosis.findings[0].remedies[0].argv == ("usermod", "-aG", "render", "jellyfin")
    bob = User(uid=1001, name="bob", groups=(Group(gid=1001),), is_asker=False)
    remedy = diagnose(as_user(_snapshot(), bob, NO_UNIT), KNOWLEDGE).findings[0].remedies[0]
    assert remedy.argv == ("usermod", "-aG", "render", "bob")


def test_a_snapshot_s_own_user_needs_no_prediction() -> None:
    snapshot = _snapshot()
    assert as_stated_user(snapshot, "root") == snapshot
    assert as_stated_user(snapshot, "0") == snapshot


def test_numbers_with_groups_are_judged_by_the_stated_nodes() -> None:
    assert "render-node-not-accessible" in _ids(as_stated_user(_snapshot(), "1000:1000"))
    assert "render-node-not-accessible" not in _ids(as_stated_user(_snapshot(), "1000:1000,109"))


def test_a_perspective_s_own_facts_win() -> None:
    views = [{"viewer": "clinfo", "answer": {"platforms": [], "outcome": "no-devices"}}]
    facts = {"user": {"uid": 1000, "name": "alice", "groups": [{"gid": 1000}]}, "views": views}
    snapshot = _snapshot(perspectives=[{"who": "alice", "facts": facts}])
    for name in ("alice", "1000"):
        seen = as_stated_user(snapshot, name)
        assert seen.user.uid == 1000
        assert not isinstance(seen.views, Unknown)
        assert seen.views[0].answer.outcome == "no-devices"
        assert "render-node-not-accessible" in _ids(seen)


def test_a_user_of_whom_the_snapshot_says_nothing_is_an_error() -> None:
    with pytest.raises(ClprobeError) as caught:
        as_stated_user(_snapshot(), "rot")
    assert caught.value.reference == "user-not-in-snapshot"
    assert "root" in caught.value.hint
