# SPDX-License-Identifier: MIT
"""Trains a net on the device and on the CPU from the same weights, and holds them together.

Rounding makes the two drift apart, so the bounds below are many times what right devices show
(a millionth, measured on five implementations) and far below what one wrong gradient causes.
"""

import time
from collections.abc import Sequence

import numpy as np

from clprobe.bench.digits import Digits, Floats, load_digits
from clprobe.bench.engines import Engine, Trainer
from clprobe.bench.measure import Contest
from clprobe.bench.nets import BATCH, Net
from clprobe.bench.outcomes import without_figures
from clprobe.bench.proof import Proof, finite_max
from clprobe.bench.protocol import Outcome, Started
from clprobe.bench.statistics import estimate, estimate_ratio
from clprobe.bench.verdicts import judge
from clprobe.model.measurement import Result, ResultStatus, Training

MIN_ACCURACY = 0.95
FIRST_STEP_TOLERANCE = 1e-3
"""Of the first loss, and of the first change of the weights, relative to that change."""
TOLERANCE = 1e-2
"""The same for the whole curve and the whole change."""


class _Run:
    """One engine's training so far."""

    def __init__(self, engine: Engine, net: Net, batches: Sequence[Digits]) -> None:
        self._trainer: Trainer = engine.trainer(net, batches)
        self.losses: list[float] = []
        self.initial = net.initial_weights()

    def train(self, batches: range) -> float:
        """Train on these batches and return the seconds that it took."""
        started = time.perf_counter()
        self.losses += self._trainer.train(batches)
        return time.perf_counter() - started

    def weights(self) -> list[Floats]:
        return self._trainer.weights()

    def accuracy(self, test: Digits) -> float:
        return float(np.mean(self._trainer.predict(test.images) == test.labels))


def training_started(net: Net) -> Started:
    """Return the message that says that this training begins."""
    return Started(workload=f"train-{net.name}", metric="throughput", unit="samples/s")


def measure_training(net: Net, contest: Contest) -> Outcome:
    """Train to the end, and return accuracy, speed and verdict; or why there are none."""

    def stopped(status: ResultStatus, problem: str) -> Outcome:
        return without_figures(
            started, contest.label, status, problem, proof=proof, losses=device.losses
        )

    started = training_started(net)
    train, test = load_digits()
    batches = train.batches(BATCH)
    device, reference = (
        _Run(engine, net, batches) for engine in (contest.device, contest.reference)
    )
    compiled_before = contest.device.device.compile_ns
    for run in (device, reference):
        run.train(range(1))
    proof = compare(device, reference, FIRST_STEP_TOLERANCE)
    if not proof.holds:
        return stopped("wrong-result", proof.problem)
    compile_ms = (contest.device.device.compile_ns - compiled_before) / 1e6
    predicted = device.train(range(1, 2)) * len(batches) * net.epochs
    if predicted > contest.effort.patience_seconds:
        problem = f"its first steps are right, but the training would take {predicted:.0f} s."
        return stopped("skipped", problem)
    reference.train(range(1, 2))
    for run in (device, reference):
        run.train(range(2, len(batches)))
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(1, net.epochs):
        for run, taken in zip((device, reference), times, strict=True):
            taken.append(run.train(range(len(batches))) / (len(batches) * BATCH))
    proof = compare(device, reference, TOLERANCE)
    if not proof.holds:
        return stopped("wrong-result", proof.problem)
    accuracy = device.accuracy(test)
    if accuracy < MIN_ACCURACY:
        problem = f"it recognises only {accuracy:.1%} of the test images."
        return stopped("wrong-result", problem)
    workload = started.workload
    samples_per_second = 1 / estimate(times[0]).median
    return Outcome(
        results=(
            _throughput(workload, contest.label, times[0], proof, compile_ms),
            _throughput(workload, contest.reference.name, times[1]),
        ),
        training=Training(
            device=contest.label,
            model=net.name,
            loss=tuple(device.losses),
            accuracy=accuracy,
            samples_per_second=samples_per_second,
            matches_reference=True,
        ),
        verdict=judge(
            workload,
            contest.label,
            estimate_ratio(times[1], times[0]),
            reference=contest.reference.name,
            is_cpu=contest.is_cpu,
        ),
    )


def compare(device: _Run, reference: _Run, tolerance: float) -> Proof:
    """Return the largest difference of losses, or of the weights relative to their change."""
    losses = np.abs(np.subtract(device.losses, reference.losses))
    changes = [
        np.linalg.norm(own - right) / np.linalg.norm(right - initial)
        for own, right, initial in zip(
            device.weights(), reference.weights(), device.initial, strict=True
        )
    ]
    return Proof(finite_max(np.concatenate([losses, changes])), tolerance)


def _throughput(
    workload: str,
    name: str,
    seconds_per_sample: list[float],
    proof: Proof | None = None,
    compile_ms: float | None = None,
) -> Result:
    times = estimate(seconds_per_sample)
    low, high = sorted(1 / bound for bound in times.ci95)
    return Result(
        device=name,
        workload=workload,
        metric="throughput",
        unit="samples/s",
        median=1 / times.median,
        ci95=(low, high),
        samples=len(seconds_per_sample),
        status="ok",
        max_error=None if proof is None else proof.max_error,
        tolerance=None if proof is None else proof.tolerance,
        compile_ms=compile_ms,
    )
