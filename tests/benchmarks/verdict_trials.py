# SPDX-License-Identifier: MIT
"""Puts bench's verdicts on trial where the truth is known, on a real device.

    python tests/benchmarks/verdict_trials.py same factor threads noise --trials 100

same      a device against itself: neither wins in 95 of 100
factor    against itself slowed down by --factor: the interval holds the factor in 90 of 100
threads   PoCL with one thread, in a process of its own, against all of them: the interval of each
          trial holds the median of all the others in 90 of 100
noise     whole runs of `bench --quick --workload matmul` against torch, with a process that burns
          one core for half of what a run takes, at any time: the warning appears, intervals are
          wider than without, and no verdict is the other than without
"""

import argparse
import json
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pyopencl as cl

from clprobe.bench.cases import matmul_cases
from clprobe.bench.effort import EFFORTS
from clprobe.bench.engines import Engine, Prepared
from clprobe.bench.engines.opencl import OpenClSubject
from clprobe.bench.measure import Contest, measure
from clprobe.bench.protocol import Outcome
from clprobe.bench.timing import clock, quiet
from clprobe.tensor import Device

_BURN = (
    "import time; time.sleep({rest}); end = time.time() + {seconds}\nwhile time.time() < end: pass"
)
_ONE_THREAD = "POCL_MAX_PTHREAD_COUNT"


class Delayed:
    """An engine each of whose operations takes `factor` times as long."""

    def __init__(self, engine: Engine, factor: float) -> None:
        self._engine = engine
        self._factor = factor
        self.name = f"{engine.name}, {factor} times slower"

    def prepare(self, operation: str, *operands: np.ndarray) -> Prepared:
        """Return the engine's own operation, delayed."""
        prepared = self._engine.prepare(operation, *operands)

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
    fair = {"no-difference", "unclear"}
    _tell("same", outcomes, [one.verdict.decision in fair for one in outcomes])


def factor(options: argparse.Namespace) -> None:
    """Race a device against itself slowed down."""
    outcomes = list(_outcomes(options, _open(options), Delayed(_open(options), options.factor)))
    _tell("factor", outcomes, [_holds(one, options.factor) for one in outcomes])


def threads(options: argparse.Namespace) -> None:
    """Race PoCL against itself with one thread; nobody knows the true factor but all trials."""
    with _one_thread(options) as narrow, patch.object(clock, "mark", narrow.mark):
        outcomes = list(_outcomes(options, _open(options), narrow))
    ratios = [one.verdict.ratio or 0.0 for one in outcomes]
    held = [
        _holds(one, statistics.median(ratios[:index] + ratios[index + 1 :]))
        for index, one in enumerate(outcomes)
    ]
    _tell("threads", outcomes, held)


class Away:
    """An engine in another process, whose work counts as ours."""

    name = "PoCL with one thread"

    def __init__(self, connection: Connection, process: int) -> None:
        self._connection = connection
        self._tasks = Path(f"/proc/{process}/task")

    def prepare(self, operation: str, *operands: np.ndarray) -> Prepared:
        """Return the operation with its operands in the other process."""
        self._connection.send((operation, *operands))
        self._connection.recv()
        return Prepared(self._run, lambda: self._ask(None))

    def mark(self) -> quiet.Mark:
        """Return the moment, the other process counted among our work."""
        now = quiet.mark()
        used = (int(one.read_text().split()[0]) for one in self._tasks.glob("*/schedstat"))
        return replace(now, own=now.own + sum(used) / 1e9)

    def _run(self, times: int) -> None:
        self._ask(times)

    def _ask(self, times: int | None) -> np.ndarray:
        self._connection.send(times)
        return self._connection.recv()


@contextmanager
def _one_thread(options: argparse.Namespace) -> Iterator[Away]:
    ours, theirs = multiprocessing.Pipe()
    spawned = multiprocessing.get_context("spawn")
    with patch.dict(os.environ, {_ONE_THREAD: "1"}):
        process = spawned.Process(target=_serve, args=(theirs, options), daemon=True)
        process.start()
    try:
        yield Away(ours, process.pid or 0)
    finally:
        process.kill()
        process.join()


def _serve(connection: Connection, options: argparse.Namespace) -> None:
    """Do what Away asks: operands, then how often to run, or None for the result."""
    device = _open(options)
    while True:
        asked = connection.recv()
        if isinstance(asked, tuple):
            prepared = device.prepare(*asked)
            connection.send(None)
        elif asked is None:
            connection.send(prepared.result())
        else:
            prepared.run(asked)
            connection.send(None)


def noise(options: argparse.Namespace) -> None:
    """Race torch in whole runs, in quiet and with another process for half of the time."""
    started = time.monotonic()
    undisturbed = [_whole_run(options) for _ in range(options.trials)]
    seconds = (time.monotonic() - started) / options.trials
    disturbed = [_whole_run(options, burnt_seconds=seconds / 2) for _ in range(options.trials)]
    for workload in (f"matmul-{size}" for size in EFFORTS["quick"].matmul_sizes):
        before, after = (
            [_verdict(run, workload) for run in runs] for runs in (undisturbed, disturbed)
        )
        true_ratio = statistics.median(one["ratio"] for one in before)
        wrong = {"device": true_ratio < 1, "cpu": true_ratio > 1}
        _say(
            f"noise, {workload}: ratio {true_ratio:.3g}, "
            f"of {len(after)} wrong and confident "
            f"{sum(wrong.get(one['decision'], False) for one in after)}, "
            f"holding {sum(one['ci95'][0] <= true_ratio <= one['ci95'][1] for one in after)}; "
            f"quiet {_widths(before)}, noisy {_widths(after)}"
        )
    for name, runs in (("quiet", undisturbed), ("noisy", disturbed)):
        warned = sum(any("Other programs" in one for one in _warnings(run)) for run in runs)
        _say(f"noise: warned in {warned} of {len(runs)} {name} runs of {seconds:.1f} s")


def _whole_run(options: argparse.Namespace, burnt_seconds: float = 0.0) -> dict:
    """Return the document of one run, with a core burnt for so long at some time of it."""
    rest = random.uniform(0, burnt_seconds)  # noqa: S311 - no secret
    burn = [sys.executable, "-c", _BURN.format(rest=rest, seconds=burnt_seconds)]
    command = [sys.executable, "-m", "clprobe", "bench", "--json", "--quick"]
    asked = ["--workload", "matmul", "--device", str(options.device)]
    with subprocess.Popen(burn) as burning:
        done = subprocess.run([*command, *asked], capture_output=True, timeout=90, check=True)
        burning.kill()
    document: dict = json.loads(done.stdout)
    return document


def _verdict(run: dict, workload: str) -> dict:
    found: dict = next(one for one in run["verdicts"] if one["workload"] == workload)
    return found


def _warnings(run: dict) -> list[str]:
    found: list[str] = run["conditions"]["warnings"]
    return found


def _widths(verdicts: Sequence[dict]) -> str:
    widths = sorted(high / low for low, high in (one["ci95"] for one in verdicts))
    return f"width {statistics.median(widths):.2f} (to {widths[-1]:.2f})"


def _outcomes(
    options: argparse.Namespace,
    device: OpenClSubject,
    reference: Engine | Delayed | Away,
) -> Iterator[Outcome]:
    sizes = replace(
        EFFORTS["quick"], matmul_sizes=(options.size,), seconds_per_case=options.seconds
    )
    (case,) = matmul_cases(sizes)
    contest = Contest(label="device", device=device, reference=reference, effort=sizes)
    for trial in range(options.trials):
        outcome = measure(case, contest)
        verdict = outcome.verdict
        sys.stderr.write(f"  {trial}: {verdict.ratio:.3f} {verdict.ci95} {verdict.decision}\n")
        yield outcome


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
    load = statistics.mean(one.other_cores or 0 for one in outcomes)
    _say(
        f"{name}: {sum(held)} of {len(held)}, ratio {ratio:.3f}, width {_width(outcomes):.3f}, "
        f"others {load:.2f} processors"
    )


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


TRIALS = {"same": same, "factor": factor, "threads": threads, "noise": noise}

if __name__ == "__main__":
    main()
