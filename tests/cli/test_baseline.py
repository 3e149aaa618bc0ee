# SPDX-License-Identifier: MIT
"""`doctor --baseline` as people call it: what changed, and what that broke."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from clprobe.report.schemas import published


def _facts(neo: str, *, works: bool) -> dict[str, Any]:
    devices = [{"name": "Intel(R) UHD Graphics 620", "type": "gpu", "driver_version": neo}]
    return {
        "gpus": [{"pci_address": "0000:00:02.0", "pci_id": "8086:3ea0", "kernel_driver": "i915"}],
        "packages": [{"name": "intel-opencl-icd", "version": neo},
                     {"name": "libdrm2", "version": f"2.4.{len(neo)}{works:d}"}],
        "views": [{"viewer": "clinfo", "answer": {"platforms": [
            {"name": "Intel(R) OpenCL HD Graphics", "devices": devices if works else []}]}}],
    }  # fmt: skip


def _files(folder: Path) -> tuple[str, str]:
    old, new = folder / "old.json", folder / "new.json"
    old.write_text(json.dumps(_facts("24.31.30508.7", works=True)), "utf-8")
    new.write_text(json.dumps(_facts("24.39.31294.12", works=False)), "utf-8")
    return str(old), str(new)


def _doctor(*argv: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "clprobe", "doctor", *argv],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
        cwd=cwd,
    )


def test_the_text_says_what_an_upgrade_broke(tmp_path: Path) -> None:
    _files(tmp_path)
    # By names that are too short to be broken at the end of a line.
    result = _doctor("--from", "new.json", "--baseline", "old.json", cwd=tmp_path)
    assert result.returncode == 1
    section = " ".join(result.stdout.partition("Since old.json")[2].split())
    assert section.startswith("Most likely broken by: package intel-opencl-icd: 24.31.30508.7")
    assert "libdrm2" in section


def test_the_json_keys_are_those_of_the_schema(tmp_path: Path) -> None:
    old, new = _files(tmp_path)
    printed = json.loads(_doctor("--from", new, "--baseline", old, "--json").stdout)
    Draft202012Validator(published()["clprobe.doctor/1"]).validate(printed)
    assert printed["caused_by_change"] == {
        "what": "package intel-opencl-icd",
        "fact": "packages[intel-opencl-icd].version",
        "before": "24.31.30508.7",
        "after": "24.39.31294.12",
    }
    assert "driver-dropped-gpu" in printed["new_findings"]
    assert printed["mended"] == []


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_other_formats_name_the_change_too(tmp_path: Path, form: str) -> None:
    old, new = _files(tmp_path)
    printed = _doctor("--from", new, "--baseline", old, "--format", form).stdout
    assert "Most likely broken by" in printed


def test_a_snapshot_compared_with_itself_did_not_change(tmp_path: Path) -> None:
    old, _ = _files(tmp_path)
    result = _doctor("--from", old, "--baseline", old)
    assert "Nothing changed." in result.stdout
    printed = json.loads(_doctor("--from", old, "--baseline", old, "--json").stdout)
    assert printed["changes"] == printed["new_findings"] == printed["mended"] == []


def test_a_baseline_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    old, _ = _files(tmp_path)
    result = _doctor("--from", old, "--baseline", str(tmp_path / "none.json"))
    assert result.returncode == 2
    assert "none.json" in result.stderr
