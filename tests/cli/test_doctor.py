# SPDX-License-Identifier: MIT
"""The commands as programs call them: exit codes, streams, documents."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HEALTHY = {"icds": [{"path": "/etc/OpenCL/vendors/pocl.icd", "answer": {
    "stage": "queries", "outcome": "ok",
    "platforms": [{"name": "PoCL", "devices": [{"name": "cpu", "type": "cpu"}]}]}}],
    "gpus": [], "device_nodes": [], "loaders": [{"path": "/lib/libOpenCL.so.1"}]}  # fmt: skip
BROKEN = {**HEALTHY, "icds": [], "views": []}
KEYS = {"schema", "clprobe", "status", "root_cause", "findings", "drivers", "devices", "elapsed_ms"}


def _clprobe(*argv: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "clprobe", *argv],
        input=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )


def doctor_on(facts: Any, *argv: str) -> subprocess.CompletedProcess[str]:
    return _clprobe("doctor", "--from", "-", *argv, given=json.dumps(facts))


@pytest.mark.parametrize(
    ("facts", "options", "status"),
    [
        (HEALTHY, (), 0),
        (HEALTHY, ("--strict",), 1),
        (BROKEN, (), 1),
        (BROKEN, ("--exit-zero",), 0),
        ({}, (), 3),
        ({}, ("--exit-zero",), 0),
        (HEALTHY, ("--device", "gpu"), 2),
        (HEALTHY, ("--why", "no-such-rule"), 2),
        (HEALTHY, ("--why", "no-gpu"), 0),
        (HEALTHY, ("--format", "xml"), 2),
        (["no", "mapping"], (), 2),
    ],
)
def test_the_exit_status_is_the_contracts(
    facts: Any, options: tuple[str, ...], status: int
) -> None:
    result = doctor_on(facts, *options)
    assert result.returncode == status, result.stderr
    assert "Traceback" not in result.stderr


def test_json_is_one_document_with_the_contracts_keys() -> None:
    result = doctor_on(BROKEN, "--json")
    document = json.loads(result.stdout)
    assert set(document) >= KEYS
    assert document["schema"] == "clprobe.doctor/1"
    assert document["root_cause"] == document["findings"][0]["id"] == "no-icd-registered"
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("form", "word"),
    [
        ("text", "OpenCL works on the CPU; there is no GPU that it could use: 1 OpenCL device"),
        ("json", '"status": "cpu-only"'),
        ("markdown", "doctor: cpu-only"),
        ("html", "OpenCL works on the CPU; there is no GPU"),
        ("sarif", '"status": "cpu-only"'),
        ("junit", '<property name="status" value="cpu-only" />'),
    ],
)
def test_a_cpu_alone_has_a_status_of_its_own(form: str, word: str) -> None:
    result = doctor_on(HEALTHY, "--format", form)
    assert result.returncode == 0
    assert word in result.stdout
    assert "healthy" not in result.stdout.lower().split("<style>")[0].split('"rules"')[0]


def test_two_replays_differ_in_nothing_but_the_time() -> None:
    first, second = (json.loads(doctor_on(BROKEN, "--json").stdout) for _ in range(2))
    assert first.pop("elapsed_ms") >= 0
    second.pop("elapsed_ms")
    assert first == second


def test_a_snapshot_may_be_yaml_with_six_facts(tmp_path: Path) -> None:
    path = tmp_path / "report.yaml"
    path.write_text("views: [{viewer: clinfo, answer: {platforms: []}}]\nuser: {uid: 1000}\n")
    result = _clprobe("doctor", "--from", str(path), "--json")
    document = json.loads(result.stdout)
    assert (document["status"], document["root_cause"]) == ("undetermined", None)
    present = [one["id"] for one in document["findings"] if one["verdict"] == "present"]
    assert (present, result.returncode) == (["no-opencl-device"], 1)


def test_a_file_that_is_not_there_is_a_usage_error() -> None:
    result = _clprobe("doctor", "--from", "/nowhere/x.json")
    assert (result.returncode, "/nowhere/x.json" in result.stderr) == (2, True)


def test_info_lists_what_there_is() -> None:
    result = _clprobe("info", "--from", "-", "--json", given=json.dumps(HEALTHY))
    document = json.loads(result.stdout)
    assert {"drivers", "loaders", "platforms", "devices", "gpus"} <= set(document)
    assert document["schema"] == "clprobe.info/1"
    assert [device["name"] for device in document["devices"]] == ["cpu"]


def test_info_as_text_shows_the_device_and_its_driver() -> None:
    result = _clprobe("info", "--from", "-", given=json.dumps(HEALTHY))
    assert "pocl.icd" in result.stdout
    assert "cpu" in result.stdout


def test_json_loads_no_rich_and_doctor_loads_no_pyopencl() -> None:
    code = (
        "import sys, clprobe.cli.main as m\n"
        "try: m.main(['doctor', '--from', '-', '--json'])\n"
        "except SystemExit: pass\n"
        "print([n for n in ('rich', 'pyopencl', 'numpy') if n in sys.modules], file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(HEALTHY),
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    assert result.stderr.strip() == "[]"


def test_the_live_run_prints_one_document_and_its_drivers() -> None:
    result = _clprobe("doctor", "--json", "--exit-zero")
    assert result.returncode == 0, result.stderr
    assert set(json.loads(result.stdout)) >= KEYS


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no-loader", "libOpenCL.so.1"),
        ("8086:5916", "Gen9.5"),
        ("hd 4600", "beignet"),
        ("Gen9", "Skylake"),
        ("compute-runtime", "intel-opencl-icd"),
        ("debian-12", "22.43"),
    ],
)
def test_explain_knows_rules_gpus_generations_drivers_and_distributions(
    name: str, said: str
) -> None:
    result = _clprobe("explain", name)
    assert (result.returncode, said in result.stdout) == (0, True)
    assert "https://" in result.stdout


def test_explain_names_what_an_unknown_name_may_have_meant() -> None:
    result = _clprobe("explain", "no-loada")
    assert (result.returncode, "no-loader" in result.stderr) == (2, True)
    # One wrong letter leaves no doubt.
    result = _clprobe("explain", "no-lader")
    assert (result.returncode, "this is no-loader" in result.stdout) == (0, True)


def test_rules_can_be_listed_validated_and_their_pages_checked() -> None:
    assert "no-loader" in _clprobe("rules", "list").stdout
    assert "rules valid" in _clprobe("rules", "validate").stdout
    assert _clprobe("rules", "docs", "--check").returncode == 0


def test_a_wrong_rule_is_named_with_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "a-rule.yaml"
    path.write_text("id: a-rule\ntitle: x\nseverity: bad\nlink: node\nwhen: {}\nbecause: x\n"
                    "sources: []\nsince: 0.1.0\n")  # fmt: skip
    result = _clprobe("rules", "validate", str(path))
    assert (result.returncode, "a-rule.yaml:3:" in result.stderr) == (2, True)


def test_json_is_utf8_whatever_the_terminal_speaks() -> None:
    icd = {"path": "/etc/OpenCL/vendors/größe.icd", "answer": {"outcome": "ok", "platforms": []}}
    result = subprocess.run(
        [sys.executable, "-m", "clprobe", "info", "--from", "-", "--json"],
        input=json.dumps({"icds": [icd]}).encode(),
        env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"},
        capture_output=True,
        check=True,
        timeout=30,
    )
    assert json.loads(result.stdout)["drivers"][0]["icd"].endswith("größe.icd")
