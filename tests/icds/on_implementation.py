# SPDX-License-Identifier: MIT
"""Runs a program in a child process that sees one OpenCL implementation; tests skip without it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from implementations import only

_ICDS = Path(__file__).resolve().parent
_ROOT = _ICDS.parents[1]
_NO_DEVICE = 2


def only_or_skip(library: Path, folder: Path) -> dict[str, str]:
    """Return an environment in which the loader sees one ICD, or skip the test without it."""
    if not library.exists():
        pytest.skip(f"{library} is not installed")
    return only(library, folder)


def run_there(
    program: Path, platform: str, environment: dict[str, str], *options: str, limit_s: int
) -> subprocess.CompletedProcess[str]:
    """Return how the program ended on a platform, or skip the test where that has no device."""
    result = subprocess.run(
        [sys.executable, program, platform, *options],
        env=os.environ | {"PYTHONPATH": f"{_ROOT}:{_ICDS}"} | environment,
        capture_output=True,
        text=True,
        timeout=limit_s,
        check=False,
    )
    if result.returncode == _NO_DEVICE:
        pytest.skip(f"{platform} has no device here")
    return result
