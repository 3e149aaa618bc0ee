# SPDX-License-Identifier: MIT
"""`clprobe doctor -- PROGRAM` names what keeps a program from a device, without a table's help."""

import ctypes.util
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from clprobe.model.unknown import Unknown
from clprobe.watch.counting import library

LIMIT_S = 120
LISTS = """
import ctypes, sys
opencl = ctypes.CDLL("libOpenCL.so.1")
platforms, count = (ctypes.c_void_p * 8)(), ctypes.c_uint()
opencl.clGetPlatformIDs(8, platforms, ctypes.byref(count))
text, device = ctypes.create_string_buffer(256), ctypes.c_void_p()
for platform in platforms[: count.value]:
    platform = ctypes.c_void_p(platform)
    every = ctypes.c_ulong(0xFFFFFFFF)
    if opencl.clGetDeviceIDs(platform, every, 1, ctypes.byref(device), None) == 0:
        opencl.clGetDeviceInfo(device, 0x1030, 0, None, None)
print(sys.argv[1])
"""


@pytest.fixture(autouse=True)
def inside() -> None:
    """Skip where programs cannot be looked into from inside."""
    found = library()
    if isinstance(found, Unknown):
        pytest.skip(found.unknown)


def answer(*argv: str, **more: str) -> dict[str, Any]:
    """Return what doctor says of a program."""
    command = [sys.executable, "-m", "clprobe", "doctor", "--json", "--no-kernel", "--", *argv]
    environment = {**os.environ, **more}
    done = subprocess.run(
        command, capture_output=True, timeout=LIMIT_S, check=False, env=environment
    )
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def first(document: dict[str, Any]) -> dict[str, Any]:
    """Return the finding that is named first."""
    found: dict[str, Any] = document["findings"][0]
    return found


def script(folder: Path, text: str) -> str:
    """Return the path of a script of the shell."""
    made = folder / "start.sh"
    made.write_text(f"#!/bin/sh\n{text}\n")
    made.chmod(0o755)
    return str(made)


def test_a_module_that_an_interpreter_lacks_is_named() -> None:
    found = first(answer(sys.executable, "-S", "-I", "-c", "import pyopencl"))
    assert found["id"] == "program-lacks-module"
    assert "pyopencl" in found["title"]


def test_a_command_that_a_script_does_not_find_is_named(tmp_path: Path) -> None:
    found = first(answer(script(tmp_path, "exec lczero-of-nobody --backend=opencl")))
    assert found["id"] == "program-command-missing"
    assert "lczero-of-nobody" in found["title"]


def test_an_option_that_no_table_knows_is_named_without_private_values() -> None:
    argv = (sys.executable, "-c", "pass", "--no-opencl", "--device=of-mine", "--password=hush")
    found = first(answer(*argv))
    assert found["id"] == "program-option-speaks-of-devices"
    assert found["title"].endswith("was given --no-opencl, --device")


def test_what_ends_before_it_asks_for_opencl_is_no_fault_of_drivers() -> None:
    document = answer(sys.executable, "-c", "raise SystemExit(3)")
    assert first(document)["id"] == "program-ends-before-opencl"
    assert first(document)["severity"] == "note"


def test_what_dies_before_it_asks_for_opencl_is_said_to() -> None:
    found = first(answer(sys.executable, "-c", "import os; os.kill(os.getpid(), 4)"))
    assert found["id"] == "program-dies-before-opencl"
    assert "SIGILL" in found["title"]


def test_a_variable_that_a_script_clears_is_named(tmp_path: Path) -> None:
    code = "import ctypes; ctypes.CDLL('libOpenCL.so.1'); print('no OpenCL device found')"
    if subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode:
        pytest.skip("needs an OpenCL loader")
    start = script(tmp_path, f'unset POCL_DEVICES\nexec {sys.executable} -c "{code}"')
    found = first(answer(start, POCL_DEVICES="pthread"))
    assert found["id"] == "program-loses-variable"
    assert "POCL_DEVICES" in found["title"]


def needs_device() -> None:
    """Skip the test where the system's loader leads programs to no device."""
    if importlib.util.find_spec("pyopencl") is None or shutil.which("clinfo") is None:
        pytest.skip("needs a device")
    listed = subprocess.run(["clinfo", "-l"], capture_output=True, timeout=60, check=False)
    if b"Device #0" not in listed.stdout:
        pytest.skip("needs a device")


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("no suitable OpenCL device", ("program-refuses-devices", "error")),
        ("all of them", ("program-uses-no-device", "note")),
    ],
)
def test_devices_that_were_shown_and_not_used(printed: str, expected: tuple[str, str]) -> None:
    needs_device()
    found = first(answer(sys.executable, "-c", LISTS, printed))
    assert (found["id"], found["severity"]) == expected
    assert "extensions" in found["because"]


def test_an_error_of_work_on_a_device_hides_no_device() -> None:
    needs_device()
    failed = "pyopencl._cl.LogicError: create_buffer failed: INVALID_BUFFER_SIZE"
    document = answer(sys.executable, "-c", f"{LISTS}\nraise SystemExit(1)", failed)
    found = {one["id"] for one in document["findings"]}
    assert "program-sees-no-device" not in found
    assert "program-reports-failure" in found


def test_a_variable_of_its_start_script_is_taken_out_there(tmp_path: Path) -> None:
    needs_device()
    lists = tmp_path / "lists.py"
    lists.write_text(LISTS)
    variable = f"export OCL_ICD_VENDORS={tmp_path}/nowhere"
    start = f"{variable}\nexec {sys.executable} {lists} 'no OpenCL device found'"
    found = first(answer(script(tmp_path, start)))
    assert found["id"] == "icd-variable-names-no-library"
    assert "OCL_ICD_VENDORS out of what starts" in str(found["remedies"][0])


def test_a_loader_by_a_path_that_is_not_there_is_named() -> None:
    path = "/nowhere/lib/libOpenCL.so.1"
    found = first(answer(sys.executable, "-S", "-c", f"import ctypes; ctypes.CDLL('{path}')"))
    assert found["id"] == "program-opens-absent-loader"
    assert path in found["title"]


@pytest.mark.parametrize("kept_bytes", [0, 4096])
def test_a_damaged_loader_that_comes_first_is_named(tmp_path: Path, kept_bytes: int) -> None:
    whole = ctypes.util.find_library("OpenCL")
    path = next(Path("/usr/lib").glob(f"*/{whole}"), None)
    if path is None:
        pytest.skip("needs an OpenCL loader")
    (tmp_path / path.name).write_bytes(path.read_bytes()[:kept_bytes])
    code = f"import ctypes; ctypes.CDLL('{path.name}')"
    document = answer(sys.executable, "-S", "-c", code, LD_LIBRARY_PATH=str(tmp_path))
    assert document["root_cause"] == "loader-damaged"
    assert "program-cannot-load-opencl" in {one["id"] for one in document["findings"]}
    assert str(tmp_path) in first(document)["title"]


def test_a_static_program_that_crashes_with_a_loader_is_named(tmp_path: Path) -> None:
    source = tmp_path / "static.c"
    source.write_text(
        '#include <stdio.h>\nint main(void) { puts("libOpenCL.so.1"); return *(volatile int *)0; }'
    )
    made = tmp_path / "static"
    done = subprocess.run(["cc", "-static", "-o", made, source], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("no static C library")
    assert first(answer(str(made)))["id"] == "program-is-static"


def test_a_library_of_its_own_that_is_not_there_is_named(tmp_path: Path) -> None:
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    source = tmp_path / "own.c"
    source.write_text("int own(void) { return 0; }\n")
    library_of_its_own = tmp_path / "libclprobe-test-own.so.3"
    subprocess.run(
        ["cc", "-shared", "-fPIC", source, "-o", library_of_its_own],
        check=True,
        timeout=60,
    )
    main = tmp_path / "main.c"
    main.write_text("int own(void);\nint main(void) { return own(); }\n")
    program = tmp_path / "hydro"
    subprocess.run(["cc", main, library_of_its_own, "-o", program], check=True, timeout=60)
    library_of_its_own.unlink()
    found = first(answer(str(program)))
    assert found["id"] == "program-lacks-library"
    assert "libclprobe-test-own.so.3" in found["title"]


def test_a_file_that_is_taken_for_a_module_is_named(tmp_path: Path) -> None:
    (tmp_path / "pyopencl.py").write_text("notes = 1\n")
    job = tmp_path / "job.py"
    job.write_text("import pyopencl\npyopencl.get_platforms()\n")
    found = first(answer(sys.executable, str(job)))
    assert found["id"] == "program-module-shadowed"
    assert "pyopencl.py" in found["title"]


BUILDS = """
import sys, pyopencl as cl
from clprobe.tensor.pocl_target import name_target_cpu
device = [d for p in cl.get_platforms() for d in p.get_devices() if d.type & cl.device_type.CPU][0]
name_target_cpu(device)
cl.Program(cl.Context([device]), '#include "clprobe-test.h"\\nkernel void k() { }').build()
"""


def test_kernels_that_do_not_build_are_told_with_the_compilers_words() -> None:
    if importlib.util.find_spec("pyopencl") is None:
        pytest.skip("needs pyopencl")
    found = first(answer(sys.executable, "-c", BUILDS))
    assert found["id"] == "program-kernels-do-not-build"
    assert "clprobe-test.h" in found["title"]


def test_a_limit_on_processor_time_is_named(tmp_path: Path) -> None:
    job = script(tmp_path, f"ulimit -t 1; exec {sys.executable} -c 'while True: pass'")
    found = [one["id"] for one in answer(job)["findings"]]
    assert found[0] == "program-out-of-processor-time"


def test_a_number_that_no_device_has_is_named() -> None:
    needs_device()
    code = LISTS + "\nsys.exit(1)\n"
    found = first(answer(sys.executable, "-c", code, "--device", "7"))
    assert found["id"] == "program-chooses-absent-device"
    assert "--device 7" in found["title"]


def test_a_word_of_a_variable_that_chooses_nothing_is_named() -> None:
    code = LISTS + "\nsys.exit(1)\n"
    document = answer(sys.executable, "-c", code, "x", POCL_DEVICES="nonsense")
    if not any(one["id"] == "cpu-icd-shows-no-device" for one in document["findings"]):
        pytest.skip("needs PoCL alone")
    assert first(document)["id"] == "program-narrowed-by-variable"
    assert "POCL_DEVICES=nonsense" in first(document)["title"]


def test_a_signal_that_ends_what_started_a_program_is_not_the_programs(tmp_path: Path) -> None:
    needs_device()
    job = f"{sys.executable} {tmp_path / 'job.py'} x"
    (tmp_path / "job.py").write_text(LISTS)
    dies = [one["id"] for one in answer(script(tmp_path, f"{job}\nkill -SEGV $$"))["findings"]]
    assert "program-dies-outside-opencl" not in dies
    (tmp_path / "job.py").write_text(f"{LISTS}\nimport os\nos.abort()\n")
    found = first(answer(script(tmp_path, f"{job}\nexit $?")))
    assert found["id"] == "program-dies-outside-opencl"
    assert "SIGABRT after it was shown devices" in found["title"]


def test_a_library_that_a_driver_needs_is_damaged(tmp_path: Path) -> None:
    needs_device()
    (tmp_path / "libhwloc.so.15").touch()
    code = LISTS + "\nsys.exit(1)\n"
    document = answer(sys.executable, "-c", code, "x", LD_LIBRARY_PATH=str(tmp_path))
    if not any(one["id"] == "icd-dependency-damaged" for one in document["findings"]):
        pytest.skip("needs a PoCL that takes hwloc from the system")
    assert "icd-library-damaged" not in {one["id"] for one in document["findings"]}


def test_a_cache_that_cannot_be_made_is_named_and_one_that_does_not_count_is_not() -> None:
    needs_device()
    code = LISTS + "\nsys.exit(1)\n"
    closed = answer(sys.executable, "-c", code, "x", POCL_CACHE_DIR="/dev/null/cache")
    if not any(one["id"] == "cpu-icd-shows-no-device" for one in closed["findings"]):
        pytest.skip("needs PoCL alone")
    assert first(closed)["id"] == "program-cannot-write-cache"
    assert "POCL_CACHE_DIR ENOTDIR" in first(closed)["title"]
    other = answer(
        sys.executable,
        *("-c", code, "x"),
        HOME="/dev/null",
        XDG_CACHE_HOME=tempfile.gettempdir(),
        OCL_ICD_VENDORS="/nowhere/vendors",
    )
    assert first(other)["id"] == "icd-variable-names-no-library"


def test_a_sandbox_that_hides_a_drivers_parts_is_named() -> None:
    parts = next(Path("/usr/lib").glob("*-linux-gnu/pocl"), None)
    if parts is None or shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap, and PoCL with its drivers in a folder")
    sandbox = ["bwrap", "--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--tmpfs", str(parts)]
    if subprocess.run([*sandbox, "true"], check=False, timeout=60).returncode:
        pytest.skip("sandboxes are refused here")
    code = LISTS + "\nsys.exit(1)\n"
    found = first(answer(*sandbox, sys.executable, "-c", code, "x"))
    assert found["id"] == "program-sandbox-hides-files"
    assert str(parts) in found["title"]
