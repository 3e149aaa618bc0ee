# SPDX-License-Identifier: MIT
from typing import Any

import msgspec
import pytest

from clprobe.diagnosis.catalogue import trace
from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.codec import snapshot_from_text, snapshot_to_json
from clprobe.model.finding import Diagnosis
from clprobe.model.snapshot import Snapshot
from clprobe.ruleset.conditions import Comparison
from clprobe.ruleset.rule import Rule

KNOWLEDGE = Knowledge.load()
LOADER = "/usr/lib/x86_64-linux-gnu/libOpenCL.so.1.0.0"
POCL: dict[str, Any] = {
    "path": "/etc/OpenCL/vendors/pocl.icd",
    "searched_by": [LOADER],
    "text": "libpocl.so.2.10.0",
    "library": {"path": "/usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0", "format": "elf"},
    "answer": {
        "stage": "queries",
        "outcome": "ok",
        "platforms": [
            {"name": "Portable Computing Language", "devices": [{"name": "cpu", "type": "cpu"}]}
        ],
    },
}
NEO: dict[str, Any] = {
    "path": "/etc/OpenCL/vendors/intel.icd",
    "searched_by": [LOADER],
    "text": "libigdrcl.so\n",
    "library": {"path": "/usr/lib/libigdrcl.so", "format": "elf"},
    "answer": {"stage": "platforms", "outcome": "error", "error_code": -6, "platforms": []},
}
NODE = {"path": "/dev/dri/renderD128", "kind": "render", "gid": 109, "group": "render"}
UHD = {"pci_address": "0000:00:02.0", "pci_id": "8086:5916", "kernel_driver": "i915"}
USER = {"uid": 1000, "name": "alice", "groups": [{"gid": 1000}]}


def _snapshot(**facts: Any) -> Snapshot:
    known = {"loaders": [{"path": LOADER}], "gpus": [], "device_nodes": [], "icds": [POCL]}
    return msgspec.convert({**known, **facts}, Snapshot)


def _diagnose(**facts: Any) -> Diagnosis:
    return diagnose(_snapshot(**facts), KNOWLEDGE)


def _causes(diagnosis: Diagnosis) -> dict[str, str | None]:
    return {finding.id: finding.caused_by for finding in diagnosis.findings}


def test_a_cpu_device_without_a_gpu_is_cpu_only_with_a_warning() -> None:
    diagnosis = _diagnose(icds=[POCL, NEO])
    assert (diagnosis.status, diagnosis.root_cause) == ("cpu-only", None)
    assert _causes(diagnosis) == {"no-gpu": None, "icd-shows-no-device": "no-gpu"}
    assert [finding.severity for finding in diagnosis.findings] == ["warning", "note"]


def test_a_missing_gpu_is_the_root_cause_where_it_leaves_nothing_to_compute_on() -> None:
    diagnosis = _diagnose(icds=[NEO])
    assert (diagnosis.status, diagnosis.root_cause) == ("problems", "no-gpu")
    assert diagnosis.findings[0].severity == "error"


def test_one_root_cause_comes_first_and_explains_the_chain() -> None:
    closed = {**NODE, "mode": "0660", "open_error": "EACCES", "pci_address": "0000:00:02.0"}
    diagnosis = _diagnose(gpus=[UHD], icds=[NEO], device_nodes=[closed], user=USER)
    assert diagnosis.root_cause == diagnosis.findings[0].id == "render-node-not-accessible"
    assert _causes(diagnosis) == {
        "render-node-not-accessible": None,
        "icd-shows-no-device": "render-node-not-accessible",
        "gpu-without-opencl-device": "icd-shows-no-device",
        "no-opencl-device": "gpu-without-opencl-device",
    }


def test_the_permission_remedy_has_a_command_and_a_way_back() -> None:
    closed = {**NODE, "mode": "0660", "open_error": "EACCES"}
    remedy = _diagnose(device_nodes=[closed], user=USER).findings[0].remedies[0]
    assert remedy.argv == ("usermod", "-aG", "render", "USER")
    assert remedy.needs_root
    assert remedy.undo == ("gpasswd", "-d", "USER", "render")


def test_evidence_names_the_fact_and_where_it_was_read() -> None:
    closed = {**NODE, "mode": "0660", "open_error": "EACCES"}
    evidence = _diagnose(device_nodes=[closed], user=USER).findings[0].evidence
    found = {one.fact: (one.value, one.read_from) for one in evidence}
    value, read_from = found["device_nodes[/dev/dri/renderD128].may_open"]
    assert value is False
    assert read_from.startswith('open("/dev/dri/renderD128", O_RDWR)')


def test_a_finding_about_one_gpu_does_not_explain_another() -> None:
    nvidia = {"pci_address": "0000:03:00.0", "pci_id": "10de:2684", "kernel_driver": None}
    diagnosis = _diagnose(gpus=[UHD, nvidia], icds=[NEO])
    causes = {
        finding.subject: finding.caused_by
        for finding in diagnosis.findings
        if finding.id == "gpu-without-opencl-device"
    }
    assert causes == {
        "NVIDIA GPU (10de:2684, at 0000:03:00.0)": "gpu-without-kernel-driver",
        "Intel HD Graphics 620 (8086:5916, at 0000:00:02.0)": "icd-shows-no-device",
    }


def test_a_broken_extra_driver_is_an_error_although_another_works() -> None:
    broken = {
        "path": "/etc/OpenCL/vendors/broken.icd",
        "searched_by": [LOADER],
        "answer": {"stage": "load", "outcome": "crash", "signal": "SIGABRT"},
    }
    diagnosis = _diagnose(icds=[broken, POCL])
    assert (diagnosis.status, diagnosis.root_cause) == ("problems", "icd-crashes")
    assert [device.name for device in diagnosis.devices] == ["cpu"]
    assert diagnosis.drivers[0].detail == "ended by SIGABRT while loading the library"


def test_an_empty_snapshot_is_undetermined_and_says_what_is_not_known() -> None:
    diagnosis = diagnose(Snapshot(), KNOWLEDGE)
    assert (diagnosis.status, diagnosis.root_cause) == ("undetermined", None)
    assert _causes(diagnosis) == {"no-opencl-device": None}


def test_partial_facts_raise_no_flood_of_open_questions() -> None:
    diagnosis = _diagnose(gpus=[{"pci_id": "8086:5916"}], icds=[POCL])
    assert sum(finding.verdict == "undetermined" for finding in diagnosis.findings) <= 2


def test_a_rule_with_a_bug_becomes_a_result() -> None:
    faulty = msgspec.structs.replace(
        KNOWLEDGE.rules[0],
        id="faulty",
        loops=(),
        explains=(),
        when=Comparison("user.uid", "no-such-operator", 1),
    )
    snapshot = _snapshot(user=USER)
    diagnosis = diagnose(snapshot, Knowledge((*KNOWLEDGE.rules, faulty), KNOWLEDGE.tables))
    assert diagnosis.status == "undetermined"
    [finding] = [finding for finding in diagnosis.findings if finding.id == "faulty"]
    assert (finding.verdict, "KeyError" in finding.because) == ("undetermined", True)


def test_a_replayed_snapshot_gives_the_same_diagnosis() -> None:
    snapshot = _snapshot(icds=[POCL, NEO], user=USER, gpus=[UHD])
    replayed = snapshot_from_text(snapshot_to_json(snapshot), name="test")
    assert diagnose(replayed, KNOWLEDGE) == diagnose(snapshot, KNOWLEDGE)


def test_packages_of_this_release_are_named_and_unknown_ones_are_not_invented() -> None:
    debian = {"distribution": {"id": "debian", "version": "12"}}
    diagnosis = _diagnose(icds=[], gpus=[UHD], system=debian)
    assert diagnosis.findings[0].id == "no-icd-registered"
    assert diagnosis.findings[0].remedies[0].argv == ("apt", "install", "intel-opencl-icd")
    elsewhere = {"distribution": {"id": "plan9", "version": "4"}}
    diagnosis = _diagnose(icds=[], gpus=[UHD], system=elsewhere)
    assert diagnosis.findings[0].remedies[0].argv is None


def test_the_cpus_vendor_id_makes_no_gpu_of_pocl() -> None:
    device = {"name": "cpu", "type": "cpu", "vendor_id": 0x8086, "device_id": None}
    answer = {"stage": "queries", "outcome": "ok", "platforms": [{"devices": [device]}]}
    [report] = _diagnose(icds=[{**POCL, "answer": answer}]).devices
    assert (report.pci_id, report.generation) == (None, None)


@pytest.mark.parametrize(
    ("facts", "generation"),
    [
        ({"device_id": 0x5916}, "Gen9.5"),
        ({"device_id": None, "ip_version": 0x030DC008}, "Xe-HPG"),
        ({"device_id": None, "name": "Intel(R) Graphics [0x1912]"}, "Gen9"),
        ({"device_id": 0xFFFF, "ip_version": None}, None),
        ({"device_id": 0xFF20, "ip_version": 0x0C0000}, "Gen12/Xe-LP"),
        ({"device_id": 0xFF20, "ip_version": None}, None),
    ],
)
def test_the_generation_comes_from_ids_and_never_from_a_marketing_name(
    facts: dict[str, Any], generation: str | None
) -> None:
    device = {"name": "Intel(R) UHD Graphics 620", "type": "gpu", "vendor_id": 0x8086, **facts}
    answer = {"stage": "queries", "outcome": "ok", "platforms": [{"devices": [device]}]}
    [report] = _diagnose(icds=[{**NEO, "answer": answer}]).devices
    assert report.generation == generation


def _rule(rule_id: str) -> Rule:
    rule = KNOWLEDGE.rule(rule_id)
    assert rule is not None
    return rule


def test_the_trace_says_which_condition_failed_or_lacked_its_fact() -> None:
    [found] = trace(_rule("render-node-not-accessible"), _snapshot(device_nodes=[NODE]), KNOWLEDGE)
    assert found.verdict == "undetermined"
    assert [(line.truth, line.text.split()[0]) for line in found.lines] == [
        (None, "all"),
        (True, "node.kind"),
        (None, "node.may_open"),
        (None, "node.errno"),
        (None, "node.denied_because"),
    ]


def test_the_trace_of_a_rule_without_subject_is_empty() -> None:
    assert trace(_rule("render-node-not-accessible"), _snapshot(), KNOWLEDGE) == ()
