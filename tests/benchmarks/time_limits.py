# SPDX-License-Identifier: MIT
"""How long bench, doctor and the rules take: `pytest tests/benchmarks/time_limits.py`.

For two quiet cores. The default run leaves this out, for a busy machine would fail it without a
fault of ours.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest
from faults import POCL, compile_driver

_HANG_S = 2
_RUNS = 9
_DEVICE = "Portable Computing Language"


@pytest.mark.parametrize(("effort", "limit_seconds"), [(["--quick"], 45), ([], 300)])
def test_bench_keeps_its_time(effort: list[str], limit_seconds: float) -> None:
    devices = len(bench("--quick", "--workload", "launch")["verdicts"])

    started = time.perf_counter()
    report = bench(*effort)

    assert (time.perf_counter() - started) / devices < limit_seconds
    assert report["host"]["other_load_percent"] < 10, "measure again on a quiet machine"
    assert {result["status"] for result in report["results"]} == {"ok"}


def bench(*options: str) -> dict:
    command = [sys.executable, "-m", "clprobe", "bench", "--json", "--device", _DEVICE, *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize(("fault", "limit_s"), [("healthy", 0.8), ("ctor_hang", _HANG_S + 0.5)])
def test_doctor_keeps_its_time_with_eight_icds(fault: str, limit_s: float, tmp_path: Path) -> None:
    vendors = eight_icds(tmp_path, fault)
    took_s = sorted(doctor_s(vendors) for _ in range(_RUNS))
    spread_s = took_s[-1] - took_s[0]
    figures = f"{fault}: median {statistics.median(took_s):.2f} s, spread {spread_s:.2f} s"
    print(figures)  # noqa: T201 - shown with -s, and where the limit was missed
    assert statistics.median(took_s) <= limit_s, took_s


def eight_icds(folder: Path, fault: str) -> Path:
    """PoCL, six healthy drivers and one with the fault, each a library of its own."""
    vendors = folder / "vendors"
    vendors.mkdir()
    shutil.copy(POCL, vendors / "pocl.icd")
    for name in ("one", "two", "three", "four", "five", "six"):
        library = shutil.copy(compile_driver(folder, "healthy"), folder / f"lib{name}.so")
        (vendors / f"{name}.icd").write_text(f"{library}\n")
    (vendors / "last.icd").write_text(f"{compile_driver(folder, fault)}\n")
    return vendors


def doctor_s(vendors: Path) -> float:
    """Return how long one whole run takes, from starting Python to its end."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "clprobe", "doctor", "--json", "--timeout", str(_HANG_S)],
        env={**os.environ, "OCL_ICD_VENDORS": str(vendors)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    took_s = time.perf_counter() - started
    read = [one for one in json.loads(done.stdout)["drivers"] if str(vendors) in one["icd"]]
    assert len(read) == 8
    return took_s


_LOAD_ALL = """
import time
from clprobe import parsed_files
from clprobe.diagnosis.knowledge import Knowledge
started = time.perf_counter()
tables = Knowledge.load().tables
tables.gpus(); tables.generations(); tables.families()
tables.implementations(); tables.distributions(); tables.stacks()
print(time.perf_counter() - started)
parsed_files.RULES.save()
"""


def test_loading_all_that_is_known_costs_little(tmp_path: Path) -> None:
    took_s = [_load_s(tmp_path) for _ in range(_RUNS + 1)]
    first_s, later_s = took_s[0], sorted(took_s[1:])
    spread_s = later_s[-1] - later_s[0]
    figures = f"median {statistics.median(later_s):.3f} s, spread {spread_s:.3f} s"
    print(f"rules and tables: {figures}; the first run {first_s:.3f} s")  # noqa: T201
    assert statistics.median(later_s) <= 0.06, took_s


def _load_s(cache: Path) -> float:
    """Return how long one process takes to load every rule and table."""
    done = subprocess.run(
        [sys.executable, "-c", _LOAD_ALL],
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
        capture_output=True,
        timeout=60,
        check=True,
    )
    return float(done.stdout)


def test_validating_all_that_is_known_takes_less_than_a_second() -> None:
    took_s = []
    for _ in range(_RUNS):
        started = time.perf_counter()
        command = [sys.executable, "-m", "clprobe", "rules", "validate"]
        subprocess.run(command, capture_output=True, timeout=60, check=True)
        took_s.append(time.perf_counter() - started)
    spread_s = max(took_s) - min(took_s)
    figures = f"median {statistics.median(took_s):.2f} s, spread {spread_s:.2f} s"
    print(f"rules validate: {figures}")  # noqa: T201
    assert statistics.median(took_s) < 1, took_s
