# SPDX-License-Identifier: MIT
"""`clprobe bench` as users and scripts call it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from clprobe.bench.protocol import Step, Target
from clprobe.cli.bench_progress import showing
from clprobe.report.schemas import published

NEO = Path("/usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so")
# Intel's driver then plays a Skylake GPU that runs no kernel.
EMULATED_GPU = {
    "NEOReadDebugKeys": "1",
    "SetCommandStreamReceiver": "1",
    "ProductFamilyOverride": "skl",
    "ForceDeviceId": "0x1912",
}


def arguments(*options: str) -> list[str]:
    return [sys.executable, "-m", "clprobe", "bench", "--quick", *options]


def environment(vendors: Path, library: str, **more: str) -> dict[str, str]:
    (vendors / "only.icd").write_text(f"{library}\n")
    return {**os.environ, "OCL_ICD_VENDORS": f"{vendors}/", **more}


def run(
    folder: Path, environment: dict[str, str], *options: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        arguments(*options),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def test_json_is_one_document_and_files_hold_the_same(pocl: Target, tmp_path: Path) -> None:
    hosts = environment(tmp_path, pocl.library)

    done = run(
        tmp_path, hosts, "--json", "--device", "pocl", "--workload", "launch", "--output", "r.json"
    )

    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    Draft202012Validator(published()["clprobe.bench/1"]).validate(document)
    assert document == json.loads((tmp_path / "r.json").read_text())
    # One for each PoCL that is installed: the system's, and the one in pyopencl's wheel.
    verdict, *others = document["verdicts"]
    assert {one["workload"] for one in (verdict, *others)} == {"launch"}
    assert verdict["decision"] in ("device", "cpu", "no-difference", "unclear")
    own, reference, *_ = document["results"]
    assert own["device"] == verdict["device"]
    assert reference["status"] == own["status"] == "ok"
    assert own["max_error"] <= own["tolerance"]


@pytest.mark.parametrize("suffix", [".md", ".html"])
def test_text_goes_to_stdout_and_pages_to_files(pocl: Target, tmp_path: Path, suffix: str) -> None:
    output = tmp_path / f"report{suffix}"

    done = run(
        tmp_path,
        environment(tmp_path, pocl.library),
        *("--device", "0", "--workload", "launch", "--baseline", "numpy", "--output", str(output)),
    )

    assert done.returncode == 0, done.stderr
    assert "Starting a kernel costs" in " ".join(done.stdout.split())
    assert "\x1b" not in done.stdout
    assert "launch" in output.read_text()


def test_an_emulated_gpu_that_computes_nothing_gives_wrong_results(tmp_path: Path) -> None:
    if not NEO.exists():
        pytest.skip("Intel's compute-runtime (intel-opencl-icd) is not installed")

    gpu = environment(tmp_path, str(NEO), **EMULATED_GPU)
    workloads = [f"--workload={name}" for name in ("copy", "matmul", "train-mlp")]

    done = run(tmp_path, gpu, "--device", "gpu", "--json", *workloads)

    assert done.returncode == 1, done.stderr
    document = json.loads(done.stdout)
    assert {result["status"] for result in document["results"]} == {"wrong-result"}
    assert {result["median"] for result in document["results"]} == {None}
    assert {verdict["decision"] for verdict in document["verdicts"]} == {"refused"}
    assert {training["matches_reference"] for training in document["training"]} == {False}
    assert list(tmp_path.glob("*.aub")) == []


def test_a_selector_that_fits_nothing_lists_what_there_is(pocl: Target, tmp_path: Path) -> None:
    done = run(tmp_path, environment(tmp_path, pocl.library), "--device", "nothing of the kind")

    assert done.returncode == 2
    assert "There are: 0 cpu: Portable Computing Language" in " ".join(done.stderr.split())


def test_no_device_at_all_is_still_a_document(tmp_path: Path) -> None:
    done = run(
        tmp_path, environment(tmp_path, "/nowhere/libnone.so"), "--json", "--workload", "copy"
    )

    document = json.loads(done.stdout)
    if document["results"]:
        pytest.skip("pyopencl's wheel brings a device of its own")
    assert done.returncode == 3
    assert document["verdicts"] == []


def test_an_unknown_suffix_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    done = run(tmp_path, dict(os.environ), "--output", "report.txt")

    assert done.returncode == 2
    assert ".json, .html, .md" in done.stderr


def test_an_interrupt_while_devices_are_looked_for_is_still_a_document(tmp_path: Path) -> None:
    process = subprocess.Popen(
        arguments("--json"),
        cwd=tmp_path,
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr.readline() == "bench: looking for devices\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)

    assert process.returncode == 3
    document = json.loads(out)
    assert (document["schema"], document["results"]) == ("clprobe.bench/1", [])
    assert "Traceback" not in err


def test_a_folder_that_is_absent_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    done = run(tmp_path, dict(os.environ), "--output", "absent/report.json")

    assert done.returncode == 2
    assert "the folder of absent/report.json does not exist" in " ".join(done.stderr.split())


def test_an_interrupt_keeps_what_was_measured(pocl: Target, tmp_path: Path) -> None:
    command = arguments("--json", "--device", "0", "--baseline", "numpy")
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment(tmp_path, pocl.library),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for line in process.stderr:
        if line.rstrip().endswith("launch"):
            break
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)

    assert process.returncode == 3
    results = json.loads(out)["results"]
    assert results[0]["workload"] == "copy"
    assert results[0]["status"] == "ok"


def test_lines_on_stderr_say_what_runs_and_how_far_it_is(capsys) -> None:
    with showing(time.monotonic() - 7, 45) as show:
        show(Step("0: \x1b[31mGPU", "train-mlp", 3, 13))

    assert capsys.readouterr().err == "bench: 7 s, 3 of 13 done, 0: \\x1b[31mGPU: train-mlp\n"
