# SPDX-License-Identifier: MIT
"""Healthy is earned: a GPU without a device is never healthy, and a CPU alone has its own word."""

from typing import Any

import msgspec
import pytest

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.snapshot import Snapshot

KNOWLEDGE = Knowledge.load()
LOADER = "/usr/lib/libOpenCL.so.1"
RTX = {"name": "NVIDIA GeForce RTX 3090"}
UHD = {"pci_address": "0000:00:02.0", "pci_id": "8086:5916", "kernel_driver": "i915"}


def _icd(name: str, platform: str, *devices: dict[str, Any]) -> dict[str, Any]:
    platforms = [{"name": platform, "devices": devices}]
    return {
        "path": f"/etc/OpenCL/vendors/{name}.icd",
        "searched_by": [LOADER],
        "answer": {"stage": "run", "outcome": "ok", "platforms": platforms},
    }


def _nvidia(*devices: dict[str, Any]) -> dict[str, Any]:
    return _icd("nvidia", "NVIDIA CUDA", *({**one, "type": "gpu"} for one in devices))


def _pocl(**more: Any) -> dict[str, Any]:
    device = {"name": "cpu-haswell", "type": "cpu", **more}
    return _icd("pocl", "Portable Computing Language", device)


MACHINES: dict[str, tuple[str, dict[str, Any]]] = {
    "nobody says whether there is a GPU": ("healthy", {"icds": [_pocl()]}),
    "no GPU": ("cpu-only", {"gpus": [], "icds": [_pocl()]}),
    "a CPU that computes right": (
        "cpu-only",
        {"gpus": [], "device_nodes": [], "icds": [_pocl(kernel_result="right")]},
    ),
    "a CPU that computes wrong": (
        "problems",
        {"gpus": [], "icds": [_pocl(kernel_result="wrong")]},
    ),
    "a console that no OpenCL driver is for": (
        "cpu-only",
        {"gpus": [{"pci_id": "1a03:2000"}], "icds": [_pocl()]},
    ),
    "a CPU beside a GPU without a device": ("problems", {"gpus": [UHD], "icds": [_pocl()]}),
    "a CPU beside a GPU that no table knows": (
        "undetermined",
        {"gpus": [{"pci_id": "8086:ffff"}], "icds": [_pocl()]},
    ),
    "a GPU that works": ("healthy", {"gpus": [RTX], "icds": [_nvidia(RTX), _pocl()]}),
    "two of a kind, and a device for each": (
        "healthy",
        {"gpus": [RTX, RTX], "icds": [_nvidia(RTX, RTX)]},
    ),
    "two of a kind, and one device": (
        "undetermined",
        {"gpus": [RTX, RTX], "icds": [_nvidia(RTX), _pocl()]},
    ),
    "one of two GPUs computes wrong": (
        "problems",
        {"gpus": [RTX, RTX], "icds": [_nvidia(RTX, {**RTX, "kernel_result": "wrong"})]},
    ),
}


@pytest.mark.parametrize("machine", MACHINES)
def test_a_machine_is_called_what_it_has_earned(machine: str) -> None:
    status, facts = MACHINES[machine]
    snapshot = msgspec.convert({"loaders": [{"path": LOADER}], **facts}, Snapshot)
    assert diagnose(snapshot, KNOWLEDGE).status == status


def test_a_gpu_that_may_lack_a_device_is_named() -> None:
    facts = MACHINES["a CPU beside a GPU that no table knows"][1]
    snapshot = msgspec.convert({"loaders": [{"path": LOADER}], **facts}, Snapshot)
    (finding,) = diagnose(snapshot, KNOWLEDGE).findings
    assert (finding.id, finding.verdict) == ("gpu-without-opencl-device", "undetermined")
    assert "8086:ffff" in finding.title
