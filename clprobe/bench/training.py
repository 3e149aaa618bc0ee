# SPDX-License-Identifier: MIT
"""Trains a net on the device and on the CPU from the same weights, and holds them together.

Rounding makes the two drift apart, so the bounds below are many times what right devices show
(1e-6, measured on five implementations) and far below what one wrong gradient causes.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, cast

import msgspec
import numpy as np

from clprobe.bench.clock import Side, Turns, come_to_rest, time_in_turns
from clprobe.bench.digits import Digits, Floats, load_digits
from clprobe.bench.engines import Engine
from clprobe.bench.measure import Contest, TimeSplit, time_split
from clprobe.bench.nets import BATCH, Net
from clprobe.bench.outcomes import without_figures
from clprobe.bench.plan import steps_started, training_started
from clprobe.bench.proof import Proof, finite_max
from clprobe.bench.protocol import Outcome, Started
from clprobe.bench.quiet import OtherLoad, percent_of_all
from clprobe.bench.race import figure, ratio_to_reference
from clprobe.bench.verdicts import judge
from clprobe.bench.where import Where, ran_on
from clprobe.model.measurement import Result, ResultStatus, Training

MIN_ACCURACY = 0.95
FIRST_STEP_TOLERANCE = 1e-3
"""Of the first loss, and of the first change of the weights, relative to that change."""
_LEAST_CHANGE = 1e-3
"""Of the largest change of any weight; a smaller one is compared with this much."""
_TINY = 1e-30
TOLERANCE = 2e-2
"""The same for the whole curve and the whole change."""


class Trainable(Protocol):
    """A net, as far as it must be known to compare two that were trained."""

    @property
    def name(self) -> str:
        """Return what it is called in reports."""

    def initial_weights(self) -> list[Floats]:
        """Return every parameter before training."""


class Run:
    """One engine's training so far."""

    def __init__(self, engine: Engine, net: Trainable, batches: Sequence[Digits]) -> None:
        # An engine for the user's nets is made for one of them and takes no other.
        self.trainer = engine.trainer(cast("Net", net), batches)
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
    compiled_before = contest.device.compile_ns()
    device, reference = sides = _start(net, batches, contest)
    compile_ms = (contest.device.compile_ns() - compiled_before) / 1e6
    proof = compare(net, device, reference, FIRST_STEP_TOLERANCE)
    if not proof.holds:
        return stopped("wrong-result", proof.problem)
    predicted = device.train(range(1, 2)) * len(batches) * net.epochs
    if predicted > contest.effort.training_patience_seconds:
        problem = f"its first steps are right, but the training would take {predicted:.0f} s."
        return stopped("skipped", problem)
    reference.train(range(1, 2))
    turns = _train_to_the_end(net, sides, len(batches), contest)
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
        samples_per_second=1 / figure(turns, 0)[0].median,
        matches_reference=True,
        reference_loss=tuple(reference.losses),
        target_accuracy=MIN_ACCURACY,
        seconds=device.seconds,
    )
    # The comparison is over, so further steps do no harm.
    step = _record(contest, lambda: device.train(range(1)))
    outcome = _timed(started, contest, turns, _Shown(proof, compile_ms, step, net, BATCH))
    return msgspec.structs.replace(outcome, training=training)


def measure_steps(net: Net, batch_size: int, contest: Contest) -> Outcome:
    """Prove one training step at another batch size, and time it."""
    return measure_batch(net, load_digits()[0].batches(batch_size)[:1], contest)


def measure_batch(net: Trainable, batches: Sequence[Digits], contest: Contest) -> Outcome:
    """Prove one training step on the only one of these batches, and time it."""
    batch_size = len(batches[0].labels)
    started = steps_started(net.name, batch_size)
    compiled_before = contest.device.compile_ns()
    device, reference = _start(net, batches, contest)
    compile_ms = (contest.device.compile_ns() - compiled_before) / 1e6
    proof = compare(net, device, reference, FIRST_STEP_TOLERANCE)
    if not proof.holds:
        return without_figures(started, contest.label, "wrong-result", proof.problem, proof=proof)
    device.repeat_first_batch(1)
    step = _record(contest, lambda: device.train(range(1)))
    turns = time_in_turns(
        [device.repeat_first_batch, reference.repeat_first_batch],
        contest.effort.seconds_per_case,
        contest.energy,
    )
    # Between the two, another library's threads would slow down whoever comes next.
    apart = [
        time_in_turns(
            [Run(engine, net, batches).repeat_first_batch], contest.effort.seconds_per_case / 2
        )
        for engine in contest.others
    ]
    for side in [*turns.sides, *(one.sides[0] for one in apart)]:
        side.samples = [one / batch_size for one in side.samples]
        side.waits = [None if one is None else one / batch_size for one in side.waits]
        # From here on a run is an image.
        side.runs *= batch_size
    return _timed(started, contest, turns, _Shown(proof, compile_ms, step, net, batch_size), apart)


def compare(net: Trainable, device: Run, reference: Run, tolerance: float) -> Proof:
    """Return the largest difference of losses, or of the weights relative to their change."""
    losses = np.abs(np.subtract(device.losses, reference.losses))
    weights = zip(
        device.trainer.weights(), reference.trainer.weights(), net.initial_weights(), strict=True
    )
    errors, changes = [], []
    for own, right, initial in weights:
        errors.append(float(np.linalg.norm(own - right)))
        changes.append(float(np.linalg.norm(right - initial)))
    # What hardly changes, such as a bias before a normalisation, is nothing but rounding.
    least = _LEAST_CHANGE * max(changes)
    relative = [
        error / max(change, least, _TINY) for error, change in zip(errors, changes, strict=True)
    ]
    return Proof(finite_max(np.concatenate([losses, relative])), tolerance)


def _start(net: Trainable, batches: Sequence[Digits], contest: Contest) -> tuple[Run, Run]:
    """Return the device's and the reference's training after one step."""
    device = Run(contest.device, net, batches)
    reference = Run(contest.reference, net, batches)
    for run in (device, reference):
        run.train(range(1))
    return device, reference


def _train_to_the_end(net: Net, runs: tuple[Run, Run], batches: int, contest: Contest) -> Turns:
    """Finish the training, an epoch here and an epoch there; return seconds per image."""
    sides = (Side(), Side())
    for run in runs:
        run.train(range(2, batches))
    others = OtherLoad()
    images = batches * BATCH
    for _ in range(1, net.epochs):
        for run, side in zip(runs, sides, strict=True):
            epoch = partial(_seconds_per_image, run, batches)
            come_to_rest()
            side.add(epoch, images, contest.energy)
            contest.alive()
    return Turns(sides, others.cores())


def _seconds_per_image(run: Run, batches: int) -> float:
    return run.train(range(batches)) / (batches * BATCH)


@dataclass(frozen=True, slots=True)
class _Step:
    """One training step on the device, taken apart."""

    split: TimeSplit
    where: Where


@dataclass(frozen=True, slots=True)
class _Shown:
    """What is known of the device besides its samples."""

    proof: Proof
    compile_ms: float
    step: _Step
    net: Trainable
    batch_size: int


def _record(contest: Contest, train: Callable[[], float]) -> _Step:
    used, started = time.process_time(), time.perf_counter()
    split = time_split(contest.device, train)
    elapsed = max(time.perf_counter() - started, 1e-9)
    cores = (time.process_time() - used) / elapsed
    where = Where(cores, ran_on(cores, None, is_cpu=contest.is_cpu))
    # So short a look proves no disguise.
    is_sure = contest.is_cpu or where.ran_on == "device"
    return _Step(split, where if is_sure else Where(cores, "unknown"))


def _timed(
    started: Started, contest: Contest, turns: Turns, shown: _Shown, apart: Sequence[Turns] = ()
) -> Outcome:
    others = zip(contest.others, apart, strict=False)
    return Outcome(
        results=(
            _throughput(started, contest.label, turns, 0, shown),
            _throughput(started, contest.reference.name, turns, 1, None),
            # Training to the end is for two.
            *(_throughput(started, one.name, own, 0, None) for one, own in others),
        ),
        verdict=judge(
            started.workload,
            contest.label,
            ratio_to_reference(turns),
            reference=contest.reference.name,
            is_cpu=contest.is_cpu,
        ),
        other_load_percent=percent_of_all(turns.other_cores),
    )


def _throughput(
    started: Started, name: str, turns: Turns, index: int, shown: _Shown | None
) -> Result:
    times, samples = figure(turns, index)
    low, high = sorted(1 / bound for bound in times.ci95)
    figures = Result(
        device=name,
        workload=started.workload,
        metric=started.metric,
        unit=started.unit,
        median=1 / times.median,
        ci95=(low, high),
        samples=samples,
        status="ok",
        batch=started.batch,
        energy_per_sample_j=turns.sides[index].joules_per_run,
        ran_on="cpu",
    )
    if shown is None:
        return figures
    step = shown.step
    return msgspec.structs.replace(
        figures,
        max_error=shown.proof.max_error,
        tolerance=shown.proof.tolerance,
        compile_ms=shown.compile_ms,
        kernel_ms=step.split.kernel_ms,
        launch_ms=step.split.launch_ms,
        wall_ms=step.split.wall_ms,
        intensity=shown.net.intensity(shown.batch_size) if isinstance(shown.net, Net) else None,
        ran_on=step.where.ran_on,
        cpu_share=step.where.cpu_share,
    )
