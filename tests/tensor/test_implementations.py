# SPDX-License-Identifier: MIT
"""Every operation once on each further OpenCL implementation of this machine.

Each runs in a child process, for its ICD is found through the environment, and may crash.
"""

from pathlib import Path

import pytest
from implementations import INTEL_CPU, OCLGRIND, ONLY_RUSTICL, POCL, RUSTICL, wheels_pocl
from on_implementation import only_or_skip, run_there
from passed_before import passed_before

PROGRAM = Path(__file__).with_name("every_operation.py")
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
    result = run_there(
        PROGRAM, platform_name, environment, "--kinds", *kinds, *options, limit_s=TIME_LIMIT_S
    )
    assert result.returncode == 0, result.stdout + result.stderr[-2000:]


def test_every_operation_works_on_rusticl() -> None:
    """With the kernels of GPUs, as always on llvmpipe: Limits.is_cpu says why."""
    if not RUSTICL.exists():
        pytest.skip(f"needs mesa-opencl-icd, which brings {RUSTICL}")
    check("rusticl", ONLY_RUSTICL, "--odd-shapes", kinds=("GPU",))


def test_every_operation_works_on_debians_pocl(tmp_path: Path) -> None:
    """With the kernels of CPUs; those of GPUs run on the wheel's PoCL and on rusticl."""
    only = only_or_skip(POCL, tmp_path)
    check("Portable Computing Language", only, "--odd-shapes", kinds=("CPU",))


def test_every_operation_works_on_the_pocl_of_pyopencls_wheel(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    library = wheels_pocl()
    if library is None:
        pytest.skip("this pyopencl brings no PoCL")
    if request.node.nodeid in passed_before():
        pytest.skip("passed in the bare system, with this very driver")
    check("Portable Computing Language", only_or_skip(library, tmp_path), "--odd-shapes")


def test_every_operation_works_on_intels_cpu_runtime(tmp_path: Path) -> None:
    check("Intel", only_or_skip(INTEL_CPU, tmp_path), "--odd-shapes", kinds=("CPU",))


def test_every_operation_keeps_to_the_rules_that_oclgrind_checks(tmp_path: Path) -> None:
    """No data race, no access beyond a buffer, no wrong call; slow, so small shapes must do."""
    log = tmp_path / "oclgrind.log"
    checks = {"OCLGRIND_DATA_RACES": "1", "OCLGRIND_CHECK_API": "1", "OCLGRIND_LOG": str(log)}

    check("Oclgrind", only_or_skip(OCLGRIND, tmp_path) | checks)

    assert complaints(log.read_text()) == []


def test_oclgrinds_complaints_are_told_from_pyopencls_curiosity() -> None:
    races = f"\n{RACE} at local memory address 0x1000000000000\n\tKernel: sum_rows\n\n"

    assert complaints(races + QUESTION + races) == [races.strip()] * 2


def complaints(log: str) -> list[str]:
    """Return Oclgrind's messages but those about questions that it does not know."""
    messages = [message.strip() for message in log.split("\n\n") if message.strip()]
    return [message for message in messages if "Function: clGetDeviceInfo" not in message]
