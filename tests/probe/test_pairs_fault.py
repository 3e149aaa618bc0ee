# SPDX-License-Identifier: MIT
"""Two drivers that work alone and clash together are found, by what they do and by name."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from asking import environment
from faults import compile_driver, register_clash


@pytest.fixture
def clash(build: object, vendors: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Two `.icd` files beside PoCL's whose drivers clash."""
    del build  # it skips where there is no compiler
    return register_clash(vendors, tmp_path)


def test_pairs_names_the_two_that_clash(clash: tuple[Path, Path], vendors: Path) -> None:
    report = _doctor(vendors, "--pairs")
    assert report["root_cause"] == "icds-clash-together"
    findings = [one for one in report["findings"] if one["id"] == "icds-clash-together"]
    assert len(findings) == 1
    assert all(str(icd) in findings[0]["title"] for icd in clash)
    assert "registered more than once" in findings[0]["because"]


@pytest.mark.usefixtures("clash")
def test_a_clash_is_told_from_a_broken_driver_without_the_request(vendors: Path) -> None:
    report = _doctor(vendors)
    assert report["root_cause"] == "llvm-loaded-twice"
    present = [one for one in report["findings"] if one["verdict"] == "present"]
    assert "drivers-work-only-alone" in [one["id"] for one in present]
    assert "icd-crashes" not in [one["id"] for one in present]
    assert {one["outcome"] for one in report["drivers"] if str(vendors) in one["icd"]} == {"ok"}
    fixes = [fix["argv"] for one in present for fix in one["remedies"]]
    assert ["clprobe", "doctor", "--pairs"] in fixes


def test_drivers_at_peace_leave_no_finding(vendors: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        library = compile_driver(tmp_path, f"healthy_{name}")
        (vendors / f"{name}.icd").write_text(f"{library}\n")
    report = _doctor(vendors, "--pairs")
    assert "icds-clash-together" not in [one["id"] for one in report["findings"]]


def _doctor(vendors: Path, *options: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "clprobe", "doctor", "--json", *options],
        env=environment(OCL_ICD_VENDORS=str(vendors)),
        capture_output=True,
        check=False,
        timeout=60,
    )
    report: dict[str, Any] = json.loads(done.stdout)
    return report
