# SPDX-License-Identifier: MIT
"""What doctor says of a person's machine is what the scrubbed snapshot says of it."""

from typing import Any

import msgspec
import pytest

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.finding import Diagnosis
from clprobe.model.snapshot import Snapshot
from clprobe.report.doctor_words import command
from clprobe.scrub import scrub

KNOWLEDGE = Knowledge.load()


def _snapshot(name: str, home: str, uid: int = 1000) -> Snapshot:
    own = {"gid": uid, "name": name}
    facts: dict[str, Any] = {
        "source": "live",
        "system": {"distribution": {"id": "debian", "version": "12"}},
        "user": {"uid": uid, "name": name, "groups": [own], "database_groups": [own]},
        "gpus": [{"pci_address": "0000:00:02.0", "pci_id": "8086:5916", "kernel_driver": "i915"}],
        "device_nodes": [
            {
                "path": "/dev/dri/renderD128",
                "kind": "render",
                "pci_address": "0000:00:02.0",
                "gid": 105,
                "group": "render",
                "mode": "0660",
                "open_error": "EACCES",
            }
        ],
        "loaders": [{"path": f"{home}/venv/libOpenCL.so.1", "is_default": False}],
        "icds": [
            {
                "path": f"{home}/venv/etc/OpenCL/vendors/intel-cpu.icd",
                "searched_by": [],
                "library_name": "/opt/anaconda1anaconda2anaconda3/lib/libintelocl.so",
                "library": {"path": None},
            }
        ],
    }
    return msgspec.convert(facts, Snapshot)


def _said(diagnosis: Diagnosis) -> str:
    return msgspec.json.encode(diagnosis).decode()


def test_a_persons_live_run_equals_the_replay() -> None:
    live = _snapshot("mallory", "/home/mallory")
    replay = scrub(live, home="/home/mallory")
    assert diagnose(live, KNOWLEDGE) == diagnose(replay, KNOWLEDGE)
    assert "mallory" not in _said(diagnose(live, KNOWLEDGE))


def test_scrubbing_twice_changes_nothing_wherever_the_home_folder_is() -> None:
    once = scrub(_snapshot("mallory", "/srv/people/mallory"), home="/srv/people/mallory")
    assert scrub(once, home="/srv/people/mallory") == once
    said = _said(diagnose(once, KNOWLEDGE))
    assert "mallory" not in said
    assert "~/venv/etc/OpenCL/vendors/intel-cpu.icd" in said


def test_commands_let_the_shell_fill_in_name_and_home() -> None:
    findings = diagnose(_snapshot("mallory", "/home/mallory"), KNOWLEDGE).findings
    remedies = [remedy for finding in findings for remedy in finding.remedies if remedy.argv]
    lines = [command(remedy.argv or (), remedy) for remedy in remedies]
    assert 'sudo usermod -aG render "$USER"' in lines
    assert any(" ~/venv/etc/OpenCL/vendors/intel-cpu.icd " in line for line in lines)


@pytest.mark.parametrize(("name", "uid"), [("www-data", 33), ("nobody", 65534)])
def test_service_accounts_keep_their_names(name: str, uid: int) -> None:
    said = _said(diagnose(_snapshot(name, f"/var/lib/{name}", uid), KNOWLEDGE))
    assert f'["usermod","-aG","render","{name}"]' in said
