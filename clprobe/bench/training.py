# SPDX-License-Identifier: MIT
"""Trains a net on the device and on the CPU from the same weights, and holds them together.

Rounding makes the two drift apart, so the bounds below are many times what right devices show
(1e-6, measured on five implementations) and far below what one wrong gradient causes.
"""

import time
from collections.abc import Sequence

import numpy as np

from clprobe.bench.clock import time_in_turns
from clprobe.bench.digits import Digits, load_digits
from clprobe.bench.engines import Engine
from clprobe.bench.measure import Contest
from clprobe.bench.nets import BATCH, Net
from clprobe.bench.outcomes import without_figures
from clprobe.bench.plan import steps_started, training_started
from clprobe.bench.proof import Proof, finite_max
from clprobe.bench.protocol import Outcome, Started
from clprobe.bench.statistics import estimate, estimate_ratio
from clprobe.bench.verdicts import judge
from clprobe.model.measurement import Result, ResultStatus, Training

MIN_ACCURACY = 0.95
FIRST_STEP_TOLERANCE = 1e-3
"""Of the first loss, and of the first change of the weights, relative to that change."""
TOLERANCE = 2e-2
"""The same for the whole curve and the whole change."""


class Run:
    """One engine's training so far."""

    def __init__(self, engine: Engine, net: Net, batches: Sequence[Digits]) -> None:
        self.trainer = engine.trainer(net, batches)
        self.losses: list[float] = []

        self.seconds = 0.0

    def train(self, batches: range) -> float:
        """Train on these batches and return the seconds that it took."""
        started = time.perf_counter()
        self.losses += self.trainer.train(batches)
        elapsed = time.perf_counter() - started
        self.seconds += elapsed
        return elapsed

    def repeat_first_batch(self, steps: int) -> None:
        """Train this many steps."""
        for _ in range(steps):
            self.train(range(1))

    def accuracy(self, test: Digits) -> float:
        """Return the share of images that the net recognises."""
        return float(np.mean(self.trainer.predict(test.images) == test.labels))


def measure_training(net: Net, contest: Contest) -> Outcome:
    """Train to the end, and return accuracy, speed and verdict; or why there are none."""

    def stopped(status: ResultStatus, problem: str) -> Outcome:
        return without_figures(
            started, contest.label, status, problem, proof=proof, losses=device.losses
        )

    started = training_started(net)
    train, test = load_digits()
    batches = train.batches(BATCH)
    compiled_before = contest.device.device.compile_ns
    device, reference = sides = _start(net, batches, contest)
    compile_ms = (contest.device.device.compile_ns - compiled_before) / 1e6
    proof = compare(net, device, reference, FIRST_STEP_TOLERANCE)
    if not proof.holds:
        return stopped("wrong-result", proof.problem)
    predicted = device.train(range(1, 2)) * len(batches) * net.epochs
    if predicted > contest.effort.training_patience_seconds:
        problem = f"its first steps are right, but the training would take {predicted:.0f} s."
        return stopped("skipped", problem)
    reference.train(range(1, 2))
    samples = _train_to_the_end(net, sides, len(batches), contest)
    proof = compare(net, device, reference, TOLERANCE)
    if not proof.holds:
        return stopped("wrong-result", proof.problem)
    accuracy = device.accuracy(test)
    if accuracy < MIN_ACCURACY:
        return stopped("wrong-result", f"it recognises only {accuracy:.1%} of the test images.")
    training = Training(
        device=contest.label,
        model=net.name,
        loss=tuple(device.losses),
        accuracy=accuracy,
        samples_per_second=1 / estimate(samples[0]).median,
        matches_reference=True,
        reference_loss=tuple(reference.losses),
        target_accuracy=MIN_ACCURACY,
        seconds=device.seconds,
    )
    return _timed(started, contest, samples, proof, compile_ms, training)


def measure_steps(net: Net, batch_size: int, contest: Contest) -> Outcome:
    """Prove one training step at another batch size, and time it."""
    started = steps_started(net, batch_size)
    compiled_before = contest.device.device.compile_ns
    device, reference = _start(net, load_digits()[0].batches(batch_size)[:1], contest)
    compile_ms = (contest.device.device.compile_ns - compiled_before) / 1e6
    proof = compare(net, device, reference, FIRST_STEP_TOLERANCE)
    if not proof.holds:
        return without_figures(started, contest.label, "wrong-result", proof.problem, proof=proof)
    per_step = time_in_turns(
        device.repeat_first_batch, reference.repeat_first_batch, contest.effort.seconds_per_case
    )
    per_image = (
        [one / batch_size for one in per_step[0]],
        [one / batch_size for one in per_step[1]],
    )
    return _timed(started, contest, per_image, proof, compile_ms)


def compare(net: Net, device: Run, reference: Run, tolerance: float) -> Proof:
    """Return the largest difference of losses, or of the weights relative to their change."""
    losses = np.abs(np.subtract(device.losses, reference.losses))
    changes = [
        np.linalg.norm(own - right) / np.linalg.norm(right - initial)
        for own, right, initial in zip(
            device.trainer.weights(),
            reference.trainer.weights(),
            net.initial_weights(),
            strict=True,
        )
    ]
    return Proof(finite_max(np.concatenate([losses, changes])), tolerance)


def _start(net: Net, batches: Sequence[Digits], contest: Contest) -> tuple[Run, Run]:
    """Return the device's and the reference's training after one step."""
    device = Run(contest.device, net, batches)
    reference = Run(contest.reference, net, batches)
    for run in (device, reference):
        run.train(range(1))
    return device, reference


def _train_to_the_end(
    net: Net, sides: tuple[Run, Run], batches: int, contest: Contest
) -> tuple[list[float], list[float]]:
    """Finish the training, an epoch here and an epoch there; return seconds per image."""
    samples: tuple[list[float], list[float]] = ([], [])
    for run in sides:
        run.train(range(2, batches))
    for _ in range(1, net.epochs):
        for run, taken in zip(sides, samples, strict=True):
            taken.append(run.train(range(batches)) / (batches * BATCH))
            contest.alive()
    return samples


def _timed(  # noqa: PLR0913, PLR0917 - one argument per fact
    started: Started,
    contest: Contest,
    seconds_per_image: tuple[list[float], list[float]],
    proof: Proof,
    compile_ms: float,
    training: Training | None = None,
) -> Outcome:
    device, reference = seconds_per_image
    return Outcome(
        results=(
            _throughput(started, contest.label, device, proof, compile_ms),
            _throughput(started, contest.reference.name, reference),
        ),
        training=training,
        verdict=judge(
            started.workload,
            contest.label,
            estimate_ratio(reference, device),
            reference=contest.reference.name,
            is_cpu=contest.is_cpu,
        ),
    )


def _throughput(
    started: Started,
    name: str,
    seconds_per_image: list[float],
    proof: Proof | None = None,
    compile_ms: float | None = None,
) -> Result:
    times = estimate(seconds_per_image)
    low, high = sorted(1 / bound for bound in times.ci95)
    return Result(
        device=name,
        workload=started.workload,
        metric=started.metric,
        unit=started.unit,
        median=1 / times.median,
        ci95=(low, high),
        samples=len(seconds_per_image),
        status="ok",
        max_error=None if proof is None else proof.max_error,
        tolerance=None if proof is None else proof.tolerance,
        compile_ms=compile_ms,
        batch=started.batch,
    )
