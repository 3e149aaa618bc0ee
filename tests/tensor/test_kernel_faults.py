# SPDX-License-Identifier: MIT
"""Faults seeded into copies of the kernels: the oracles, or Oclgrind, must catch every one.

That neither complains of sound kernels is what test_implementations.py checks.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pyopencl as cl
import pytest
import yaml

from clprobe.resources import kernels_path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("every_operation.py")
POCL = Path("/usr/lib/x86_64-linux-gnu/libpocl.so.2")
OCLGRIND = Path("/usr/lib/oclgrind/liboclgrind-rt-icd.so")
TIME_LIMIT_S = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A wrong text for a right one; see kernel_faults.yaml."""

    fault: str
    file: str
    right: str
    wrong: str
    kind: str
    blamed: str
    by: str = "value"

    @property
    def operation(self) -> str:
        """Return how the names of the operations begin that may tell of it."""
        return self.blamed.partition(":")[0]

    def spoil(self, kernels: Path) -> None:
        """Put the fault into a copy of kernels/."""
        text = (kernels / self.file).read_text()
        right = r"\s+".join(re.escape(word) for word in self.right.split())
        spoiled, times = re.subn(right, lambda _: self.wrong, text)
        assert times, (
            f"{self.file} no longer holds {self.right!r}; "
            f"give {self.fault!r} a new place in kernel_faults.yaml"
        )
        (kernels / self.file).write_text(spoiled)


FAULTS = [
    Fault(**entry)
    for entry in yaml.safe_load(Path(__file__).with_name("kernel_faults.yaml").read_text())
]
OF_VALUES = [fault for fault in FAULTS if fault.by == "value"]
OF_RACES = [fault for fault in FAULTS if fault.by == "race"]


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    """Return a copy of kernels/ that a test may spoil."""
    return Path(shutil.copytree(kernels_path(), tmp_path / "kernels"))


def name_of(fault: Fault) -> str:
    return f"{fault.file}: {fault.fault}"


@pytest.mark.parametrize("fault", OF_VALUES, ids=name_of)
def test_a_fault_makes_wrong_values(fault: Fault, kernels: Path) -> None:
    fault.spoil(kernels)

    options = ("--odd-shapes", "--kinds", fault.kind, "--only", fault.operation, "--unoptimized")
    result = run(kernels, pocl(kernels.parent), *options)

    # What reads beyond its arrays meets an unmapped page on some machines. That is seen as well,
    # and nobody else is to blame: the child has run the one operation and no other.
    if not died(result):
        lines = complete(result)
        assert any(line.startswith(fault.blamed) for line in lines), lines


@pytest.mark.parametrize("fault", OF_RACES, ids=name_of)
def test_a_missing_barrier_is_a_race(fault: Fault, kernels: Path) -> None:
    fault.spoil(kernels)

    assert "data race" in races(kernels, fault.kind, fault.operation)


def test_there_are_twenty_different_faults() -> None:
    assert len({fault.fault for fault in FAULTS}) == len(FAULTS) >= 20


def run(
    kernels: Path, environment: dict[str, str], *options: str
) -> subprocess.CompletedProcess[str]:
    """Run every_operation.py in a child process: faulty kernels may crash it."""
    return subprocess.run(
        [sys.executable, PROGRAM, "", "--kernels", kernels, *options],
        env=os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT}/tests/icds"} | environment,
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT_S,
        check=False,
    )


def died(result: subprocess.CompletedProcess[str]) -> bool:
    """Return whether a bad access ended the child, or what its heap noticed of one."""
    return -result.returncode in {signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT}


def complete(result: subprocess.CompletedProcess[str]) -> list[str]:
    """Return what every_operation.py printed; raises AssertionError if it did not end."""
    lines = result.stdout.splitlines()
    # The last line counts the failures; a program that ended before has checked nothing.
    assert lines[-1:], (result.returncode, result.stderr)
    assert lines[-1].endswith(" failures")
    return lines


def pocl(folder: Path) -> dict[str, str]:
    """Return the environment in which PoCL is the only implementation."""
    installed = [POCL, *sorted(Path(cl.__file__).parent.glob(".libs/libpocl*.so"))]
    library = next((path for path in installed if path.exists()), None)
    if library is None:
        pytest.skip("needs a PoCL: pocl-opencl-icd, or the extra bench")
    return only(library, folder)


def races(kernels: Path, kind: str, operation: str) -> str:
    """Return what Oclgrind says of an operation."""
    if not OCLGRIND.exists():
        pytest.skip(f"needs oclgrind, which brings {OCLGRIND}")
    log = kernels.parent / "oclgrind.log"
    environment = {"OCLGRIND_DATA_RACES": "1", "OCLGRIND_LOG": str(log)}
    environment |= only(OCLGRIND, kernels.parent)
    complete(run(kernels, environment, "--kinds", kind, "--only", operation))
    return log.read_text() if log.exists() else ""


def only(library: Path, folder: Path) -> dict[str, str]:
    """Return the environment in which the loader sees one ICD."""
    (folder / "only.icd").write_text(f"{library}\n")
    return {"OCL_ICD_VENDORS": str(folder / "only.icd")}
