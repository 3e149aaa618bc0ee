# SPDX-License-Identifier: MIT
"""What the known-answer kernel adds to doctor: `pytest -s tests/benchmarks/kernel_times.py`.

Five real drivers, runs with and without the kernel in random order after a warm-up, medians. Not in
the default run: a busy machine would fail it without a fault of ours.
"""

import json
import os
import random
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

_RUNS = 15
_LIMIT_S = 0.1
_LIBRARIES = {
    "intel": "/usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so",
    "pocl": "libpocl.so.2.10.0",
    "rusticl": "libRusticlOpenCL.so.1",
    "oclgrind": "/usr/lib/oclgrind/liboclgrind-rt-icd.so",
    "intel-cpu": f"{sys.prefix}/lib/libintelocl.so",
}
_PLAYED = {
    "NEOReadDebugKeys": "1", "SetCommandStreamReceiver": "1", "ProductFamilyOverride": "skl",
    "RUSTICL_ENABLE": "llvmpipe",
}  # fmt: skip


class Run(NamedTuple):
    """What one run took: on the clock, and of all processors."""

    wall_s: float
    cpu_s: float


def test_the_kernel_adds_less_than_a_tenth_of_a_second(tmp_path: Path) -> None:
    vendors, cold = tmp_path / "vendors", []
    vendors.mkdir()
    for name, library in _LIBRARIES.items():
        (vendors / f"{name}.icd").write_text(f"{library}\n")
    (tmp_path / "cache").mkdir()
    took: dict[bool, list[Run]] = {True: [], False: []}
    _doctor(tmp_path, with_kernel=False)
    cold.append(_doctor(tmp_path, with_kernel=True))
    _doctor(tmp_path, with_kernel=True)
    for _ in range(_RUNS):
        for with_kernel in random.sample([True, False], 2):
            took[with_kernel].append(_doctor(tmp_path, with_kernel=with_kernel))
    wall = {one: statistics.median(run.wall_s for run in runs) for one, runs in took.items()}
    cpu = {one: statistics.median(run.cpu_s for run in runs) for one, runs in took.items()}
    print(  # noqa: T201 - shown with -s, and where the limit was missed
        f"with {wall[True]:.3f} s, without {wall[False]:.3f} s, more {wall[True] - wall[False]:.3f}"
        f" s; of processors {cpu[True]:.3f} s, {cpu[False]:.3f} s, {cpu[True] - cpu[False]:.3f} s;"
        f" compiled for the first time {cold[0].wall_s:.3f} s, {cold[0].cpu_s:.3f} s"
    )
    assert wall[True] - wall[False] <= _LIMIT_S


def _doctor(folder: Path, *, with_kernel: bool) -> Run:
    started, before = time.perf_counter(), _cpu_s()
    done = subprocess.run(
        [sys.executable, "-m", "clprobe", "doctor", "--json"]
        + ([] if with_kernel else ["--no-kernel"]),
        env={**os.environ, **_PLAYED, "OCL_ICD_VENDORS": f"{folder / 'vendors'}/",
             "XDG_CACHE_HOME": str(folder / "cache")},
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    run = Run(time.perf_counter() - started, _cpu_s() - before)
    devices = json.loads(done.stdout)["devices"]
    played = [one for one in devices if one["icd"].startswith(str(folder))]
    if len(played) < len(_LIBRARIES):
        pytest.skip(f"needs five drivers, and here are {len(played)}")
    assert all((one["kernel"] != "not-run") == with_kernel for one in played)
    return run


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
