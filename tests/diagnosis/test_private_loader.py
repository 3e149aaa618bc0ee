# SPDX-License-Identifier: MIT
"""A bare machine whose only loader and driver are those of pyopencl's wheel."""

from typing import Any

import msgspec

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.finding import Diagnosis
from clprobe.model.snapshot import Snapshot

KNOWLEDGE = Knowledge.load()
LOADER = "/opt/venv/lib/python3.11/site-packages/pyopencl/.libs/libOpenCL.so.1"
PLATFORM = {"name": "Portable Computing Language", "devices": [{"name": "cpu", "type": "cpu"}]}
ANSWER = {"stage": "queries", "outcome": "ok", "platforms": [PLATFORM]}
POCL: dict[str, Any] = {
    "path": "/opt/venv/lib/python3.11/site-packages/pyopencl/.libs/pocl.icd",
    "searched_by": [LOADER],
    "answer": ANSWER,
}
BARE: dict[str, Any] = {
    "source": "live",
    "system": {"distribution": {"id": "debian", "version": "12"}},
    "gpus": [],
    "device_nodes": [],
    "loaders": [{"path": LOADER, "kind": "pyopencl-wheel", "is_default": False}],
    "icds": [POCL],
    "views": [
        {
            "viewer": "system-loader",
            "loader": None,
            "answer": {"stage": "load", "outcome": "error", "platforms": []},
        },
        {"viewer": "pyopencl", "loader": LOADER, "answer": ANSWER},
    ],
}


def _diagnose(**facts: Any) -> Diagnosis:
    return diagnose(msgspec.convert({**BARE, **facts}, Snapshot), KNOWLEDGE)


def test_a_device_behind_a_private_loader_works_with_a_warning() -> None:
    diagnosis = _diagnose()
    assert (diagnosis.status, diagnosis.root_cause) == ("cpu-only", None)
    found = {finding.id: finding for finding in diagnosis.findings}
    assert "program-sees-no-device" not in found
    private = found["only-private-loader"]
    assert (private.verdict, private.severity) == ("present", "warning")
    assert private.remedies[0].argv == ("apt", "install", "ocl-icd-libopencl1")


def test_no_loader_is_an_error_where_nothing_works() -> None:
    diagnosis = _diagnose(loaders=[], icds=[], views=[])
    assert (diagnosis.status, diagnosis.root_cause) == ("problems", "no-loader")
    assert diagnosis.findings[0].severity == "error"


def test_a_loader_registers_no_driver() -> None:
    """Whoever installs the loader named first still has no driver: that is no consequence."""
    found = {one.id: one for one in _diagnose(loaders=[], icds=[], views=[]).findings}
    assert found["no-icd-registered"].caused_by is None
    assert found["no-icd-registered"].severity == "error"


def test_a_private_loader_without_drivers_lacks_a_driver() -> None:
    diagnosis = _diagnose(icds=[], views=BARE["views"][:1])
    assert diagnosis.root_cause == "no-icd-registered"


def _open_questions(kernel_result: Any) -> set[str]:
    """Return what is undetermined while an unexplained error makes everything suspicious."""
    device = {"name": "cpu", "type": "cpu", **kernel_result}
    icd = {**POCL, "answer": {**ANSWER, "platforms": [{**PLATFORM, "devices": [device]}]}}
    blind = {"viewer": "pyopencl", "loader": LOADER, "answer": {"outcome": "no-devices"}}
    loaders = [*BARE["loaders"], {"path": "/usr/lib/libOpenCL.so.1", "is_default": True}]
    findings = _diagnose(icds=[icd], views=[blind], loaders=loaders).findings
    return {finding.id for finding in findings if finding.verdict == "undetermined"}


def test_kernels_that_nobody_asked_for_leave_no_question_open() -> None:
    kernel_rules = {
        "device-cannot-build-kernels", "device-cannot-run-kernels", "device-computes-wrong",
    }  # fmt: skip
    assert not kernel_rules & _open_questions({})


def test_a_kernel_that_was_asked_for_and_not_answered_is_an_open_question() -> None:
    assert "device-computes-wrong" in _open_questions({"kernel_result": {"unknown": "killed"}})


def test_a_driver_inside_the_wheel_is_missed_by_nobody_else() -> None:
    """No variable and no folder would make another loader read it."""
    system, conda = "/usr/lib/libOpenCL.so.1", "/opt/conda/lib/libOpenCL.so.1"
    platforms = [{"name": "X", "devices": [{"name": "x", "type": "gpu"}]}]
    shared = {
        "path": "/etc/OpenCL/vendors/x.icd",
        "searched_by": [system, conda],
        "answer": {**ANSWER, "platforms": platforms},
    }
    views = [
        {"viewer": "system-loader", "loader": system, "answer": shared["answer"]},
        {"viewer": "conda-loader", "loader": conda, "answer": shared["answer"]},
        {"viewer": "pyopencl", "loader": LOADER, "answer": ANSWER},
    ]
    loaders = [
        *BARE["loaders"],
        {"path": system, "kind": "ocl-icd", "is_default": True},
        {"path": conda, "kind": "conda-ocl-icd", "is_default": False},
    ]
    diagnosis = _diagnose(icds=[POCL, shared], views=views, loaders=loaders)
    found = {(finding.id, finding.title.split()[0]) for finding in diagnosis.findings}
    assert ("program-misses-devices", "pyopencl") in found
    assert ("program-misses-devices", "conda-loader") not in found
    assert "conda-loader-ignores-system-icds" not in {name for name, _ in found}
