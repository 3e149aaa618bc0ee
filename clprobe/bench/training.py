# SPDX-License-Identifier: MIT
"""Trains a net on the device and on the CPU from the same weights, times both, and judges."""

from collections.abc import Sequence
from functools import partial
from typing import cast

from msgspec import structs

from clprobe.bench import plan
from clprobe.bench.digits import Digits, load_digits
from clprobe.bench.measure import Contest
from clprobe.bench.nets import BATCH, Net
from clprobe.bench.protocol import Outcome
from clprobe.bench.repeating import repeats
from clprobe.bench.timing.clock import come_to_rest, time_in_turns
from clprobe.bench.timing.quiet import mark
from clprobe.bench.timing.turns import MIN_ROUNDS, Side, Turns, figure, turns_of
from clprobe.bench.training_proof import check_later_step, compare, unseen
from clprobe.bench.training_race import begun
from clprobe.bench.training_run import Run, Trainable
from clprobe.bench.verdicts import too_long
from clprobe.model.measurement import Training
from clprobe.model.workload import TrainingSteps, WholeTraining

MIN_ACCURACY = 0.95


def measure_training(net: Net, contest: Contest) -> Outcome:
    """Train to the end, and return accuracy, speed and verdict; or why there are none."""
    train, test = load_digits()
    batches = train.batches(BATCH)
    patience = contest.effort.training_patience_seconds
    race = begun(plan.started(WholeTraining(net.name)), net, batches, contest, patience)
    unproved = race.unproved()
    if unproved is not None:
        return unproved
    device, reference = race.device, race.reference
    reference.train(range(2))
    own, other = (_step_seconds(run) for run in (device, reference))
    predicted = (own + other) * len(batches) * net.epochs
    if predicted > patience:
        problem = too_long("its first steps are right, but the training", predicted)
        return race.stopped("skipped", problem, race.checked.proof, is_slower=own > other)
    turns = _train_to_the_end(net, (device, reference), len(batches), contest)
    proof = compare(net, device, reference)
    if not proof.holds:
        return race.stopped("wrong-result", proof.problem, proof)
    accuracy = device.accuracy(test)
    if accuracy < MIN_ACCURACY:
        problem = f"it recognises only {accuracy:.1%} of the test images."
        return race.stopped("wrong-result", problem, proof)
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
        repeats=repeats(contest.device, net, batches, device.losses),
    )
    # The comparison is over, so further steps do no harm; to the end train only the two.
    split, apart = race.step_split(), race.steps_apart(turns)
    return structs.replace(race.timed(turns, split, apart), training=training)


def measure_steps(net: Net, batch_size: int, contest: Contest) -> Outcome:
    """Prove one training step at another batch size, and time it."""
    return measure_batch(net, load_digits()[0].batches(batch_size)[:1], contest)


def measure_batch(net: Trainable, batches: Sequence[Digits], contest: Contest) -> Outcome:
    """Prove one training step on the only one of these batches, and time it."""
    batch_size = len(batches[0].labels)
    # Whoever keeps what it computed once has nothing of the second.
    batches = [batches[0], unseen(batches[0])]
    patience = contest.effort.patience_seconds
    started = plan.started(TrainingSteps(net.name, batch_size))
    race = begun(started, net, batches, contest, patience)
    unproved = race.unproved()
    if unproved is not None:
        return unproved
    race.reference.train(range(1))
    own, other = (run.train(range(1)) for run in (race.device, race.reference))
    predicted = (own + other) * 2 * MIN_ROUNDS
    if predicted > patience:
        problem = too_long("its first steps are right, but timing them", predicted)
        return race.stopped("skipped", problem, race.checked.proof, is_slower=own > other)
    split = race.step_split()
    turns = time_in_turns(
        [race.device.repeat_first_batch, race.reference.repeat_first_batch],
        contest.effort.seconds_per_case,
        contest.energy,
    )
    witness = contest.reference.witness(cast("Net", net))
    late = check_later_step(race.device, witness, batches, contest.alive)
    if not late.holds:
        return race.stopped("wrong-result", f"after many steps {late.problem}", late)
    for side in turns.sides:
        # From here on a run is an image.
        side.divide(batch_size)
    return race.timed(turns, split, race.steps_apart(turns))


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
