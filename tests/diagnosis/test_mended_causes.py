# SPDX-License-Identifier: MIT
"""Whoever mends the named root cause gets a step further: to a later link, or to a healthy host."""

import itertools

import msgspec
import pytest
from breakable_machine import LIBRARY, Fault, broken_by, healthy

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.finding import Diagnosis
from clprobe.model.snapshot import Snapshot
from clprobe.ruleset.rule import CHAIN

KNOWLEDGE = Knowledge.load()
_NOTHING = {"stage": "platforms", "outcome": "no-devices", "error_code": -6, "platforms": []}
_NOT_ASKED = {"stage": "library", "outcome": "error", "error_code": None, "platforms": []}
_NO_NODE = {"gpus.0.render_node": None, "gpus.0.card_node": None, "device_nodes": []}
_UNBOUND = {"gpus.0.kernel_driver": None, **_NO_NODE}
_OUTSIDER = [{"gid": 1000, "name": "user"}]


def _crash(signal: str, printed: str) -> dict[str, object]:
    return {"stage": "load", "outcome": "crash", "signal": signal, "printed": printed,
            "platforms": []}  # fmt: skip


FAULTS = (
    Fault("vm-without-gpu", "hardware", {
        "system.virtualization.machine": "kvm", "gpus": [], "device_nodes": []}, _NOTHING),
    Fault("nomodeset", "linux-driver", {
        "system.linux.command_line": "quiet nomodeset", **_UNBOUND}, _NOTHING),
    Fault("gpu-module-blacklisted", "linux-driver", {
        "system.linux.command_line": "quiet modprobe.blacklist=i915",
        "system.linux.blacklisted_modules": ["i915"], "system.linux.modules": [], **_UNBOUND},
        _NOTHING),
    Fault("linux-too-old-for-gpu", "linux-driver", {
        "system.linux.release": "4.4.0-130-generic", "gpus.0.pci_id": "8086:9a49",
        "gpus.0.kernel_modules": [], **_UNBOUND}, _NOTHING),
    Fault("gpu-given-away", "linux-driver", {
        **_NO_NODE, "gpus.0.kernel_driver": "vfio-pci"}, _NOTHING),
    Fault("container-without-gpu-node", "node", {
        "system.virtualization.container": "docker", "device_nodes": []}, _NOTHING),
    Fault("device-node-dead", "node", {"device_nodes.0.open_error": "ENXIO"}, _NOTHING),
    Fault("render-node-not-accessible", "permission", {
        "user.groups": _OUTSIDER, "user.database_groups": _OUTSIDER,
        "device_nodes.0.open_error": "EACCES"}, _NOTHING),
    Fault("group-needs-new-session", "permission", {
        "user.groups": _OUTSIDER, "device_nodes.0.open_error": "EACCES"}, _NOTHING),
    Fault("node-group-without-name", "permission", {
        "user.groups": _OUTSIDER, "user.database_groups": _OUTSIDER,
        "device_nodes.0.group": None, "device_nodes.0.open_error": "EACCES"}, _NOTHING),
    Fault("node-for-root-only", "permission", {
        "device_nodes.0.mode": "0600", "device_nodes.0.gid": 0, "device_nodes.0.group": "root",
        "device_nodes.0.open_error": "EACCES"}, _NOTHING),
    Fault("node-behind-user-namespace", "permission", {
        "system.virtualization.user_namespace": True, "device_nodes.0.gid": 65534,
        "device_nodes.0.group": "nogroup", "device_nodes.0.open_error": "EACCES"}, _NOTHING),
    Fault("node-denied-by-sandbox", "permission", {"device_nodes.0.open_error": "EPERM"},
          _NOTHING),
    Fault("node-denied-by-policy", "permission", {"device_nodes.0.open_error": "EACCES"},
          _NOTHING),
    Fault("icd-folder-overridden", "icd-file", {
        "environment.OCL_ICD_VENDORS": "/nowhere", "loaders.0.icd_folders": ["/nowhere"],
        "icds.0.searched_by": []}, None),
    Fault("no-icd-registered", "icd-file", {"icds": []}, _NOTHING),
    Fault("icd-file-malformed", "icd-file", {
        "icds.0.text": f"{LIBRARY}\r\n", "icds.0.library_name": f"{LIBRARY}\r"},
        {**_NOT_ASKED, "stage": "icd-file"}),
    Fault("icd-file-not-readable", "icd-file", {
        "icds.0.file_mode": "0600", "icds.0.open_error": "EACCES",
        "icds.0.text": {"unknown": "EACCES"}, "icds.0.library_name": {"unknown": "EACCES"}},
        {**_NOT_ASKED, "stage": "icd-file"}),
    Fault("icd-library-missing", "library", {
        "icds.0.library": {"path": None}, "icds.0.library_name": LIBRARY}, _NOT_ASKED),
    Fault("icd-library-damaged", "library", {"icds.0.library.required_bytes": 14440},
          _NOT_ASKED),
    Fault("icd-library-for-other-processor", "library", {"icds.0.library.machine": "aarch64"},
          _NOT_ASKED),
    Fault("icd-library-not-readable", "library", {
        "icds.0.library.open_error": "EACCES", "icds.0.library.format": "unreadable"},
        _NOT_ASKED),
    Fault("icd-library-needs-more", "library", {
        "icds.0.library.missing_dependencies": ["libigdgmm.so.12"]},
        {**_NOT_ASKED, "stage": "load", "message": "libigdgmm.so.12: cannot open"}),
    Fault("gmmlib-does-not-fit", "library", {}, _crash(
        "SIGABRT", "Abort was called at 22 line in file: gmm_helper/gmm_interface.cpp")),
    Fault("icd-crashes", "load", {}, _crash("SIGSEGV", "")),
    Fault("icd-hangs", "load", {}, {
        "stage": "platforms", "outcome": "hang", "platforms": [], "message": None}),
    Fault("icd-answers-with-error", "device", {}, {
        "stage": "devices", "outcome": "error", "error_code": -5, "platforms": []}),
    Fault("driver-dropped-gpu", "platform", {
        "packages.0.version": "24.39.31294.12-1"}, _NOTHING),
)  # fmt: skip
# That there is no GPU is no fault of its own: an ICD that is broken besides weighs more.
_MENDABLE = [fault for fault in FAULTS if fault.link != "hardware"]
_LATER = [
    (first, second)
    for first, second in itertools.product(_MENDABLE, _MENDABLE)
    if CHAIN.index(first.link) < CHAIN.index(second.link)
    and not set(first.facts) & set(second.facts)
]


def _diagnosis(*faults: Fault) -> Diagnosis:
    return diagnose(msgspec.convert(broken_by(*faults), Snapshot), KNOWLEDGE)


def test_the_machine_is_healthy_before_anything_breaks() -> None:
    diagnosis = diagnose(msgspec.convert(healthy(), Snapshot), KNOWLEDGE)
    assert (diagnosis.status, [one.id for one in diagnosis.findings]) == ("healthy", [])


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.rule)
def test_one_broken_link_is_named_and_mending_it_heals(fault: Fault) -> None:
    diagnosis = _diagnosis(fault)
    assert diagnosis.root_cause == fault.rule, [one.id for one in diagnosis.findings]
    assert KNOWLEDGE.rule_named(fault.rule).link == fault.link
    assert _diagnosis().status == "healthy"


@pytest.mark.parametrize(("first", "second"), _LATER, ids=lambda fault: fault.rule)
def test_mending_the_first_broken_link_leads_to_a_later_one(first: Fault, second: Fault) -> None:
    both = _diagnosis(first, second)
    roots = [both.root_cause, _diagnosis(second).root_cause]
    links = [CHAIN.index(KNOWLEDGE.rule_named(str(root)).link) for root in roots]
    assert roots[0] != roots[1], roots
    assert links[0] <= links[1], roots
