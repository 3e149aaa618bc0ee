# SPDX-License-Identifier: MIT
"""What identifies a person or a host leaves a snapshot; what findings need stays."""

import pytest

from clprobe.model.codec import snapshot_to_json
from clprobe.model.hardware import DeviceNode
from clprobe.model.opencl import Answer, Icd, Library
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Group, User
from clprobe.scrub import scrub


def _snapshot(name: str, uid: int) -> Snapshot:
    return Snapshot(
        user=User(
            uid=uid,
            name=name,
            groups=(Group(gid=uid, name=name), Group(gid=44, name="video")),
            database_groups=(Group(gid=uid, name=name), Group(gid=109, name="render")),
        ),
        environment={
            "LD_LIBRARY_PATH": f"/home/{name}/lib:/data/{name}/lib",
            "CONDA_PREFIX": f"/home/{name}/miniconda3",
            "OCL_ICD_VENDORS": None,
            "AWS_SECRET_ACCESS_KEY": "canary-token",
        },
        device_nodes=(
            DeviceNode(
                path="/dev/dri/renderD128",
                owner="root",
                group="render",
                acl=(f"user:{name}:rw-", "mask::rw-"),
            ),
        ),
        icds=(
            Icd(
                path=f"/home/{name}/vendors/x.icd",
                text=f"/home/{name}/libx.so\n",
                library=Library(path=f"/home/{name}/libx.so"),
                answer=Answer(printed=f"{name}@canary-host: /home/{name}/libx.so failed"),
            ),
        ),
    )


def test_a_person_becomes_user_everywhere() -> None:
    text = snapshot_to_json(
        scrub(_snapshot("mallory", 1000), home="/home/mallory", host_name="canary-host")
    )
    assert "canary" not in text
    assert "/home/mallory" not in text
    assert '"user:user:rw-"' in text
    assert "/home/user/libx.so" in text


def test_the_same_person_stays_the_same() -> None:
    scrubbed = scrub(_snapshot("mallory", 1000), home="/home/mallory")
    assert scrubbed.user.name == "user"
    assert scrubbed.user.groups[0].name == "user"
    assert scrubbed.user.groups[1].name == "video"
    assert scrubbed.environment["CONDA_PREFIX"] == "/home/user/miniconda3"


@pytest.mark.parametrize(("name", "uid"), [("root", 0), ("nobody", 65534), ("jellyfin", 105)])
def test_nothing_that_findings_need_changes_for_system_users(name: str, uid: int) -> None:
    snapshot = _snapshot(name, uid)
    scrubbed = scrub(snapshot, home="/root")
    assert scrubbed.user == snapshot.user
    assert scrubbed.device_nodes == snapshot.device_nodes
    assert isinstance(snapshot.icds, tuple)
    assert isinstance(scrubbed.icds, tuple)
    assert scrubbed.icds[0].library == snapshot.icds[0].library
    assert scrubbed.icds[0].answer.printed == f"{name}@host: /home/{name}/libx.so failed"


def test_variables_that_are_not_ours_are_dropped() -> None:
    environment = scrub(_snapshot("root", 0)).environment
    assert "AWS_SECRET_ACCESS_KEY" not in environment
    assert environment["OCL_ICD_VENDORS"] is None


def test_a_host_named_like_a_distribution_does_not_change_it() -> None:
    snapshot = _snapshot("root", 0)
    assert scrub(snapshot, host_name="root").user.name == "root"


def test_names_of_folders_below_a_home_stay() -> None:
    icd = Icd(path="/home/mallory/projects/secret-app/x.icd")
    scrubbed = scrub(Snapshot(icds=(icd,)), home="/home/mallory")
    assert "/home/user/projects/secret-app/x.icd" in snapshot_to_json(scrubbed)
