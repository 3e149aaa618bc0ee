# SPDX-License-Identifier: MIT
"""As root, doctor says what an ordinary user would meet; through sudo, what its caller would."""

from pathlib import Path
from typing import Any

import msgspec
from invented import invented_host

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.placeholders import SUDO_CALLER
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Group
from clprobe.model.unknown import Unknown
from clprobe.probe.user import probe_sudo_caller

KNOWLEDGE = Knowledge.load()
NODE = {"path": "/dev/dri/renderD128", "kind": "render", "uid": 0, "gid": 109, "group": "render",
        "mode": "0660", "acl": [], "open_error": None}  # fmt: skip
ROOT = {"uid": 0, "name": "root", "groups": [{"gid": 0, "name": "root"}]}


def _host(folder: Path, uid: int, **environment: str) -> Any:
    answers = {
        "environment": {"": environment},
        "identity": {"": {"uid": uid, "gid": uid, "groups": [uid]}},
        "user_name": {"1000": "alice"},
        "account": {"alice": {"name": "alice", "uid": 1000, "gid": 1000}},
        "database_groups": {"alice 1000": [1000, 27]},
        "group_name": {"1000": "alice", "27": "sudo"},
    }
    return invented_host(folder, answers)


def _findings(**facts: Any) -> dict[str, Any]:
    snapshot = msgspec.convert({"user": ROOT, "device_nodes": [NODE], **facts}, Snapshot)
    found = diagnose(snapshot, KNOWLEDGE).findings
    return {one.id: one for one in found if one.verdict == "present"}


def test_the_user_behind_sudo_is_a_perspective_without_a_name(tmp_path: Path) -> None:
    (perspective,) = probe_sudo_caller(_host(tmp_path, 0, SUDO_UID="1000"))
    assert perspective.who == SUDO_CALLER
    user = perspective.facts.user
    assert user.uid == 1000
    assert user.groups == (Group(gid=1000, name=None), Group(gid=27, name="sudo"))
    assert isinstance(user.name, Unknown)


def test_without_sudo_or_as_somebody_else_there_is_none(tmp_path: Path) -> None:
    assert probe_sudo_caller(_host(tmp_path, 0)) == ()
    assert probe_sudo_caller(_host(tmp_path, 0, SUDO_UID="0")) == ()
    assert probe_sudo_caller(_host(tmp_path, 0, SUDO_UID="x;y")) == ()
    assert probe_sudo_caller(_host(tmp_path, 1000, SUDO_UID="1000")) == ()


def test_root_is_told_who_else_may_open_the_node() -> None:
    note = _findings()["node-closed-to-other-users"]
    assert note.severity == "note"
    assert "members of group render may" in note.title


def test_a_caller_of_sudo_who_lacks_the_group_is_told_first() -> None:
    caller = {"user": {"uid": 1000, "groups": [{"gid": 1000}, {"gid": 27, "name": "sudo"}]}}
    found = _findings(perspectives=[{"who": SUDO_CALLER, "facts": caller}])
    warning = found["sudo-caller-may-not-open-node"]
    assert warning.severity == "warning"
    assert warning.remedies[0].argv == ("usermod", "-aG", "render", "USER")
    assert found["node-closed-to-other-users"].caused_by == "sudo-caller-may-not-open-node"


def test_a_caller_of_sudo_with_the_group_is_not_bothered() -> None:
    caller = {"user": {"uid": 1000, "groups": [{"gid": 109, "name": "render"}]}}
    found = _findings(perspectives=[{"who": SUDO_CALLER, "facts": caller}])
    assert "sudo-caller-may-not-open-node" not in found


def test_an_ordinary_user_reads_no_note_for_root() -> None:
    member = {"uid": 1000, "groups": [{"gid": 109, "name": "render"}]}
    assert _findings(user=member) == {}
