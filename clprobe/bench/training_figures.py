# SPDX-License-Identifier: MIT
"""Turns the samples of a proved training into results and a verdict."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec

from clprobe.bench.digits import Digits
from clprobe.bench.first_steps import Checked
from clprobe.bench.measure import TOO_SLOW_APART, Contest, TimeSplit, time_split
from clprobe.bench.nets import Net
from clprobe.bench.outcomes import without_figures
from clprobe.bench.protocol import Outcome, Started
from clprobe.bench.timing.clock import seconds
from clprobe.bench.timing.race import figure, ratio_to_reference
from clprobe.bench.timing.turns import Turns
from clprobe.bench.trained import Trainable
from clprobe.bench.verdicts import judge
from clprobe.bench.where import Where, ran_on
from clprobe.model.measurement import Result

# The first may map memory.
_TRANSFERS = 5


@dataclass(frozen=True, slots=True)
class StepSplit:
    """One training step on the device, taken apart."""

    split: TimeSplit
    where: Where
    transfer_ms: float
    """Of its batch, which lies on the device when the step is timed."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What is known of the device besides its samples."""

    checked: Checked
    compile_ms: float
    step: StepSplit
    net: Trainable
    batch_size: int


def record_step(contest: Contest, train: Callable[[], float], batch: Digits) -> StepSplit:
    """Return one step on the device, taken apart."""
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
    return StepSplit(split, where if is_sure else Where(cores, "unknown"), transfer_ms)


def timed(
    started: Started,
    contest: Contest,
    turns: Turns,
    shown: Shown,
    apart: Sequence[Turns | None] = (),
) -> Outcome:
    """Return the results of all sides, the device's first, and the verdict."""
    others = zip(contest.others, apart, strict=False)
    return Outcome(
        results=(
            _throughput(started, contest.label, turns, 0, shown),
            _throughput(started, contest.reference.name, turns, 1, None),
            # Training to the end is for two.
            *(_beside(started, one.name, own) for one, own in others),
        ),
        verdict=judge(
            started.name,
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
    started: Started, name: str, turns: Turns, index: int, shown: Shown | None
) -> Result:
    times, samples = figure(turns, index)
    low, high = sorted(1 / bound for bound in times.ci95)
    figures = Result(
        device=name,
        workload=started.name,
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
    step, proof = shown.step, shown.checked.proof
    return msgspec.structs.replace(
        figures,
        max_error=None if proof is None else proof.max_error,
        tolerance=None if proof is None else proof.tolerance,
        compile_ms=shown.compile_ms,
        transfer_ms=step.transfer_ms,
        kernel_ms=step.split.kernel_ms,
        launch_ms=step.split.launch_ms,
        wall_ms=step.split.wall_ms,
        intensity=shown.net.intensity(shown.batch_size) if isinstance(shown.net, Net) else None,
        detail=shown.checked.note,
        ran_on=step.where.ran_on,
        cpu_share=step.where.cpu_share,
    )
