# SPDX-License-Identifier: MIT
"""`clprobe doctor -- PROGRAM`, --pid and --service on real programs with real drivers."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from clprobe.model.unknown import Unknown
from clprobe.watch.counting import library

LIMIT_S = 120
KERNELS = """
import sys, numpy, pyopencl as cl
from clprobe.tensor.pocl_target import name_target_cpu
device = [d for p in cl.get_platforms() for d in p.get_devices() if d.type & cl.device_type.CPU][0]
name_target_cpu(device)
context = cl.Context([device])
queue = cl.CommandQueue(context)
code = "kernel void twice(global float *x) { x[get_global_id(0)] *= 2; }"
kernel = cl.Program(context, code).build().twice
data = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096)
for _ in range(int(sys.argv[1])):
    kernel(queue, (1024,), None, data)
queue.finish()
"""


def doctor(*words: str, **more: Any) -> "subprocess.CompletedProcess[bytes]":
    """Run the command."""
    argv = [sys.executable, "-m", "clprobe", "doctor", *words]
    return subprocess.run(argv, capture_output=True, timeout=LIMIT_S, check=False, **more)


def document(*words: str, **more: Any) -> dict[str, Any]:
    """Run the command and return its document."""
    done = doctor("--json", "--no-kernel", *words, **more)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.fixture
def inside() -> None:
    """Skip where programs cannot be looked into from inside."""
    found = library()
    if isinstance(found, Unknown):
        pytest.skip(found.unknown)


@pytest.mark.usefixtures("inside")
def test_kernels_are_counted_by_device() -> None:
    if importlib.util.find_spec("pyopencl") is None:
        pytest.skip("needs pyopencl")
    answer = document("--", sys.executable, "-c", KERNELS, "37")
    program = answer["program"]
    assert program["exit_status"] == 0, program
    assert [one["kernels"] for one in program["kernels"]] == [37]
    assert program["kernels"][0]["type"] == "cpu"
    assert "ran 37 kernels on" in program["says"]
    assert not [one for one in answer["findings"] if one["severity"] != "note"]


@pytest.mark.usefixtures("inside")
def test_a_program_that_never_asks_is_told_as_a_note() -> None:
    answer = document("--", "ls", "/")
    assert answer["program"]["says"] == "ls never asked for OpenCL."
    assert [(one["id"], one["severity"]) for one in answer["findings"]] == [
        ("program-never-loads-opencl", "note")
    ]


@pytest.mark.usefixtures("inside")
def test_a_library_that_is_not_there_is_named() -> None:
    code = "import ctypes; ctypes.CDLL('libOpenCL.so.99')"
    answer = document("--", sys.executable, "-S", "-c", code)
    assert answer["findings"][0]["id"] == "program-cannot-load-opencl"
    assert answer["program"]["refused"] == ["libOpenCL.so.99"]


@pytest.mark.usefixtures("inside")
def test_variables_that_a_wrapper_sets_count() -> None:
    code = (
        "import ctypes; found = ctypes.c_uint(); "
        "ctypes.CDLL('libOpenCL.so.1').clGetPlatformIDs(0, None, ctypes.byref(found))"
    )
    if subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode:
        pytest.skip("needs an OpenCL loader")
    answer = document(
        "--", "sh", "-c", f'OCL_ICD_VENDORS=/nowhere/vendors exec {sys.executable} -c "{code}"'
    )
    assert answer["program"]["variables"]["OCL_ICD_VENDORS"] == "/nowhere/vendors"
    assert answer["root_cause"] in {"icd-variable-names-no-library", "icd-folder-overridden"}


def test_output_and_findings_do_not_mix_in_a_document() -> None:
    done = doctor("--json", "--no-kernel", "--", "sh", "-c", "echo out; echo err >&2; exit 9")
    answer = json.loads(done.stdout)
    assert answer["program"]["exit_status"] == 9
    assert b"out\n" in done.stderr
    assert b"err\n" in done.stderr


def test_the_text_follows_what_the_program_printed() -> None:
    done = doctor("--no-kernel", "--", "sh", "-c", "printf first")
    assert done.stdout.startswith(b"first")


def test_a_process_that_runs_is_looked_at() -> None:
    process = subprocess.Popen(["sleep", "60"])
    try:
        program = document("--pid", str(process.pid))["program"]
    finally:
        process.kill()
        process.wait()
    assert (program["name"], program["looked_at"]) == ("sleep", "process")
    assert program["unseen"]


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    document("--", "sh", "-c", "sleep 0.05; true", env=environment)
    assert list(tmp_path.iterdir()) == []


def test_arguments_and_other_variables_stay_private() -> None:
    environment = {**os.environ, "MY_TOKEN": "hidden-by-us"}
    argv = ("--", "sh", "-c", "true", "--password=secret-of-mine")
    done = doctor("--json", "--no-kernel", *argv, env=environment)
    for private in (b"secret-of-mine", b"hidden-by-us"):
        assert private not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--",), "no program"),
        (("--", "no-such-program-here"), "no such command"),
        (("--pid", "4194305"), "no process"),
        (("--service", "no-such-unit-here"), "No unit file"),
        (("--pid", "1", "--", "ls"), "different things"),
        (("--as", "root", "--", "ls"), "here and now"),
        (("--from", "/dev/null", "--", "ls"), "here and now"),
        (("--fix", "--", "ls"), "--fix has nothing to do with a program"),
        (("--undo", "--pid", "1"), "--undo has nothing to do with a program"),
        (("--list", "--service", "cron"), "--list has nothing to do with a program"),
        (("--check", "-q", "--", "ls"), "--check does not go with"),
        (("--log", "0", "--format", "sarif", "--", "ls"), "--log goes with"),
    ],
)
def test_wrong_use_is_a_usage_error(words: tuple[str, ...], said: str) -> None:
    done = doctor(*words)
    assert done.returncode == 2
    assert said in done.stderr.decode()


@pytest.mark.usefixtures("inside")
def test_a_sandbox_without_drivers_is_named() -> None:
    if shutil.which("bwrap") is None or not list(Path("/etc/OpenCL/vendors").glob("*.icd")):
        pytest.skip("needs bubblewrap and a registered driver")
    code = "import ctypes, time; ctypes.CDLL('libOpenCL.so.1'); time.sleep(0.2)"
    hidden = ("--ro-bind", "/", "/", "--tmpfs", "/etc/OpenCL", "--dev", "/dev")
    answer = document("--", "bwrap", *hidden, "/usr/bin/python3", "-c", code)
    if answer["program"]["exit_status"]:
        pytest.skip("bubblewrap does not work here")
    assert answer["findings"][0]["id"] == "program-sandbox-hides-drivers"


@pytest.mark.usefixtures("inside")
def test_a_static_program_is_said_to_be_one(tmp_path: Path) -> None:
    source = tmp_path / "static.c"
    source.write_text("int main(void) { return 3; }")
    made = tmp_path / "static"
    done = subprocess.run(["cc", "-static", "-o", made, source], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("no static C library")
    program = document("--", str(made))["program"]
    assert program["exit_status"] == 3
    assert any("static" in one for one in program["unseen"])


def test_a_long_run_is_looked_at_all_along() -> None:
    started = time.monotonic()
    program = document("--", "sleep", "0.6")["program"]
    assert program["elapsed_ms"] >= 600
    assert time.monotonic() - started < LIMIT_S
    assert tempfile.gettempdir() not in json.dumps(program)


ENDS = ("sh", "-c", "exit 9")


@pytest.mark.usefixtures("inside")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-q",), "note: program-ends-before-opencl: dash ended with exit status 9"),
        (("-v",), "ended with exit status 9"),
        (("--format", "markdown"), "ended with exit status 9"),
        (("--format", "html"), "ended with exit status 9"),
        (("--format", "sarif"), "program-ends-before-opencl"),
        (("--format", "junit"), "program-ends-before-opencl"),
        (("--why", "program-ends-before-opencl"), "program.ends_early is true"),
        (("--why", "program-ends-before-opencl", "--json"), "clprobe.why/1"),
        (("--ignore", "program-ends-before-opencl"), "ended with exit status 9"),
    ],
)
def test_what_goes_with_a_program(words: tuple[str, ...], said: str) -> None:
    done = doctor(*words, "--no-kernel", "--", *ENDS)
    shell = Path(shutil.which("sh") or "sh").resolve().name
    assert done.returncode == 0, done.stderr
    assert said.replace("dash", shell) in done.stdout.decode()


@pytest.mark.usefixtures("inside")
def test_a_baseline_tells_what_changed_for_the_program(tmp_path: Path) -> None:
    before = tmp_path / "before.json"
    argv = [sys.executable, "-m", "clprobe", "snapshot", "--no-kernel", "--output", str(before)]
    subprocess.run(argv, check=True, capture_output=True, timeout=LIMIT_S)
    answer = document("--baseline", str(before), "--", *ENDS)
    assert answer["program"]["exit_status"] == 9
    assert "changes" in answer


def test_the_exit_status_alone_goes_with_a_process() -> None:
    process = subprocess.Popen(["sleep", "60"])
    try:
        done = doctor("--check", "--no-kernel", "--pid", str(process.pid))
        told = doctor("-q", "--no-kernel", "--pid", str(process.pid))
        whole = doctor("--no-kernel", "--pid", str(process.pid))
    finally:
        process.kill()
        process.wait()
    assert done.stdout == b""
    *findings, verdict = told.stdout.splitlines()
    assert all(b": " in one for one in findings)  # a line each, and none else
    assert any(said in verdict for said in (b" known", b" listed", b" find no OpenCL ICD loader"))
    # What the whole answer begins with, behind its mark.
    assert b" ".join(whole.stdout.split()).partition(b" ")[2].startswith(verdict)
