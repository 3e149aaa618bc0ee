# SPDX-License-Identifier: MIT
"""The log of one device: which one is meant, and that it and the diagnosis give one answer."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from log_checks import ends_at_the_root_cause

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.knowledge.solved_reports import report_files
from clprobe.model.codec import snapshot_from_text
from clprobe.model.device_log import DeviceLog
from clprobe.model.errors import ClprobeError
from clprobe.model.finding import Diagnosis
from clprobe.model.snapshot import Snapshot

KNOWLEDGE = Knowledge.load()
REPORTS = report_files()
INTEL = {"pci_address": "0000:00:02.0", "pci_id": "8086:5916", "kernel_driver": "i915",
         "render_node": "/dev/dri/renderD128"}  # fmt: skip
NVIDIA = {"pci_address": "0000:01:00.0", "pci_id": "10de:2204", "kernel_driver": "nvidia"}
POCL = {
    "path": "/etc/OpenCL/vendors/pocl.icd", "library_name": "libpocl.so.2", "package": "pocl",
    "searched_by": ["/lib/libOpenCL.so.1"], "library": {"path": "/lib/libpocl.so.2"},
    "answer": {"stage": "run", "outcome": "ok", "platforms": [{"name": "PoCL", "devices": [
        {"name": "a processor", "type": "cpu", "kernel_result": "right", "available": True}]}]},
}  # fmt: skip
HOST: dict[str, Any] = {
    "gpus": [INTEL, NVIDIA],
    "device_nodes": [{"path": "/dev/dri/renderD128", "pci_address": "0000:00:02.0",
                      "mode": "0660", "group": "render", "open_error": "EACCES"}],
    "user": {"uid": 1000, "groups": [{"name": "alice"}], "database_groups": [{"name": "alice"}]},
    "loaders": [{"path": "/lib/libOpenCL.so.1", "is_default": True}],
    "icds": [POCL],
}  # fmt: skip


def _diagnosis(selector: str, facts: dict[str, Any] = HOST) -> Diagnosis:
    return diagnose(msgspec.convert(facts, Snapshot), KNOWLEDGE, log_of=selector)


def _log(selector: str, facts: dict[str, Any] = HOST) -> DeviceLog:
    log = _diagnosis(selector, facts).log
    assert log is not None
    return log


@pytest.mark.parametrize(
    ("selector", "device"),
    [
        ("8086:5916", "Intel"), ("0000:00:02.0", "Intel"), ("00:02.0", "Intel"),
        ("intel", "Intel"), ("HD Graphics 620", "Intel"), ("10DE:2204", "10de:2204"),
        ("nvidia", "10de:2204"), ("0", "a processor"), ("cpu", "a processor"),
        ("pocl", "a processor"), ("gpu", "Intel"),
    ],
)  # fmt: skip
def test_a_device_is_named_the_way_people_name_it(selector: str, device: str) -> None:
    assert device in _log(selector).device


def test_a_driver_that_shows_nothing_is_named_by_its_file() -> None:
    broken = {"path": "/etc/OpenCL/vendors/odd.icd", "library_name": "libodd.so",
              "library": {"path": None}}  # fmt: skip
    log = _log("odd.icd", {**HOST, "icds": [POCL, broken]})
    assert log.device == "the driver of /etc/OpenCL/vendors/odd.icd"
    assert log.steps[0].id == "driver-fits"


def test_other_devices_of_the_name_are_told() -> None:
    log = _log("gpu")
    assert len(log.also) == 1
    assert "10de:2204" in log.also[0]


@pytest.mark.parametrize("selector", ["amd", "7", "", "no such thing"])
def test_what_is_not_there_is_an_error_that_lists_what_is(selector: str) -> None:
    with pytest.raises(ClprobeError, match="a processor") as told:
        _log(selector)
    assert "8086:5916" in told.value.message


def test_a_closed_node_stops_the_gpu_and_not_the_cpu() -> None:
    log = _log("intel")
    assert (log.first_no, log.root_cause) == ("node-opens", "render-node-not-accessible")
    facts = next(step.evidence for step in log.steps if step.id == "node-opens")
    assert {"0660", "render"} <= {one.value for one in facts if isinstance(one.value, str)}
    cpu = _log("cpu")
    assert (cpu.first_no, cpu.root_cause) == (None, None)
    verdicts = {step.id: step.verdict for step in cpu.steps}
    assert "node" not in verdicts
    assert verdicts["kernel-runs"] == "yes"


def test_a_device_that_shows_proves_the_steps_before_it() -> None:
    device = {"name": "HD 620", "type": "gpu", "pci_address": "0000:00:02.0"}
    facts = {"gpus": [{"pci_address": "0000:00:02.0", "pci_id": "8086:5916"}],
             "views": [{"viewer": "clinfo", "answer": {"platforms": [
                 {"name": "Intel", "devices": [device]}]}}]}  # fmt: skip
    steps = _log("gpu", facts).steps
    names = [step.id for step in steps]
    assert {step.verdict for step in steps[: names.index("device") + 1]} == {"yes"}
    assert steps[names.index("kernel-runs")].verdict == "not-known"


def test_a_suspected_step_is_not_passed() -> None:
    facts = {"gpus": [INTEL], "views": [{"viewer": "clinfo", "answer": {"platforms": []}}]}
    diagnosis = _diagnosis("gpu", facts)
    suspects = {one.id for one in diagnosis.findings if one.suspect}
    assert suspects
    assert diagnosis.log is not None
    for step in diagnosis.log.steps:
        if suspects & set(step.findings):
            assert step.verdict != "yes"


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)
def test_the_log_of_a_real_report_ends_at_its_root_cause(path: Path) -> None:
    facts = yaml.safe_load(path.read_text("utf-8")).get("facts", {})
    snapshot = snapshot_from_text(yaml.safe_dump(facts), name=path.name)
    try:
        diagnosis = diagnose(snapshot, KNOWLEDGE, log_of="gpu")
    except ClprobeError:
        assert snapshot.gpus == ()  # and what is wrong is something else
        return
    log = diagnosis.log
    assert log is not None
    # Of several GPUs the cause may be another's, or nobody's: a driver for the CPU.
    if log.root_cause == diagnosis.root_cause:
        assert ends_at_the_root_cause(msgspec.to_builtins(diagnosis))
    else:
        assert diagnosis.root_cause not in [name for step in log.steps for name in step.findings]
