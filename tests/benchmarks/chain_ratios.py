# SPDX-License-Identifier: MIT
"""Times a chain of eight elementwise operations beside a copy, on every device: run it with python.

    python chain_ratios.py [--floats 16777216] [--rounds 15]

Both read and write as much. Two copies take part, the runtime's own and one by a kernel that adds
1, and the faster is the measure. They take turns; prints medians in GB/s and the ratio with its
least and greatest of any round. OCL_ICD_VENDORS chooses ICDs.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
import pyopencl as cl

from clprobe.tensor import Device, Tensor

_SAMPLE_SECONDS = 0.1


def samples(device: Device, count: int, rounds: int) -> dict[str, list[float]]:
    """Return seconds per run of each contestant, in order of the rounds."""
    values = np.random.default_rng(3).standard_normal(count).astype(np.float32)
    x, target = Tensor.from_numpy(values, device), Tensor.from_numpy(values, device)
    contestants: dict[str, Callable[[], object]] = {
        "runtime's copy": lambda: target.array.assign(x.array),
        "a kernel's copy plus 1": lambda: (x + 1).array.buffer,
        "chain": lambda: (-(((x + 1) * 0.5 - x * x).relu() * 1.5 + 0.25)).array.buffer,
    }
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    times = {}
    for name, run in contestants.items():
        seconds_of(device, run, 2)
        times[name] = max(1, round(_SAMPLE_SECONDS / seconds_of(device, run, 2)))
    for _ in range(rounds):
        for name, run in contestants.items():
            taken[name].append(seconds_of(device, run, times[name]))
    return taken


def seconds_of(device: Device, run: Callable[[], object], times: int) -> float:
    started = time.perf_counter()
    for _ in range(times):
        run()
    device.finish()
    return (time.perf_counter() - started) / times


def main() -> None:
    """Print a line for each device."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--floats", type=int, default=1 << 24)
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    for platform in cl.get_platforms():
        for cl_device in platform.get_devices():
            with Device.open(cl_device) as device:
                taken = samples(device, given.floats, given.rounds)
            chain = taken.pop("chain")
            ratios = [min(each) / own for *each, own in zip(*taken.values(), chain, strict=True)]
            speeds = ", ".join(
                f"{name} {8e-9 * given.floats / statistics.median(seconds):.1f} GB/s"
                for name, seconds in (*taken.items(), ("chain", chain))
            )
            sys.stdout.write(
                f"{platform.name} {device.name}: {speeds}; chain / faster copy "
                f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})\n"
            )


if __name__ == "__main__":
    main()
