# SPDX-License-Identifier: MIT
"""Every operation once on each further OpenCL implementation of this machine.

Each runs in a child process, for its ICD is found through the environment, and may crash.
"""

import os
import subprocess
import sys
from pathlib import Path

import implementations
import pytest
from implementations import INTEL_CPU, OCLGRIND, ONLY_RUSTICL, POCL, RUSTICL, wheels_pocl
from passed_before import passed_before

PROGRAM = Path(__file__).with_name("every_operation.py")
ROOT = Path(__file__).resolve().parents[2]
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
    """Return an environment in which the loader sees one ICD, or skip the test without it."""
    if not library.exists():
        pytest.skip(f"{library} is not installed")
    return implementations.only(library, folder)


def test_every_operation_works_on_rusticl() -> None:
    """With the kernels of GPUs, as always on llvmpipe: Limits.is_cpu says why."""
    if not RUSTICL.exists():
        pytest.skip(f"needs mesa-opencl-icd, which brings {RUSTICL}")
    check("rusticl", ONLY_RUSTICL, "--odd-shapes", kinds=("GPU",))


def test_every_operation_works_on_debians_pocl(tmp_path: Path) -> None:
    check("Portable Computing Language", only(POCL, tmp_path), "--odd-shapes")


def test_every_operation_works_on_the_pocl_of_pyopencls_wheel(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    library = wheels_pocl()
    if library is None:
        pytest.skip("this pyopencl brings no PoCL")
    if request.node.nodeid in passed_before():
        pytest.skip("passed in the bare system, with this very driver")
    check("Portable Computing Language", only(library, tmp_path), "--odd-shapes")


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
