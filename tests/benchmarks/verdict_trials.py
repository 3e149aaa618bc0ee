# SPDX-License-Identifier: MIT
"""Puts bench's verdicts on trial where the truth is known, on a real device.

    python tests/benchmarks/verdict_trials.py same factor threads noise --trials 100

same      a device against itself: "no difference" in 95 of 100
factor    against itself slowed down by --factor: the interval holds the factor in 90 of 100
threads   half of a device's processors against all of them: the interval of each trial holds the
          median of all the others in 90 of 100
noise     against torch, with a process that burns one core for half of what a run takes: the load
          is noticed, the interval is wider than without, and no verdict is the other than without
"""

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pyopencl as cl

from clprobe.bench.cases import matmul_cases
from clprobe.bench.effort import EFFORTS
from clprobe.bench.engines import Engine, Prepared
from clprobe.bench.engines.opencl_subject import OpenClSubject
from clprobe.bench.measure import Contest, measure
from clprobe.bench.protocol import Outcome
from clprobe.tensor import Device

_BURN = "import time; end = time.time() + {seconds}\nwhile time.time() < end: pass"


class Delayed:
    """An engine each of whose operations takes `factor` times as long."""

    def __init__(self, engine: Engine, factor: float) -> None:
        self._engine = engine
        self._factor = factor
        self.name = f"{engine.name}, {factor} times slower"

    def matmul(self, a: np.ndarray, b: np.ndarray) -> Prepared:
        """Return a @ b."""
        prepared = self._engine.matmul(a, b)

        def run(times: int) -> None:
            started = time.perf_counter()
            prepared.run(times)
            ends = started + self._factor * (time.perf_counter() - started)
            while time.perf_counter() < ends:
                pass

        return Prepared(run, prepared.result)


def main() -> None:
    """Hold the trials and print their counts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("trials_of", nargs="+", choices=[*TRIALS])
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--factor", type=float, default=1.5)
    parser.add_argument("--seconds", type=float, default=EFFORTS["quick"].seconds_per_case)
    parser.add_argument("--size", type=int, default=EFFORTS["quick"].matmul_sizes[0])
    parser.add_argument("--device", type=int, default=0, help="among all of all platforms")
    options = parser.parse_args()
    for name in options.trials_of:
        TRIALS[name](options)


def same(options: argparse.Namespace) -> None:
    """Race a device against itself."""
    first, second = _open(options), _open(options)
    outcomes = list(_outcomes(options, first, second))
    _tell("same", outcomes, [one.verdict.decision == "no-difference" for one in outcomes])


def factor(options: argparse.Namespace) -> None:
    """Race a device against itself slowed down."""
    outcomes = list(_outcomes(options, _open(options), Delayed(_open(options), options.factor)))
    _tell("factor", outcomes, [_holds(one, options.factor) for one in outcomes])


def threads(options: argparse.Namespace) -> None:
    """Race all processors against half of them; nobody knows the true factor but all trials.

    A ratio near 1 makes this void: PoCL 3.1 and Intel's CPU runtime 2026.2 run half a device on all
    of its threads.
    """
    whole = _devices()[options.device]
    units = whole.max_compute_units
    equally = cl.device_partition_property.EQUALLY
    half = whole.create_sub_devices([equally, max(1, units // 2)])[0]
    outcomes = list(
        _outcomes(options, OpenClSubject(Device.open(whole)), OpenClSubject(Device.open(half)))
    )
    ratios = [one.verdict.ratio or 0.0 for one in outcomes]
    held = [
        _holds(one, statistics.median(ratios[:index] + ratios[index + 1 :]))
        for index, one in enumerate(outcomes)
    ]
    _tell("threads", outcomes, held)


def noise(options: argparse.Namespace) -> None:
    """Race torch, in quiet and with another process for half of the time."""
    from clprobe.bench.engines.torch_cpu import TorchEngine  # noqa: PLC0415 - may be absent

    device, reference = _open(options), TorchEngine()
    started = time.monotonic()
    quiet = list(_outcomes(options, device, reference))
    seconds = (time.monotonic() - started) / len(quiet)
    with _burning(seconds / 2) as burn:
        noisy = list(_outcomes(options, device, reference, before=burn))
    true_ratio = statistics.median(one.verdict.ratio or 0.0 for one in quiet)
    decisions = {one.verdict.decision for one in quiet}
    confident = {"device": true_ratio > 1, "cpu": true_ratio < 1, "no-difference": True}
    flipped = [not confident[one.verdict.decision] for one in noisy]
    _say(f"noise: quiet {true_ratio:.3g}, {decisions}, widths {_width(quiet):.3g}")
    _say(f"noise: wrong and confident {sum(flipped)} of {len(noisy)}, widths {_width(noisy):.3g}")
    _tell("noise holds", noisy, [_holds(one, true_ratio) for one in noisy])
    _say(f"noise: noticed in {sum((o.other_load_percent or 0) > 10 for o in noisy)}")


def _outcomes(
    options: argparse.Namespace,
    device: OpenClSubject,
    reference: Engine | Delayed,
    before: Callable[[], None] = lambda: None,
) -> Iterator[Outcome]:
    sizes = replace(
        EFFORTS["quick"], matmul_sizes=(options.size,), seconds_per_case=options.seconds
    )
    (case,) = matmul_cases(sizes)
    contest = Contest(label="device", device=device, reference=reference, effort=sizes)
    for trial in range(options.trials):
        before()
        outcome = measure(case, contest)
        verdict = outcome.verdict
        sys.stderr.write(f"  {trial}: {verdict.ratio:.3f} {verdict.ci95} {verdict.decision}\n")
        yield outcome


@contextmanager
def _burning(seconds: float) -> Iterator[Callable[[], None]]:
    """Yield what starts a process that burns one core for so long."""
    burning: list[subprocess.Popen[bytes]] = []

    def burn() -> None:
        for process in burning:
            process.wait()
        burning.clear()
        program = _BURN.format(seconds=seconds)
        burning.append(subprocess.Popen([sys.executable, "-c", program]))

    try:
        yield burn
    finally:
        for process in burning:
            process.kill()


def _open(options: argparse.Namespace) -> OpenClSubject:
    return OpenClSubject(Device.open(_devices()[options.device]))


def _devices() -> list[cl.Device]:
    return [device for platform in cl.get_platforms() for device in platform.get_devices()]


def _holds(outcome: Outcome, true_ratio: float) -> bool:
    low, high = outcome.verdict.ci95 or (1.0, 1.0)
    return low <= true_ratio <= high


def _width(outcomes: list[Outcome]) -> float:
    ends = [one.verdict.ci95 or (1.0, 1.0) for one in outcomes]
    return statistics.median(high / low for low, high in ends)


def _tell(name: str, outcomes: list[Outcome], held: list[bool]) -> None:
    ratio = statistics.median(one.verdict.ratio or 0.0 for one in outcomes)
    load = statistics.mean(one.other_load_percent or 0 for one in outcomes)
    _say(
        f"{name}: {sum(held)} of {len(held)}, ratio {ratio:.3f}, width {_width(outcomes):.3f}, "
        f"other load {load:.0f} %"
    )


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


TRIALS = {"same": same, "factor": factor, "threads": threads, "noise": noise}

if __name__ == "__main__":
    main()
