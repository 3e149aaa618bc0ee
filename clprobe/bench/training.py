# SPDX-License-Identifier: MIT
"""Trains a net on the device and on the CPU from the same weights, times both, and judges."""

from collections.abc import Sequence
from functools import partial
from typing import cast

import msgspec

from clprobe.bench.digits import Digits, load_digits
from clprobe.bench.first_steps import Checked, check_first_steps
from clprobe.bench.measure import Contest, time_apart
from clprobe.bench.nets import BATCH, Net
from clprobe.bench.outcomes import too_long, without_figures
from clprobe.bench.plan import steps_started, training_started
from clprobe.bench.proof import Proof
from clprobe.bench.protocol import Outcome
from clprobe.bench.timing.clock import come_to_rest, time_in_turns
from clprobe.bench.timing.quiet import mark
from clprobe.bench.timing.race import figure
from clprobe.bench.timing.turns import MIN_ROUNDS, Side, Turns, turns_of
from clprobe.bench.trained import TOLERANCE, Run, Trainable, compare
from clprobe.bench.training_figures import Shown, record_step, timed
from clprobe.model.measurement import ResultStatus, Training

MIN_ACCURACY = 0.95


def measure_training(net: Net, contest: Contest) -> Outcome:
    """Train to the end, and return accuracy, speed and verdict; or why there are none."""

    def stopped(status: ResultStatus, problem: str, *, is_slower: bool = True) -> Outcome:
        return without_figures(
            *(started, contest.label, status, problem),
            proof=proof,
            losses=device.losses,
            is_slower=is_slower,
        )

    proof: Proof | None = None
    started = training_started(net)
    train, test = load_digits()
    batches = train.batches(BATCH)
    compiled_before = contest.device.compile_ns()
    device, reference = sides = _sides(net, batches, contest)
    checked = _check(net, device, batches, contest, contest.effort.training_patience_seconds)
    compile_ms = (contest.device.compile_ns() - compiled_before) / 1e6
    proof = checked.proof
    if proof is None:
        return stopped("skipped", _unproved(checked), is_slower=False)
    if not proof.holds:
        return stopped("wrong-result", proof.problem)
    reference.train(range(2))
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
    step = record_step(contest, lambda: device.train(range(1)), batches[0])
    shown = Shown(checked, compile_ms, step, net, BATCH)
    outcome = timed(started, contest, turns, shown)
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
    device, reference = _sides(net, batches, contest)
    checked = _check(net, device, batches, contest, contest.effort.patience_seconds)
    compile_ms = (contest.device.compile_ns() - compiled_before) / 1e6
    proof = checked.proof
    if proof is None:
        return without_figures(
            *(started, contest.label, "skipped", _unproved(checked)), is_slower=False
        )
    if not proof.holds:
        return without_figures(started, contest.label, "wrong-result", proof.problem, proof=proof)
    reference.train(range(1))
    own, other = (run.train(range(1)) for run in (device, reference))
    predicted = (own + other) * 2 * MIN_ROUNDS
    if predicted > contest.effort.patience_seconds:
        problem = too_long("its first steps are right, but timing them", predicted)
        return without_figures(
            *(started, contest.label, "skipped", problem), proof=proof, is_slower=own > other
        )
    step = record_step(contest, lambda: device.train(range(1)), batches[0])
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
    shown = Shown(checked, compile_ms, step, net, batch_size)
    return timed(started, contest, turns, shown, apart)


def _sides(net: Trainable, batches: Sequence[Digits], contest: Contest) -> tuple[Run, Run]:
    """Return the device's and the reference's training before any step."""
    return Run(contest.device, net, batches), Run(contest.reference, net, batches)


def _check(
    net: Trainable, device: Run, batches: Sequence[Digits], contest: Contest, patience: float
) -> Checked:
    """Take the device's first two steps and prove them."""
    # An engine for the user's nets is made for one of them and takes no other.
    witness = contest.reference.witness(cast("Net", net))
    return check_first_steps(device, witness, batches, patience, contest.alive)


def _unproved(checked: Checked) -> str:
    return too_long("proving its first steps", checked.seconds)


def _step_seconds(run: Run) -> float:
    """Return the faster of the next two steps; the first of them may still prepare things."""
    return min(run.train(range(at, at + 1)) for at in (2, 3))


def _train_to_the_end(net: Net, runs: tuple[Run, Run], batches: int, contest: Contest) -> Turns:
    """Finish the training, an epoch here and an epoch there; return seconds per image."""
    sides = (Side(), Side())
    for run in runs:
        run.train(range(4, batches))
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
