# SPDX-License-Identifier: MIT
"""Two snapshots of one host: what an upgrade changed, and whether it caused the problem."""

from copy import deepcopy
from typing import Any

import msgspec
import pytest

from clprobe.diagnosis.compare import compare, earlier_in, with_earlier
from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.comparison import Comparison
from clprobe.model.snapshot import Snapshot

KNOWLEDGE = Knowledge.load()
NEO_ICD = "/etc/OpenCL/vendors/intel.icd"
INNOCENT = [
    {"name": "libdrm2", "version": "2.4.120-2", "manager": "dpkg"},
    {"name": "ocl-icd-libopencl1", "version": "2.3.2-1", "manager": "dpkg"},
]


def _intel(
    pci_id: str, neo: str, *, works: bool, linux: str = "6.5.0-14-generic", igc: str = "1.0.17"
) -> dict[str, Any]:
    devices = [{"name": "Intel(R) Graphics", "type": "gpu", "driver_version": neo}]
    platforms = [{"name": "Intel(R) OpenCL Graphics", "devices": devices if works else []}]
    return {
        "system": {
            "distribution": {"id": "ubuntu", "version": "24.04"},
            "linux": {"release": linux},
        },
        "gpus": [{"pci_address": "0000:00:02.0", "pci_id": pci_id, "kernel_driver": "i915",
                  "render_node": "/dev/dri/renderD128"}],
        "device_nodes": [{"path": "/dev/dri/renderD128", "mode": "0666", "open_error": None}],
        "loaders": [{"path": "/lib/libOpenCL.so.1", "kind": "ocl-icd", "is_default": True}],
        "icds": [{
            "path": NEO_ICD, "library_name": "/usr/lib/intel-opencl/libigdrcl.so",
            "library": {"path": "/usr/lib/intel-opencl/libigdrcl.so", "format": "elf"},
            "answer": {"stage": "queries" if works else "devices", "platforms": platforms,
                       "outcome": "ok" if works else "no-devices"},
        }],
        "packages": [
            {"name": "intel-opencl-icd", "version": neo, "manager": "dpkg"},
            {"name": "libigc1", "version": igc, "manager": "dpkg"},
            {"name": "libdrm2", "version": "2.4.119-1", "manager": "dpkg"},
            {"name": "ocl-icd-libopencl1", "version": "2.3.1-1", "manager": "dpkg"},
        ],
        "excerpts": [],
    }  # fmt: skip


def _nvidia(libraries: str, module: str, *, works: bool) -> dict[str, Any]:
    devices = [{"name": "NVIDIA GeForce RTX 3060", "type": "gpu"}]
    answer = {"outcome": "ok", "platforms": [{"name": "NVIDIA CUDA", "devices": devices}]}
    return {
        "system": {"linux": {"release": "6.8.0-51-generic", "module_versions": {"nvidia": module}},
                   "virtualization": {"container": None}},
        "gpus": [{"pci_address": "0000:01:00.0", "pci_id": "10de:2504",
                  "kernel_driver": "nvidia"}],
        "loaders": [{"path": "/lib/libOpenCL.so.1", "is_default": True}],
        "icds": [{"path": "/etc/OpenCL/vendors/nvidia.icd",
                  "library_name": "libnvidia-opencl.so.1",
                  "answer": answer if works else {"outcome": "no-devices", "error_code": -1001,
                                                  "platforms": []}}],
        "packages": [{"name": "libnvidia-compute-550", "version": f"{libraries}-0ubuntu1"}],
        "excerpts": [],
    }  # fmt: skip


def _snapshot(facts: dict[str, Any]) -> Snapshot:
    return msgspec.convert(facts, Snapshot)


def _compared(before: dict[str, Any], after: dict[str, Any]) -> Comparison:
    old, new = _snapshot(before), _snapshot(after)
    diagnosis = diagnose(with_earlier(new, old), KNOWLEDGE)
    return compare("old.json", old, with_earlier(new, old), diagnosis, KNOWLEDGE)


def _with_innocent_upgrades(facts: dict[str, Any]) -> dict[str, Any]:
    changed = deepcopy(facts)
    changed["packages"] = [*changed["packages"][:2], *INNOCENT]
    return changed


@pytest.mark.parametrize(
    ("before", "after", "finding", "what"),
    [
        pytest.param(
            _intel("8086:3ea0", "24.31.30508.7", works=True),
            _intel("8086:3ea0", "24.39.31294.12", works=False),
            "driver-dropped-gpu", "package intel-opencl-icd", id="compute-runtime#773",
        ),
        pytest.param(
            _intel("8086:9a49", "23.17.26241.33", works=True),
            _intel("8086:9a49", "23.17.26241.33", works=False, linux="6.8.0-31-generic"),
            "linux-breaks-driver", "Linux", id="compute-runtime#710",
        ),
        pytest.param(
            _nvidia("550.90.07", "550.90.07", works=True),
            _nvidia("550.120", "550.90.07", works=False),
            "nvidia-versions-differ", "package libnvidia-compute-550", id="no reboot",
        ),
    ],
)  # fmt: skip
def test_the_upgrade_that_broke_it_is_named_among_innocent_ones(
    before: dict[str, Any], after: dict[str, Any], finding: str, what: str
) -> None:
    if len(after["packages"]) > 2:
        after = _with_innocent_upgrades(after)
    comparison = _compared(before, after)
    assert comparison.new_findings[0] == finding
    assert comparison.caused_by_change is not None
    assert comparison.caused_by_change.what == what
    back = _compared(after, before)
    assert finding in back.mended
    assert back.caused_by_change is None


def test_a_compiler_that_was_replaced_alone_is_to_blame() -> None:
    before = _intel("8086:3e92", "19.43.14583", works=True, igc="1.0.2714.1")
    after = _intel("8086:3e92", "19.43.14583", works=False, igc="1.0.3151")
    after["icds"][0]["answer"] = {
        "stage": "devices", "outcome": "crash", "signal": "SIGABRT", "platforms": []
    }  # fmt: skip
    comparison = _compared(before, after)
    assert next(one.what for one in comparison.changes) == "package libigc1"
    assert comparison.caused_by_change is not None
    assert comparison.caused_by_change.what == "package libigc1"


def test_upgrades_that_broke_nothing_are_not_blamed() -> None:
    before = _intel("8086:9a49", "23.43.27642.40", works=True)
    comparison = _compared(before, _with_innocent_upgrades(before))
    assert {one.what for one in comparison.changes} == {
        "package libdrm2", "package ocl-icd-libopencl1"
    }  # fmt: skip
    assert comparison.new_findings == comparison.mended == ()
    assert comparison.caused_by_change is None


def test_what_was_broken_before_is_not_blamed_on_an_upgrade() -> None:
    before = _intel("8086:3ea0", "24.39.31294.12", works=False)
    comparison = _compared(before, _with_innocent_upgrades(before))
    assert comparison.new_findings == ()
    assert comparison.caused_by_change is None


def test_a_closed_node_is_a_change_that_causes() -> None:
    before = _intel("8086:9a49", "23.43.27642.40", works=True)
    before["user"] = {"uid": 1000, "groups": [{"gid": 1000, "name": "one"}]}
    before["device_nodes"] = [{"path": "/dev/dri/renderD128", "kind": "render", "mode": "0666",
                               "uid": 0, "gid": 110, "group": "render"}]  # fmt: skip
    after = deepcopy(before)
    after["device_nodes"][0]["mode"] = "0660"
    after["icds"][0]["answer"] = {"outcome": "no-devices", "platforms": []}
    comparison = _compared(before, after)
    assert comparison.new_findings[0] == "render-node-not-accessible"
    assert comparison.caused_by_change is not None
    assert comparison.caused_by_change.what == "mode of /dev/dri/renderD128"


def test_equal_snapshots_have_no_changes() -> None:
    facts = _intel("8086:9a49", "23.43.27642.40", works=True)
    assert _compared(facts, facts).changes == ()


def test_what_one_of_them_does_not_know_is_no_change() -> None:
    before = _intel("8086:9a49", "23.43.27642.40", works=True)
    after = deepcopy(before)
    after["packages"] = before["packages"][:1]
    after["excerpts"] = ["packages"]
    del after["gpus"][0]["kernel_driver"]
    after["system"]["linux"]["release"] = {"unknown": "permission denied"}
    assert _compared(before, after).changes == ()


def test_packages_of_which_only_names_are_known_are_compared_one_by_one() -> None:
    before = {"packages": [{"name": "libdrm2"}, {"name": "intel-opencl-icd"}], "excerpts": []}
    after = {"packages": [{"name": "libdrm2"}], "excerpts": []}
    (change,) = _compared(before, after).changes
    assert (change.what, change.before, change.after) == (
        "package intel-opencl-icd", "present", None,
    )  # fmt: skip


def test_an_earlier_time_in_a_report_is_compared_too() -> None:
    facts = {
        "gpus": [{"name": "Intel UHD Graphics 620"}],
        "system": {"distribution": {"id": "arch"}},
        "packages": [{"name": "intel-compute-runtime", "version": "24.39.31294.12-1"}],
        "views": [{"viewer": "clinfo", "answer": {"platforms": []}}],
        "perspectives": [{"when": "before", "facts": {
            "packages": [{"name": "intel-compute-runtime", "version": "24.31.30508.7-1"}]}}],
    }  # fmt: skip
    new = _snapshot(facts)
    since, old = earlier_in(new) or ("", Snapshot())
    comparison = compare(since, old, new, diagnose(new, KNOWLEDGE), KNOWLEDGE)
    assert since == "before"
    assert comparison.caused_by_change is not None
    assert comparison.caused_by_change.before == "24.31.30508.7-1"
