# SPDX-License-Identifier: MIT
"""Whole hosts: counts, groups, what nobody saw, and the cause of a no."""

from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace
from recording import ReplayedHost

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.knowledge.tables import Tables
from clprobe.model.codec import snapshot_from_text
from clprobe.model.finding import Diagnosis
from clprobe.model.opencl import Answer, Icd, View
from clprobe.model.snapshot import Snapshot
from clprobe.needs.answer import HostAnswer
from clprobe.needs.check import check_host, report_of
from clprobe.needs.written import Needs
from clprobe.probe.collect import collect

TABLES = Tables.load()
HOSTS = Path(__file__).resolve().parent.parent / "hosts"
H200 = HOSTS.parent / "healthy" / "nvidia-h200-cuda-13-container.json"


def doctor(snapshot: Snapshot) -> Diagnosis:
    return diagnose(snapshot, Knowledge.load())


def never(_: Snapshot) -> Diagnosis:
    raise AssertionError("doctor is not to be asked")


def check(needs: dict, snapshot: Snapshot, ask=doctor) -> HostAnswer:
    return check_host(msgspec.convert(needs, Needs), snapshot, TABLES, ask)


def host(*devices: tuple[str, str, int]) -> Snapshot:
    listed = [
        {"name": name, "type": kind, "vendor": "NVIDIA Corporation", "extensions": ["cl_khr_fp64"],
         "global_memory_bytes": size << 30, "available": True}
        for name, kind, size in devices
    ]  # fmt: skip
    answer = {"outcome": "ok", "platforms": [{"name": "CUDA", "devices": listed}]}
    document = {"views": [{"viewer": "clinfo", "answer": answer}]}
    return snapshot_from_text(msgspec.json.encode(document).decode(), name="host")


def recorded(name: str) -> Snapshot:
    return collect(ReplayedHost(HOSTS / f"debian-12-{name}.yaml").as_host())


TWO = host(("A", "gpu", 4), ("B", "gpu", 16))
GPU_OF_8 = {"type": "gpu", "global_memory": "8 GiB"}
CPU = {"type": "cpu"}


@pytest.mark.parametrize(
    ("needs", "answer"),
    [
        ({"device": GPU_OF_8}, "yes"),
        ({"device": GPU_OF_8, "count": 2}, "no"),
        ({"count": 2}, "yes"),
        ({"count": 3}, "no"),
        ({"none": [{"device": CPU}]}, "yes"),
        ({"none": [{"device": GPU_OF_8}]}, "no"),
        ({"any": [{"device": CPU}, {"device": GPU_OF_8}]}, "yes"),
        ({"any": [{"device": CPU}, {"device": GPU_OF_8, "count": 2}]}, "no"),
        ({"all": [{"device": GPU_OF_8}, {"count": 2}]}, "yes"),
        ({"all": [{"device": GPU_OF_8}, {"device": CPU}]}, "no"),
        ({"device": {"type": "gpu", "local_memory": 1}}, "not-known"),
        ({"none": [{"device": {"local_memory": 1}}]}, "not-known"),
        ({"any": [{"device": {"local_memory": 1}}, {"count": 2}]}, "yes"),
        ({"all": [{"device": {"local_memory": 1}}, {"count": 3}]}, "no"),
        ({"device": {"local_memory": 1, "extensions": ["cl_khr_fp16"]}}, "no"),
        ({"device": {"any": [{"local_memory": 1}, {"vendor": "nvidia"}]}}, "yes"),
    ],
    ids=str,
)
def test_counts_and_groups_are_answered_by_what_is_known(needs: dict, answer: str) -> None:
    assert check(needs, TWO).answer == answer


def test_a_no_names_the_nearest_device_and_what_it_lacks() -> None:
    needs = {"device": {"type": "gpu", "global_memory": "8 GiB", "extensions": ["cl_khr_fp16"]}}

    answer = check(needs, TWO, never)

    assert answer.because == "device 1, B lacks cl_khr_fp16 (no cl_khr_fp16)"
    assert answer.cause is None
    assert [one.answer for one in answer.needs[0].devices] == ["no", "no"]


@pytest.mark.parametrize("text", ["{}", "gpus: []", 'gpus: [{pci_id: "8086:5916"}]'])
def test_where_nobody_looked_for_devices_the_answer_is_not_known(text: str) -> None:
    snapshot = snapshot_from_text(text, name="x")

    assert check({"count": 1}, snapshot).answer == "not-known"
    assert check({"none": [{"device": {"type": "cpu"}}]}, snapshot).answer == "not-known"


def test_a_list_that_is_only_a_part_denies_no_device() -> None:
    shown = host(("A", "gpu", 4)).views[0].answer
    icd = Icd(path="/etc/OpenCL/vendors/nvidia.icd", answer=shown)
    part = Snapshot(icds=(icd,), excerpts=("icds",))

    assert check({"count": 1}, part).answer == "yes"
    assert check({"count": 2}, part).answer == "not-known"
    assert check({"none": [{"device": CPU}]}, part).answer == "not-known"
    assert check({"count": 2}, replace(part, excerpts=())).answer == "no"


@pytest.mark.parametrize(
    ("name", "needs", "answer", "cause"),
    [
        ("render-node-closed", {"device": {"type": "gpu"}}, "no", "node-group-of-other-name"),
        ("render-node-closed", {"count": 1}, "no", "node-group-of-other-name"),
        ("cpu-only", {"device": {"type": "gpu"}}, "no", "vm-without-gpu"),
        ("cpu-only", {"device": {"type": "cpu"}}, "yes", None),
        ("cpu-only", {"device": {"type": "cpu"}, "count": 2}, "no", "pocl-too-old-for-cpu"),
        ("cpu-only", {"device": {"type": "cpu", "features": ["fp16"]}}, "no", None),
        ("cpu-only", {"device": {"type": "cpu", "computes": True}}, "not-known", None),
    ],
)
def test_a_recorded_host_is_answered_with_doctors_cause(
    name: str, needs: dict, answer: str, cause: str | None
) -> None:
    given = check(needs, recorded(name))

    assert given.answer == answer
    assert (given.cause.id if given.cause is not None else None) == cause


def test_a_healthy_host_fulfils_needs() -> None:
    snapshot = snapshot_from_text(H200.read_text("utf-8"), name=str(H200))
    device = {
        "type": "gpu",
        "vendor": "nvidia",
        "opencl": ">=3.0",
        "features": ["fp64"],
        "global_memory": "100 GiB",
        "driver": ">=535",
        "none": [{"platform": "pocl"}],
    }

    assert check({"device": device}, snapshot, never).answer == "yes"
    assert check({"device": {**device, "driver": "<535"}}, snapshot, never).answer == "no"


def test_a_driver_that_hangs_leaves_open_what_it_would_show() -> None:
    icds = [{"path": "/etc/OpenCL/vendors/slow.icd",
             "answer": {"stage": "platforms", "outcome": "hang"}}]  # fmt: skip
    text = msgspec.json.encode({"icds": icds, "gpus": []}).decode()

    answer = check({"count": 1}, snapshot_from_text(text, name="x"))

    assert answer.answer == "not-known"
    assert "slow.icd did not answer in time" in answer.because


def test_a_cpu_that_poses_as_a_gpu_is_none() -> None:
    posing = {
        "name": "pthread-AMD EPYC 7763",
        "type": "gpu",
        "opencl_version": "OpenCL 3.0 PoCL HSTR: pthread-x86_64-pc-linux-gnu-znver3",
        "driver_version": "5.0",
        "available": True,
    }
    platform = {"name": "Portable Computing Language", "devices": [posing]}
    views = [{"viewer": "clinfo", "answer": {"outcome": "ok", "platforms": [platform]}}]
    snapshot = snapshot_from_text(msgspec.json.encode({"views": views}).decode(), name="x")

    answer = check({"device": {"type": "gpu"}}, snapshot)

    assert answer.answer == "no"
    assert "the CPU, posing as a GPU" in answer.because
    assert check({"device": CPU}, snapshot, never).answer == "yes"


def test_no_device_is_of_use_where_a_driver_ends_every_program() -> None:
    crash = View(viewer="system-loader", answer=Answer(outcome="crash", signal="SIGSEGV"))
    icd = Icd(path="/etc/OpenCL/vendors/nvidia.icd", answer=TWO.views[0].answer)

    assert check({"count": 2}, Snapshot(icds=(icd,)), never).answer == "yes"
    answer = check({"count": 2}, Snapshot(icds=(icd,), views=(crash,)))
    assert answer.answer == "no"
    assert "a driver ends every program that lists devices" in answer.because


def test_all_hosts_together_are_a_no_if_one_is() -> None:
    def of(*answers: str) -> str:
        hosts = [HostAnswer(host="x", answer=one, because="") for one in answers]
        return report_of("needs.yaml", hosts).answer

    assert [of("yes", "yes"), of("yes", "not-known"), of("not-known", "no")] == [
        *("yes", "not-known", "no")
    ]
