# SPDX-License-Identifier: MIT
"""Trains a net on the device and on the CPU from the same weights, times both, and judges."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import msgspec

from clprobe.bench.clock import come_to_rest, seconds, time_in_turns
from clprobe.bench.digits import Digits, load_digits
from clprobe.bench.measure import TOO_SLOW_APART, Contest, TimeSplit, time_apart, time_split
from clprobe.bench.nets import BATCH, Net
from clprobe.bench.outcomes import too_long, without_figures
from clprobe.bench.plan import steps_started, training_started
from clprobe.bench.proof import Proof
from clprobe.bench.protocol import Outcome, Started
from clprobe.bench.quiet import mark
from clprobe.bench.race import figure, ratio_to_reference
from clprobe.bench.trained import FIRST_STEP_TOLERANCE, TOLERANCE, Run, Trainable, compare
from clprobe.bench.turns import MIN_ROUNDS, Side, Turns, turns_of
from clprobe.bench.verdicts import judge
from clprobe.bench.where import Where, ran_on
from clprobe.model.measurement import Result, ResultStatus, Training

MIN_ACCURACY = 0.95
# The first may map memory.
_TRANSFERS = 5


def measure_training(net: Net, contest: Contest) -> Outcome:
    """Train to the end, and return accuracy, speed and verdict; or why there are none."""

    def stopped(status: ResultStatus, problem: str, *, is_slower: bool = True) -> Outcome:
        return without_figures(
            *(started, contest.label, status, problem),
            proof=proof,
            losses=device.losses,
            is_slower=is_slower,
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
    own, other = (_step_seconds(run) for run in sides)
    predicted = (own + other) * len(batches) * net.epochs
    if predicted > contest.effort.training_patience_seconds:
        problem = too_long("its first steps are right, but the training", predicted)
        return stopped("skipped", problem, is_slower=own > other)
    turns = _train_to_the_end(net, sides, len(batches), contest)
    proof = compare(net, device, reference, TOLERANCE, net.drift)
    if not proof.holds:
        return stopped("wrong-result", proof.problem)
    accuracy = device.accuracy(test)
    if accuracy < MIN_ACCURACY:
        return stopped("wrong-result", f"it recognises only {accuracy:.1%} of the test images.")
    training = _learned(net, contest.label, sides, accuracy, turns)
    # The comparison is over, so further steps do no harm.
    step = _record(contest, lambda: device.train(range(1)), batches[0])
    outcome = _timed(started, contest, turns, _Shown(proof, compile_ms, step, net, BATCH))
    return msgspec.structs.replace(outcome, training=training)


def _learned(
    net: Net, label: str, sides: tuple[Run, Run], accuracy: float, turns: Turns
) -> Training:
    device, reference = sides
    return Training(
        device=label,
        model=net.name,
        loss=tuple(device.losses),
        accuracy=accuracy,
        samples_per_second=1 / figure(turns, 0)[0].median,
        matches_reference=True,
        reference_loss=tuple(reference.losses),
        target_accuracy=MIN_ACCURACY,
        seconds=device.seconds,
    )


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
    own, other = (run.train(range(1)) for run in (device, reference))
    predicted = (own + other) * 2 * MIN_ROUNDS
    if predicted > contest.effort.patience_seconds:
        problem = too_long("its first steps are right, but timing them", predicted)
        return without_figures(
            *(started, contest.label, "skipped", problem), proof=proof, is_slower=own > other
        )
    step = _record(contest, lambda: device.train(range(1)), batches[0])
    turns = time_in_turns(
        [device.repeat_first_batch, reference.repeat_first_batch],
        contest.effort.seconds_per_case,
        contest.energy,
    )
    # Between the two, another library's threads would slow down whoever comes next.
    apart = [
        time_apart(Run(engine, net, batches).repeat_first_batch, contest.effort)
        for engine in contest.others
    ]
    for side in [*turns.sides, *(one.sides[0] for one in apart if one is not None)]:
        # From here on a run is an image.
        side.divide(batch_size)
    return _timed(started, contest, turns, _Shown(proof, compile_ms, step, net, batch_size), apart)


def _start(net: Trainable, batches: Sequence[Digits], contest: Contest) -> tuple[Run, Run]:
    """Return the device's and the reference's training after one step."""
    device = Run(contest.device, net, batches)
    reference = Run(contest.reference, net, batches)
    for run in (device, reference):
        run.train(range(1))
    return device, reference


def _step_seconds(run: Run) -> float:
    """Return the faster of the next two steps; the first of them may still prepare things."""
    return min(run.train(range(at, at + 1)) for at in (1, 2))


def _train_to_the_end(net: Net, runs: tuple[Run, Run], batches: int, contest: Contest) -> Turns:
    """Finish the training, an epoch here and an epoch there; return seconds per image."""
    sides = (Side(), Side())
    for run in runs:
        run.train(range(3, batches))
    marks = [mark()]
    images = batches * BATCH
    for _ in range(1, net.epochs):
        for run, side in zip(runs, sides, strict=True):
            epoch = partial(_seconds_per_image, run, batches)
            come_to_rest()
            side.add(epoch, images, contest.energy)
            contest.alive()
        marks.append(mark())
    return turns_of(sides, marks)


def _seconds_per_image(run: Run, batches: int) -> float:
    return run.train(range(batches)) / (batches * BATCH)


@dataclass(frozen=True, slots=True)
class _Step:
    """One training step on the device, taken apart."""

    split: TimeSplit
    where: Where
    transfer_ms: float
    """Of its batch, which lies on the device when the step is timed."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """What is known of the device besides its samples."""

    proof: Proof
    compile_ms: float
    step: _Step
    net: Trainable
    batch_size: int


def _record(contest: Contest, train: Callable[[], float], batch: Digits) -> _Step:
    transfer_ms = 1e3 * min(
        seconds(lambda _: contest.device.bring(batch), 1) for _ in range(_TRANSFERS)
    )
    used, started = time.process_time(), time.perf_counter()
    split = time_split(contest.device, train)
    elapsed = max(time.perf_counter() - started, 1e-9)
    cores = (time.process_time() - used) / elapsed
    where = Where(cores, ran_on(cores, None, is_cpu=contest.is_cpu))
    # So short a look proves no disguise.
    is_sure = contest.is_cpu or where.ran_on == "device"
    return _Step(split, where if is_sure else Where(cores, "unknown"), transfer_ms)


def _timed(
    started: Started,
    contest: Contest,
    turns: Turns,
    shown: _Shown,
    apart: Sequence[Turns | None] = (),
) -> Outcome:
    others = zip(contest.others, apart, strict=False)
    return Outcome(
        results=(
            _throughput(started, contest.label, turns, 0, shown),
            _throughput(started, contest.reference.name, turns, 1, None),
            # Training to the end is for two.
            *(_beside(started, one.name, own) for one, own in others),
        ),
        verdict=judge(
            started.workload,
            contest.label,
            ratio_to_reference(turns),
            reference=contest.reference.name,
            is_cpu=contest.is_cpu,
        ),
        other_cores=turns.other_cores,
    )


def _beside(started: Started, name: str, turns: Turns | None) -> Result:
    if turns is None:
        return without_figures(started, name, "skipped", TOO_SLOW_APART).results[0]
    return _throughput(started, name, turns, 0, None)


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
        transfer_ms=step.transfer_ms,
        kernel_ms=step.split.kernel_ms,
        launch_ms=step.split.launch_ms,
        wall_ms=step.split.wall_ms,
        intensity=shown.net.intensity(shown.batch_size) if isinstance(shown.net, Net) else None,
        ran_on=step.where.ran_on,
        cpu_share=step.where.cpu_share,
    )
