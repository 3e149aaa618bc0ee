# SPDX-License-Identifier: MIT
"""Where OpenCL works, doctor reports no error, however unusual the machine is."""

import copy
from pathlib import Path
from typing import Any

import msgspec
import pytest
from breakable_machine import healthy

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.codec import snapshot_from_text
from clprobe.model.finding import Diagnosis
from clprobe.model.snapshot import Snapshot

KNOWLEDGE = Knowledge.load()
RECORDED = sorted((Path(__file__).parent.parent / "healthy").glob("*.json"))


def _with(**changes: Any) -> dict[str, Any]:
    """Return the healthy laptop with dotted paths (written with __) changed."""
    document = healthy()
    for path, value in changes.items():
        *way, last = path.split("__")
        target: Any = document
        for step in way:
            target = target[int(step)] if isinstance(target, list) else target[step]
        target[int(last) if isinstance(target, list) else last] = copy.deepcopy(value)
    return document


def _driver(
    icd: str, library: str, platform: str, device: dict[str, Any], **view: Any
) -> dict[str, Any]:
    """Return the changes that put another vendor's driver in the place of Intel's."""
    answer = {
        **healthy()["icds"][0]["answer"],
        "platforms": [{"name": platform, "devices_error": None, "devices": [device]}],
    }
    path = f"/etc/OpenCL/vendors/{icd}"
    return {
        "icds": [{**healthy()["icds"][0], "path": path, "text": f"{library}\n",
                  "library_name": library, "package": None,
                  "library": {**healthy()["icds"][0]["library"], "path": library,
                              "package": None},
                  "answer": answer}],
        "views": [{**healthy()["views"][0], "answer": answer, **view}],
    }  # fmt: skip


def _device(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": "gpu", "available": True, "extensions": [], **more}


def _gpu(pci_id: str, driver: str, **more: Any) -> list[dict[str, Any]]:
    return [{**healthy()["gpus"][0], "pci_id": pci_id, "kernel_driver": driver,
             "kernel_modules": [driver], **more}]  # fmt: skip


def _node(path: str, kind: str) -> dict[str, Any]:
    return {**healthy()["device_nodes"][0], "path": path, "kind": kind}


_NODE = healthy()["device_nodes"][0]
MACHINES: dict[str, dict[str, Any]] = {
    "the laptop itself": _with(),
    "root asks": _with(user__uid=0, user__name="root", user__groups=[{"gid": 0, "name": "root"}]),
    "over SSH, in the group": _with(user__session={"kind": "remote", "seat": None, "active": True}),
    "in a container with the node": _with(system__virtualization__container="docker"),
    "in a container, group without a name": _with(
        system__virtualization__container="docker", device_nodes__0__group=None,
        user__groups=[{"gid": 1000, "name": None}, {"gid": 109, "name": None}],
        user__database_groups={"unknown": "the user id has no name"}),
    "a node open to all": _with(device_nodes__0__mode="0666", user__groups=[{"gid": 1000}],
                                user__database_groups=[{"gid": 1000}]),
    "a seat's access list": _with(
        user__groups=[{"gid": 1000, "name": "user"}],
        user__database_groups=[{"gid": 1000, "name": "user"}],
        device_nodes__0__acl=["user:user:rw-", "mask::rw-"]),
    "the module of a second GPU blacklisted": _with(
        system__linux__blacklisted_modules=["nouveau"],
        system__linux__command_line="quiet modprobe.blacklist=nouveau"),
    "a conda environment with its own loader": _with(
        environment__CONDA_PREFIX="/home/user/conda",
        loaders=[*healthy()["loaders"],
                 {"path": "/home/user/conda/lib/libOpenCL.so.1", "kind": "conda-ocl-icd",
                  "found_by": ["conda"], "is_default": False,
                  "icd_folders": ["/home/user/conda/etc/OpenCL/vendors"]}]),
    "an old log of a hang that was survived": _with(
        system__linux__log="[ 12.3] i915 0000:00:02.0: [drm] Finished loading DMC firmware"),
    "AMD with ROCm": _with(
        gpus=_gpu("1002:73bf", "amdgpu"), packages=[{"name": "rocm-opencl-runtime"}],
        device_nodes=[_NODE, _node("/dev/kfd", "kfd")], system__linux__modules=["amdgpu"],
        system__linux__firmware=["amdgpu"],
        **_driver("amdocl64.icd", "/opt/rocm/lib/libamdocl64.so",
                  "AMD Accelerated Parallel Processing",
                  _device("gfx1030", pci_address="0000:00:02.0"))),
    "NVIDIA's driver": _with(
        gpus=_gpu("10de:2204", "nvidia", render_node="/dev/dri/renderD128"),
        device_nodes=[_NODE, *(_node(f"/dev/nvidia{name}", "nvidia")
                               for name in ("0", "ctl", "-uvm"))],
        system__linux__modules=["nvidia", "nvidia_uvm"],
        system__linux__module_versions={"nvidia": "580.159.04"},
        **_driver("nvidia.icd", "libnvidia-opencl.so.1", "NVIDIA CUDA",
                  _device("GeForce RTX 3090", pci_address="0000:00:02.0",
                          driver_version="580.159.04"))),
    "rusticl on Intel": _with(
        environment__RUSTICL_ENABLE="iris",
        **_driver("rusticl.icd", "libRusticlOpenCL.so.1", "rusticl",
                  _device("Mesa Intel(R) HD Graphics 620", device_id=0x5916))),
    "Arc under xe with its memory in view": _with(
        system__linux__release="6.14.0-15-generic", system__linux__modules=["xe"],
        system__linux__firmware=["i915", "xe"],
        gpus=_gpu("8086:56a0", "xe", memory_bar_bytes=16 * 2**30),
        packages=[{"name": "intel-opencl-icd", "version": "25.18.33578.6-0"}],
        **_driver("intel.icd", "/usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so",
                  "Intel(R) OpenCL Graphics",
                  _device("Intel(R) Arc(TM) A770 Graphics", device_id=0x56A0,
                          pci_address="0000:00:02.0", driver_version="25.18.33578.6"))),
    "WSL with the driver of Windows": _with(
        system__virtualization__wsl=2, system__virtualization__machine="microsoft",
        system__virtualization__wsl_libraries=True, gpus=[],
        device_nodes=[{**_node("/dev/dxg", "dxg"), "mode": "0666"}],
        **_driver("intel.icd", "/usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so",
                  "Intel(R) OpenCL Graphics", _device("Intel(R) Graphics [0x9a49]"))),
}  # fmt: skip
REPORTS: dict[str, dict[str, Any]] = {
    "clinfo shows a GPU": {"views": [{"viewer": "clinfo", "answer": {"platforms": [
        {"name": "Intel(R) OpenCL Graphics", "devices": [_device("Intel(R) UHD Graphics 620")]}
    ]}}]},
    "and the user is in no group that is known": {
        "user": {"uid": 1000},
        "device_nodes": [{"path": "/dev/dri/renderD128"}],
        "views": [{"viewer": "clinfo", "answer": {"platforms": [
            {"name": "NVIDIA CUDA", "devices": [_device("NVIDIA GeForce RTX 3060")]}]}}],
    },
    "a CPU alone, by PoCL": {"gpus": [], "views": [{"viewer": "clinfo", "answer": {"platforms": [
        {"name": "Portable Computing Language",
         "devices": [{"name": "cpu-haswell", "type": "cpu"}]}]}}]},
}  # fmt: skip


def _errors(diagnosis: Diagnosis) -> list[str]:
    return [one.id for one in diagnosis.findings if one.severity == "error"]


@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_on_which_opencl_works_is_healthy(name: str) -> None:
    diagnosis = diagnose(msgspec.convert(MACHINES[name], Snapshot), KNOWLEDGE)
    assert (diagnosis.status, _errors(diagnosis)) == ("healthy", [])


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_of_success_raises_no_error(name: str) -> None:
    diagnosis = diagnose(msgspec.convert(REPORTS[name], Snapshot), KNOWLEDGE)
    present = [one.id for one in diagnosis.findings if one.verdict == "present"]
    assert [rule for rule in present if KNOWLEDGE.rule_named(rule).severity == "error"] == []


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_recorded_healthy_machine_is_healthy(path: Path) -> None:
    diagnosis = diagnose(snapshot_from_text(path.read_text("utf-8"), name=path.name), KNOWLEDGE)
    assert (diagnosis.status, _errors(diagnosis)) == ("healthy", [])
