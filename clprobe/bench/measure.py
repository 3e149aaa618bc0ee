# SPDX-License-Identifier: MIT
"""Proves one case on a device, and only then times it beside the CPU references."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from msgspec import structs

from clprobe.bench.best_cpu import best_of
from clprobe.bench.cases import Case
from clprobe.bench.effort import Effort
from clprobe.bench.engines import Engine, Reference, Subject
from clprobe.bench.proof import Proof, prove
from clprobe.bench.protocol import Outcome, Started
from clprobe.bench.timing.clock import Contestant, seconds, time_in_turns
from clprobe.bench.timing.turns import MIN_ROUNDS, EnergyMeter, Turns, figure, ratios_to_all
from clprobe.bench.trust.audit import Timed, audit
from clprobe.bench.verdicts import judge, price, too_long, without_figures
from clprobe.bench.where import watch
from clprobe.model.measurement import BenchVerdict, Result, ResultStatus

# The first runs may still be cold.
_SPLIT_RUNS = 5
_LONG_SECONDS = 0.2
# Of the seconds of a case: no verdict depends on who is slower than another anyway.
_APART_PATIENCE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """The sides of every measurement; `label` is the device's name in the report.

    `device` and `reference` take turns; the `others` are timed after them, and the verdict holds
    the device against the fastest on the CPU. `alive` is to be called now and then during anything
    that takes long.
    """

    label: str
    device: Subject
    reference: Reference
    effort: Effort
    alive: Callable[[], None] = lambda: None
    others: tuple[Engine, ...] = ()
    energy: EnergyMeter = lambda: None


@dataclass(frozen=True, slots=True)
class TimeSplit:
    """One run by our clock, and its kernels by the device's."""

    wall_ms: float
    kernel_ms: float | None

    @property
    def launch_ms(self) -> float | None:
        """Return what the run takes besides its kernels; the two clocks may differ by a little."""
        return None if self.kernel_ms is None else max(0.0, self.wall_ms - self.kernel_ms)


def measure(case: Case, contest: Contest) -> Outcome:
    """Return the device's figure, the references' and the verdict; or why there are none."""
    stopped = partial(without_figures, case.started, contest.label)
    with contest.device.recording() as upload_ms:
        prepared = case.prepare(contest.device)
    first_started = time.perf_counter()
    values = prepared.result()
    first_seconds = time.perf_counter() - first_started
    expected = case.expected()
    proof = prove(values, expected, case.tolerance)
    if not proof.holds:
        return stopped("wrong-result", proof.problem, proof=proof)
    second_seconds = seconds(prepared.run, 1)
    references = [(engine, case.prepare(engine)) for engine in (contest.reference, *contest.others)]
    proofs = [prove(one.result(), expected, case.tolerance) for _, one in references]
    reference_seconds = seconds(references[0][1].run, 1)
    predicted = (second_seconds + reference_seconds) * 2 * MIN_ROUNDS
    if predicted > contest.effort.patience_seconds:
        problem = too_long("the device is right, but timing it", predicted)
        is_slower = second_seconds > reference_seconds
        return stopped("skipped", problem, proof=proof, is_slower=is_slower)
    split = time_split(contest.device, lambda: seconds(prepared.run, 1))
    where = watch(lambda: prepared.run(1), is_cpu=contest.device.is_cpu)
    turns = time_in_turns(
        [prepared.run, references[0][1].run],
        contest.effort.seconds_per_case,
        contest.energy,
    )
    # A device that grows hot or runs out of something may be wrong only now.
    last_proof = prove(prepared.result(), expected, case.tolerance)
    if not last_proof.holds:
        problem = f"after many runs {last_proof.problem}"
        return stopped("wrong-result", problem, proof=last_proof)
    if prepared.exchange is not None:
        other, right = case.other(expected)
        audited = audit(
            Timed(prepared.run, figure(turns, 0)[0].median, contest.device.is_cpu),
            *(prepared.exchange(other), (expected, right), case.tolerance, contest.alive),
        )
        if audited.problem:
            status: ResultStatus = "error" if audited.proof.holds else "wrong-result"
            return stopped(status, audited.problem, proof=audited.proof)
    own = structs.replace(
        _result(case, contest.label, proof, turns, 0),
        # Some runtimes put the real compilation off until the first launch.
        compile_ms=max(0.0, first_seconds - second_seconds) * 1e3,
        transfer_ms=upload_ms(),
        kernel_ms=split.kernel_ms,
        launch_ms=split.launch_ms,
        wall_ms=split.wall_ms,
        detail=_kernel_share(split),
        ran_on=where.ran_on,
        cpu_share=where.cpu_share,
    )
    # Between the two, another library's threads would slow down whoever comes next.
    beside = figure(turns, 1)[0].median
    apart = [time_apart(one.run, contest.effort, beside) for _, one in references[1:]]
    sides = [(turns, 1), *((one, 0) for one in apart)]
    return Outcome(
        results=(
            own,
            *(
                _result(case, engine.name, proved, *taken)
                for (engine, _), proved, taken in zip(references, proofs, sides, strict=True)
            ),
        ),
        verdict=_verdict(case, contest, turns, apart),
        other_cores=turns.other_cores,
    )


def _verdict(
    case: Case, contest: Contest, turns: Turns, apart: Sequence[Turns | None]
) -> BenchVerdict:
    others = zip((one.name for one in contest.others), apart, strict=True)
    reference, ratio = best_of(ratios_to_all(turns, contest.reference.name, tuple(others)))
    if case.started.metric == "latency":
        latency_us = case.figure(figure(turns, 0)[0].median)
        return price(
            case.started.name, contest.label, ratio, latency_us=latency_us, reference=reference
        )
    return judge(
        case.started.name,
        contest.label,
        ratio,
        reference=reference,
        is_cpu=contest.device.is_cpu,
        was_disturbed=bool(turns.other_cores),
    )


def _result(case: Case, name: str, proof: Proof, turns: Turns | None, side: int) -> Result:
    found = result_of(case.started, name, turns, side, case.figure)
    if turns is None:
        return found
    return structs.replace(
        found,
        max_error=proof.max_error,
        tolerance=case.tolerance,
        intensity=case.intensity,
        gflop_per_sample=case.gflop_per_sample,
    )


def result_of(
    started: Started,
    name: str,
    turns: Turns | None,
    side: int,
    figure_of: Callable[[float], float],
) -> Result:
    """Return the figure that one side's seconds per run amount to; None: nobody waited for it."""
    if turns is None:
        problem = "too slow to be timed beside the others."
        return without_figures(started, name, "skipped", problem).results[0]
    times, samples = figure(turns, side)
    low, high = sorted(figure_of(bound) for bound in times.ci95)
    return Result(
        device=name,
        workload=started.name,
        metric=started.metric,
        unit=started.unit,
        median=figure_of(times.median),
        ci95=(low, high),
        samples=samples,
        status="ok",
        batch=started.batch,
        ran_on="cpu",
    )


def _kernel_share(split: TimeSplit) -> str:
    if split.kernel_ms is None:
        return ""
    return f"kernels take {split.kernel_ms:.3g} ms of a run of {split.wall_ms:.3g} ms"


def time_apart(run: Contestant, effort: Effort, reference_seconds: float) -> Turns | None:
    """Return the samples of one who is no side of the race.

    None where they would take long and it is slower than the reference, so that no verdict
    depends on it.
    """
    taken = seconds(run, 1)
    is_long = taken * 2 * MIN_ROUNDS > _APART_PATIENCE * effort.seconds_per_case
    if is_long and taken > reference_seconds:
        return None
    return time_in_turns([run], effort.seconds_per_case / 2)


def time_split(device: Subject, run: Callable[[], float]) -> TimeSplit:
    """Return what the fastest of a few runs consists of; `run` returns its seconds."""
    taken = []
    for _ in range(_SPLIT_RUNS):
        with device.recording() as kernels_ms:
            elapsed = run()
        taken.append(TimeSplit(elapsed * 1e3, kernels_ms()))
        if elapsed > _LONG_SECONDS:
            break
    return min(taken, key=lambda one: one.wall_ms)
