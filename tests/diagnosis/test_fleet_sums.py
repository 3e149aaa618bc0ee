# SPDX-License-Identifier: MIT
"""Many machines are summed up by cause, action, GPU and driver."""

from typing import Any

import msgspec

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.fleet import machine_of, sum_up
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.fleet import FirstAction, Machine, Skipped
from clprobe.model.snapshot import Snapshot

KNOWLEDGE = Knowledge.load()
SUMMARIES = {rule.id: rule.summary for rule in KNOWLEDGE.rules}
ADD = FirstAction(title="Add", steps=('sudo usermod -aG render "$USER"',), by_command=True)
LOADER = "/usr/lib/x86_64-linux-gnu/libOpenCL.so.1.0.0"


def _machine(name: str, **more: Any) -> Machine:
    usual: dict[str, Any] = {
        "status": "problems", "worst": "error", "cause": "render-node-not-accessible",
        "suspected": False, "title": "No group", "gpus": ("HD 620",),
        "drivers": (("compute-runtime", "24.35"),), "action": ADD, "mends_all": True,
    }  # fmt: skip
    return Machine(name=name, **{**usual, **more})


FINE: dict[str, Any] = {
    "status": "healthy", "worst": None, "cause": None, "title": None, "action": None,
}  # fmt: skip


def _snapshot(**more: Any) -> Snapshot:
    known: dict[str, Any] = {
        "clprobe": "0.1.0",
        "loaders": [{"path": LOADER}],
        "icds": [{
            "path": "/etc/OpenCL/vendors/intel.icd", "searched_by": [LOADER],
            "text": "libigdrcl.so\n", "library": {"path": "/usr/lib/libigdrcl.so", "format": "elf"},
            "answer": {"stage": "platforms", "outcome": "error", "error_code": -6, "platforms": []},
        }],
        "gpus": [{"pci_address": "0000:00:02.0", "pci_id": "8086:5916", "kernel_driver": "i915",
                  "render_node": "/dev/dri/renderD128"}],
        "device_nodes": [{"path": "/dev/dri/renderD128", "kind": "render", "gid": 109,
                          "group": "render", "mode": "0660", "open_error": "EACCES",
                          "pci_address": "0000:00:02.0"}],
        "user": {"uid": 1000, "name": "alice", "groups": [{"gid": 1000, "name": "alice"}],
                 "database_groups": [{"gid": 1000, "name": "alice"}]},
    }  # fmt: skip
    return msgspec.convert({**known, **more}, Snapshot)


def test_a_machine_has_its_cause_without_its_own_facts_and_what_mends_it() -> None:
    diagnosis = diagnose(_snapshot(), KNOWLEDGE, resembling=False)

    machine = machine_of("a.json", diagnosis, SUMMARIES)

    assert (machine.status, machine.worst) == ("problems", "error")
    assert (machine.cause, machine.suspected) == ("render-node-not-accessible", False)
    assert machine.title == SUMMARIES["render-node-not-accessible"]
    assert machine.gpus == ("Intel HD Graphics 620 [8086:5916]",)
    assert machine.drivers == (("compute-runtime", None),)
    assert machine.action is not None
    assert machine.action.steps[0].startswith("sudo usermod -aG render ")
    assert machine.mends_all


def test_what_is_wrong_is_the_same_without_solved_reports() -> None:
    for snapshot in (_snapshot(), _snapshot(device_nodes=[]), _snapshot(icds=[])):
        whole = diagnose(snapshot, KNOWLEDGE)
        short = diagnose(snapshot, KNOWLEDGE, resembling=False)
        assert msgspec.structs.replace(whole, reports=()) == msgspec.structs.replace(
            short, reports=()
        )


def test_an_undecided_machine_has_its_likeliest_suspect_and_no_action() -> None:
    views = [{"viewer": "clinfo", "loader": LOADER, "answer": {"platforms": []}}]
    silent = {key: {"unknown": "nobody looked"} for key in ("icds", "device_nodes", "loaders")}
    open_one = _snapshot(**silent, views=views, user={})
    diagnosis = diagnose(open_one, KNOWLEDGE, resembling=False)

    machine = machine_of("a.json", diagnosis, SUMMARIES)

    assert machine.status == "undetermined"
    assert machine.suspected
    assert machine.action is None


def test_rows_count_machines_and_the_most_frequent_comes_first() -> None:
    other = FirstAction(title="Load", steps=("sudo modprobe i915",), by_command=True)
    fleet = sum_up(
        "fleet",
        [
            _machine("d", cause="gpu-without-kernel-driver", action=other, drivers=()),
            _machine("b", mends_all=False),
            _machine("a"),
            _machine("c", **FINE, gpus=("HD 620", "Arc A770")),
            _machine("e", **{**FINE, "status": "cpu-only"}, gpus=()),
            _machine("f", status="undetermined", suspected=True, action=None, gpus=None),
        ],
        [Skipped(name="x.json", why="it is broken", damaged=True)],
    )

    assert fleet.machines == 6
    assert fleet.statuses == {"healthy": 1, "cpu-only": 1, "problems": 3, "undetermined": 1}
    assert [(one.id, one.suspected, one.names) for one in fleet.causes] == [
        ("render-node-not-accessible", False, ("a", "b")),
        ("gpu-without-kernel-driver", False, ("d",)),
        ("render-node-not-accessible", True, ("f",)),
    ]
    assert [(one.steps, one.machines, one.mended) for one in fleet.actions] == [
        (ADD.steps, 2, 1),
        (other.steps, 1, 1),
    ]
    assert [(one.name, one.machines) for one in fleet.gpus] == [
        *(("HD 620", 4), ("Arc A770", 1), ("GPU not known", 1), ("no GPU", 1)),
    ]
    assert fleet.gpus[0].causes == {"render-node-not-accessible": 2, "gpu-without-kernel-driver": 1}
    assert [(one.name, one.version, one.machines) for one in fleet.drivers] == [
        ("compute-runtime", "24.35", 5)
    ]
    assert [one.name for one in fleet.hosts] == list("abcdef")
    assert fleet.causes[0].share == 2 / 6


def test_no_machine_at_all_is_summed_up_too() -> None:
    fleet = sum_up("fleet", [], [])
    assert (fleet.machines, fleet.statuses, fleet.causes) == (0, {}, ())
