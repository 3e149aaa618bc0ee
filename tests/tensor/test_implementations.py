# SPDX-License-Identifier: MIT
"""Every operation once on each further OpenCL implementation of this machine.

Each runs in a child process, for its ICD is found through the environment, and may crash.
"""

import os
import subprocess
import sys
from pathlib import Path

import pyopencl as cl
import pytest
from passed_before import passed_before

PROGRAM = Path(__file__).with_name("every_operation.py")
ROOT = Path(__file__).resolve().parents[2]
OCLGRIND = Path("/usr/lib/oclgrind/liboclgrind-rt-icd.so")
INTEL_CPU = Path(sys.prefix, "lib", "libintelocl.so")
RUSTICL = Path("/etc/OpenCL/vendors/rusticl.icd")
POCL = Path("/usr/lib/x86_64-linux-gnu/libpocl.so.2")
TIME_LIMIT_S = 600
RACE = "Read-write data race"
# pyopencl asks every device for the properties of every vendor.
QUESTION = """
Oclgrind - OpenCL runtime error detected
\tFunction: clGetDeviceInfo
\tError:    CL_INVALID_VALUE
\tFor argument 'param_name'

"""


def check(
    platform_name: str,
    environment: dict[str, str],
    *options: str,
    kinds: tuple[str, ...] = ("CPU", "GPU"),
) -> None:
    result = subprocess.run(
        [sys.executable, PROGRAM, platform_name, "--kinds", *kinds, *options],
        env=os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT}/tests/icds"} | environment,
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT_S,
        check=False,
    )
    if result.returncode == 2:
        pytest.skip(f"{platform_name} has no device here")
    assert result.returncode == 0, result.stdout + result.stderr[-2000:]


def only(library: Path, folder: Path) -> dict[str, str]:
    """Return an environment in which the loader sees one ICD.

    A file names it, not a folder: with a folder, the PoCL of pyopencl's wheel is found as well.
    """
    if not library.exists():
        pytest.skip(f"{library} is not installed")
    icd = folder / "only.icd"
    icd.write_text(f"{library}\n")
    return {"OCL_ICD_VENDORS": str(icd)}


def test_every_operation_works_on_rusticl() -> None:
    """With the kernels of GPUs, as always on llvmpipe: Limits.is_cpu says why."""
    if not RUSTICL.exists():
        pytest.skip(f"needs mesa-opencl-icd, which brings {RUSTICL}")
    only_rusticl = {"OCL_ICD_VENDORS": str(RUSTICL), "RUSTICL_ENABLE": "llvmpipe"}
    check("rusticl", only_rusticl, "--odd-shapes", kinds=("GPU",))


def test_every_operation_works_on_debians_pocl(tmp_path: Path) -> None:
    check("Portable Computing Language", only(POCL, tmp_path), "--odd-shapes")


def test_every_operation_works_on_the_pocl_of_pyopencls_wheel(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    libraries = sorted(Path(cl.__file__).parent.glob(".libs/libpocl*.so"))
    if not libraries:
        pytest.skip("this pyopencl brings no PoCL")
    if request.node.nodeid in passed_before():
        pytest.skip("passed in the bare system, with this very driver")
    check("Portable Computing Language", only(libraries[0], tmp_path), "--odd-shapes")


def test_every_operation_works_on_intels_cpu_runtime(tmp_path: Path) -> None:
    check("Intel", only(INTEL_CPU, tmp_path), "--odd-shapes")


def test_every_operation_keeps_to_the_rules_that_oclgrind_checks(tmp_path: Path) -> None:
    """No data race, no access beyond a buffer, no wrong call; slow, so small shapes must do."""
    log = tmp_path / "oclgrind.log"
    checks = {"OCLGRIND_DATA_RACES": "1", "OCLGRIND_CHECK_API": "1", "OCLGRIND_LOG": str(log)}

    check("Oclgrind", only(OCLGRIND, tmp_path) | checks)

    assert complaints(log.read_text()) == []


def test_oclgrinds_complaints_are_told_from_pyopencls_curiosity() -> None:
    races = f"\n{RACE} at local memory address 0x1000000000000\n\tKernel: sum_rows\n\n"

    assert complaints(races + QUESTION + races) == [races.strip()] * 2


def complaints(log: str) -> list[str]:
    """Return Oclgrind's messages but those about questions that it does not know."""
    messages = [message.strip() for message in log.split("\n\n") if message.strip()]
    return [message for message in messages if "Function: clGetDeviceInfo" not in message]
