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

PROGRAM = Path(__file__).with_name("every_operation.py")
ROOT = Path(__file__).resolve().parents[2]
OCLGRIND = Path("/usr/lib/oclgrind/liboclgrind-rt-icd.so")
INTEL_CPU = Path(sys.prefix, "lib", "libintelocl.so")
RUSTICL = Path("/etc/OpenCL/vendors/rusticl.icd")
TIME_LIMIT_S = 120


def check(platform_name: str, environment: dict[str, str]) -> None:
    result = subprocess.run(
        [sys.executable, PROGRAM, platform_name],
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT_S,
        check=False,
    )
    if result.returncode == 2:
        pytest.skip(f"{platform_name} has no device here")
    assert result.returncode == 0, result.stdout + result.stderr[-2000:]


def only(library: Path, folder: Path) -> dict[str, str]:
    """Return an environment in which the loader sees one ICD."""
    if not library.exists():
        pytest.skip(f"{library} is not installed")
    (folder / "only.icd").write_text(f"{library}\n")
    return {"OCL_ICD_VENDORS": str(folder)}


def test_every_operation_works_on_rusticl() -> None:
    if not RUSTICL.exists():
        pytest.skip(f"{RUSTICL} is not installed")
    check("rusticl", {"RUSTICL_ENABLE": "llvmpipe"})


def test_every_operation_works_on_oclgrind(tmp_path: Path) -> None:
    check("Oclgrind", only(OCLGRIND, tmp_path))


def test_every_operation_works_on_the_pocl_of_pyopencls_wheel(tmp_path: Path) -> None:
    libraries = sorted(Path(cl.__file__).parent.glob(".libs/libpocl*.so"))
    if not libraries:
        pytest.skip("this pyopencl brings no PoCL")
    check("Portable Computing Language", only(libraries[0], tmp_path))


def test_every_operation_works_on_intels_cpu_runtime(tmp_path: Path) -> None:
    check("Intel", only(INTEL_CPU, tmp_path))
