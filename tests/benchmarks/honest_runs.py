# SPDX-License-Identifier: MIT
"""Runs `clprobe bench --quick` on an honest device, beside ordinary noise, and counts refusals.

    python tests/benchmarks/honest_runs.py --runs 200 --library /path/of/libpocl.so

Each run measures one workload, in turn. Of four runs one has the machine as it is, one is at low
priority, one beside a process that burns a core, one beside bursts of work. None may be refused.
"""

import argparse
import multiprocessing
import os
import sys
import tempfile
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

from timing_faults import bench, built

_WORKLOADS = ("copy", "launch", "matmul", "conv", "train-mlp")
_BURST_SECONDS = 0.3
_NOISES = ("none", "nice", "core", "bursts")


def _burn(share: float) -> None:
    while True:
        ends = time.monotonic() + _BURST_SECONDS
        while time.monotonic() < ends:
            pass
        if share < 1:
            time.sleep(_BURST_SECONDS * (1 - share) / share)


def main() -> None:
    """Run, and print each refusal and the counts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin none after")
    parser.add_argument("--library", help="of the driver")
    options = parser.parse_args()
    package = Path(find_spec("pyopencl").origin).parent
    library = options.library or str(next(package.glob(".libs/libpocl-*.so")))
    counts: Counter[str] = Counter()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        driver = built(library, Path(folder))
        for number in range(options.runs):
            if time.monotonic() - started > options.seconds:
                break
            workload, noise = _WORKLOADS[number % len(_WORKLOADS)], _NOISES[number % len(_NOISES)]
            refused = _refused(driver, workload, noise)
            counts["runs"] += 1
            counts["refused"] += bool(refused)
            for reason in refused:
                print(f"run {number}, {workload}, noise {noise}: {reason}", flush=True)  # noqa: T201
    said = f"{counts['refused']} of {counts['runs']} honest runs refused, load {os.getloadavg()}"
    print(said)  # noqa: T201


def _refused(driver: str, workload: str, noise: str) -> list[str]:
    """Run once and return what was refused, and why."""
    share = {"core": 1.0, "bursts": 0.5}.get(noise)
    burner = multiprocessing.Process(target=_burn, args=(share,), daemon=True)
    if share is not None:
        burner.start()
    try:
        status, document = bench(driver, "none", (workload,), niceness=5 * (noise == "nice"))
    finally:
        if share is not None:
            burner.kill()
            burner.join()
    bad = [
        f"{one['device']}, {one['workload']}: {one['status']}, {one['detail']}"
        for one in document["results"]
        if one["status"] in ("error", "wrong-result")
    ]
    clocks = [one["detail"] for one in document["contestants"] if "refused" in one["detail"]]
    peaks = [one["how"] for one in document["peaks"] if "Refused" in one["how"]]
    return [*bad, *clocks, *peaks, *([f"exit status {status}"] if status == 1 else [])]


if __name__ == "__main__":
    main()
