# SPDX-License-Identifier: MIT
"""Trains a net on the device and on the CPU from the same weights, times both, and judges."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from msgspec import structs

from clprobe.bench import plan
from clprobe.bench.best_cpu import best_of
from clprobe.bench.digits import Digits, load_digits
from clprobe.bench.measure import Contest, result_of, time_apart, time_split
from clprobe.bench.nets import BATCH, Net
from clprobe.bench.proof import Proof
from clprobe.bench.protocol import Outcome, Started
from clprobe.bench.repeating import repeats
from clprobe.bench.timing.clock import come_to_rest, seconds, time_in_turns
from clprobe.bench.timing.quiet import mark
from clprobe.bench.timing.turns import MIN_ROUNDS, Side, Turns, figure, ratios_to_all, turns_of
from clprobe.bench.training_proof import (
    Checked,
    Run,
    Trainable,
    check_first_steps,
    check_later_step,
    compare,
    unseen,
)
from clprobe.bench.verdicts import judge, too_long, without_figures
from clprobe.bench.where import Where, ran_on
from clprobe.model.measurement import Result, ResultStatus, Training
from clprobe.model.workload import TrainingSteps, WholeTraining

MIN_ACCURACY = 0.95
# The first may map memory.
_TRANSFERS = 5


def measure_training(net: Net, contest: Contest) -> Outcome:
    """Train to the end, and return accuracy, speed and verdict; or why there are none."""
    train, test = load_digits()
    batches = train.batches(BATCH)
    patience = contest.effort.training_patience_seconds
    race = _begun(plan.started(WholeTraining(net.name)), net, batches, contest, patience)
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
    race = _begun(started, net, batches, contest, patience)
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


@dataclass(frozen=True, slots=True)
class _Race:
    """A net on both sides, of which the device took its first steps."""

    started: Started
    contest: Contest
    net: Trainable
    batches: Sequence[Digits]
    device: Run
    reference: Run
    checked: Checked
    compile_ms: float

    def stopped(
        self,
        status: ResultStatus,
        problem: str,
        proof: Proof | None = None,
        *,
        is_slower: bool = True,
    ) -> Outcome:
        """Return what to report where there are no figures."""
        return without_figures(
            *(self.started, self.contest.label, status, problem),
            proof=proof,
            losses=self.device.losses,
            is_slower=is_slower,
        )

    def unproved(self) -> Outcome | None:
        """Return what to report unless the first steps are right."""
        proof = self.checked.proof
        if proof is None:
            problem = too_long("proving its first steps", self.checked.seconds)
            return self.stopped("skipped", problem, is_slower=False)
        return None if proof.holds else self.stopped("wrong-result", proof.problem, proof)

    def step_split(self) -> dict[str, Any]:
        """Take one step on the device, and return what its result tells of that."""
        ways = self.contest.device.ways(self.batches[0])
        taken_ms = {
            how: 1e3 * min(seconds(_once(bring), 1) for _ in range(_TRANSFERS))
            for how, bring in ways.items()
        }
        used = next(iter(ways))
        busy, started = time.process_time(), time.perf_counter()
        split = time_split(self.contest.device, lambda: self.device.train(range(1)))
        elapsed = max(time.perf_counter() - started, 1e-9)
        cores = (time.process_time() - busy) / elapsed
        place = ran_on(cores, None, is_cpu=self.contest.device.is_cpu)
        # So short a look proves no disguise.
        is_sure = self.contest.device.is_cpu or place == "device"
        where = Where(cores, place if is_sure else "unknown")
        return {
            # Of its batch, which each step that is timed brings along.
            "transfer_ms": taken_ms[used],
            "transfer_copied_ms": taken_ms["copied"],
            "transfer_mapped_ms": taken_ms.get("mapped"),
            "transfer_by": used,
            "kernel_ms": split.kernel_ms,
            "launch_ms": split.launch_ms,
            "wall_ms": split.wall_ms,
            "ran_on": where.ran_on,
            "cpu_share": where.cpu_share,
        }

    def steps_apart(self, turns: Turns) -> list[Turns | None]:
        """Return what each of the others takes for an image, as `turns` do.

        Between the two, another library's threads would slow down whoever comes next.
        """
        batches = self.batches[:1]
        images = len(batches[0].labels)
        beside = figure(turns, 1)[0].median * images
        runs = [Run(engine, self.net, batches) for engine in self.contest.others]
        effort = self.contest.effort
        taken = [time_apart(run.repeat_first_batch, effort, beside) for run in runs]
        for one in taken:
            if one is not None:
                one.sides[0].divide(images)
        return taken

    def timed(self, turns: Turns, split: dict[str, Any], apart: Sequence[Turns | None]) -> Outcome:
        """Return the results of all sides, the device's first, and the verdict."""
        contest, proof, net = self.contest, self.checked.proof, self.net
        own = structs.replace(
            self._result(contest.label, turns, 0),
            max_error=None if proof is None else proof.max_error,
            tolerance=None if proof is None else proof.tolerance,
            compile_ms=self.compile_ms,
            intensity=net.intensity(self.started.batch or 1) if isinstance(net, Net) else None,
            detail=self.checked.note,
            **split,
        )
        others = [(one.name, taken) for one, taken in zip(contest.others, apart, strict=True)]
        best, ratio = best_of(ratios_to_all(turns, contest.reference.name, others))
        return Outcome(
            results=(
                own,
                self._result(contest.reference.name, turns, 1),
                *(self._result(name, taken, 0) for name, taken in others),
            ),
            verdict=judge(
                self.started.name,
                contest.label,
                ratio,
                reference=best,
                is_cpu=contest.device.is_cpu,
                was_disturbed=bool(turns.other_cores),
            ),
            other_cores=turns.other_cores,
        )

    def _result(self, name: str, turns: Turns | None, side: int) -> Result:
        found = result_of(self.started, name, turns, side, lambda seconds: 1 / seconds)
        joules = None if turns is None else turns.sides[side].joules_per_run
        work = self.net.least_gflop() if isinstance(self.net, Net) else None
        return structs.replace(found, energy_per_sample_j=joules, gflop_per_sample=work)


def _begun(
    started: Started,
    net: Trainable,
    batches: Sequence[Digits],
    contest: Contest,
    patience_seconds: float,
) -> _Race:
    """Take the device's first two steps and prove them."""
    compiled_before = contest.device.compile_ns()
    device, reference = (Run(one, net, batches) for one in (contest.device, contest.reference))
    # An engine for the user's nets is made for one of them and takes no other.
    witness = contest.reference.witness(cast("Net", net))
    checked = check_first_steps(device, witness, batches, patience_seconds, contest.alive)
    compile_ms = (contest.device.compile_ns() - compiled_before) / 1e6
    return _Race(started, contest, net, batches, device, reference, checked, compile_ms)


def _once(run: Callable[[], None]) -> Callable[[int], None]:
    """Return it as something that is timed."""
    return lambda _: run()


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
