# SPDX-License-Identifier: MIT
"""Ctrl-C after any stage leaves a valid report of what was done until then."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from clprobe.bench.protocol import Target
from clprobe.report.schemas import published

WORKLOADS = ("launch", "matmul")
STAGES = ("looking for devices", "opening the device", "launch", "matmul-256", "matmul-512")
PAUSES = (0.0, 0.3)


def start(pocl: Target, folder: Path) -> "subprocess.Popen[str]":
    (folder / "only.icd").write_text(f"{pocl.library}\n")
    asked = [f"--workload={name}" for name in WORKLOADS]
    options = ["--quick", "--json", "--device=0", "--baseline=numpy", "--output=kept.json"]
    return subprocess.Popen(
        [sys.executable, "-m", "clprobe", "bench", *options, *asked],
        cwd=folder,
        env={**os.environ, "OCL_ICD_VENDORS": f"{folder}/"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("pause", PAUSES)
@pytest.mark.parametrize("stage", STAGES)
def test_an_interrupt_after_a_stage_leaves_a_valid_document(
    pocl: Target, tmp_path: Path, stage: str, pause: float
) -> None:
    process = start(pocl, tmp_path)
    seen = []
    for line in process.stderr:
        seen.append(line)
        if line.rstrip().endswith(stage):
            break
    time.sleep(pause)

    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)

    document = json.loads(out)
    Draft202012Validator(published()["clprobe.bench/1"]).validate(document)
    assert document == json.loads((tmp_path / "kept.json").read_text())
    assert "Traceback" not in err
    measured = {result["workload"] for result in document["results"]}
    begun = [one for one in STAGES[2:] if any(line.rstrip().endswith(one) for line in seen)]
    # The stage that was interrupted may have ended in the meantime.
    assert measured >= set(begun[:-1])
    if process.returncode == 3:
        assert document["interrupted"] is True
    else:
        assert (process.returncode, measured) == (0, set(STAGES[2:]))


def test_a_second_interrupt_while_the_report_is_written_costs_nothing(
    pocl: Target, tmp_path: Path
) -> None:
    process = start(pocl, tmp_path)
    for line in process.stderr:
        if line.rstrip().endswith("matmul-256"):
            break
    process.send_signal(signal.SIGINT)
    for line in process.stderr:
        if "interrupted" in line:
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)

    assert process.returncode == 3
    assert json.loads(out)["results"][0]["workload"] == "launch"
    assert "Traceback" not in err
