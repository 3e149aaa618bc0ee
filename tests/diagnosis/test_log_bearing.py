# SPDX-License-Identifier: MIT
"""The live log of Linux: what is history there, and what explains a missing device."""

from typing import Any

import msgspec
import pytest
from breakable_machine import healthy

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.codec import snapshot_from_text
from clprobe.model.finding import Diagnosis

KNOWLEDGE = Knowledge.load()
_HANG = "i915 0000:00:02.0: [drm] GPU HANG: ecode 9:1:85dffffb, in browser [1234]"
_HISTORY = (
    _HANG,
    "i915 0000:00:02.0: [drm] Resetting rcs0 for preemption time out",
    "i915 0000:00:02.0: Direct firmware load for i915/adlp_guc_70.bin failed with error -2",
    "Loading of module with unavailable key is rejected",
    "DMAR: [DMA Read] Request device [00:02.0] fault addr 0x7f000000 [fault reason 0x06]",
)


def _diagnosed(log: str, source: str = "live", **changes: Any) -> Diagnosis:
    document = healthy()
    document["source"] = source
    document.setdefault("system", {}).setdefault("linux", {})["log"] = log
    document |= changes
    text = msgspec.json.encode(document).decode()
    return diagnose(snapshot_from_text(text, name="the laptop"), KNOWLEDGE)


def _without_devices(**node: Any) -> dict[str, Any]:
    """Return the laptop's facts after its driver found no device."""
    document = healthy()
    silent = {"stage": "devices", "outcome": "no-devices", "platforms": [], "printed": ""}
    return {
        "icds": [{**document["icds"][0], "answer": silent}],
        "views": [{**document["views"][0], "answer": silent}],
        "device_nodes": [{**one, **node} for one in document["device_nodes"]],
    }


def _present(diagnosis: Diagnosis) -> set[str]:
    return {one.id for one in diagnosis.findings if one.verdict == "present"}


@pytest.mark.parametrize("line", _HISTORY)
def test_what_linux_said_before_does_not_trouble_a_gpu_that_computes(line: str) -> None:
    assert _present(_diagnosed(line)) == _present(_diagnosed(""))


def test_a_hang_that_somebody_reports_counts() -> None:
    assert "gpu-hangs" in _present(_diagnosed(_HANG, source="an issue"))


def test_a_hang_counts_where_the_driver_finds_no_device() -> None:
    assert "gpu-hangs" in _present(_diagnosed(_HANG, **_without_devices()))


def test_a_hang_does_not_hide_that_the_node_is_closed() -> None:
    changes = _without_devices(open_error="EACCES", mode="0600", acl=[])
    assert "gpu-hangs" not in _present(_diagnosed(_HANG, **changes))


def test_a_hang_does_not_hide_that_no_driver_is_installed() -> None:
    changes: dict[str, Any] = {"icds": [], "views": [], "packages": []}
    assert "gpu-hangs" not in _present(_diagnosed(_HANG, **changes))


def test_a_gpu_that_works_is_not_the_cause_of_another_that_does_not() -> None:
    idle = {"pci_address": "0000:01:00.0", "pci_id": "10de:2684", "kernel_driver": None,
            "render_node": None}  # fmt: skip
    xid = "NVRM: Xid (PCI:0000:01:00): 79, pid=7, GPU has fallen off the bus."
    gpus = [*healthy()["gpus"], idle]
    assert "gpu-hangs" not in _present(_diagnosed(_HANG, gpus=gpus))
    assert "gpu-hangs" in _present(_diagnosed(xid, gpus=gpus))


def test_a_machine_without_a_gpu_minds_no_refused_module_but_a_gpu_that_is_gone() -> None:
    gone = "NVRM: GPU at 0000:01:00.0 has fallen off the bus; GPU has fallen off the bus."
    none = {**_without_devices(), "gpus": [], "device_nodes": []}
    assert "secure-boot-rejects-module" not in _present(_diagnosed(_HISTORY[3], **none))
    assert "gpu-hangs" in _present(_diagnosed(gone, **none))
