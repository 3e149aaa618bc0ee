# SPDX-License-Identifier: MIT
"""Measures devices one after the other, each in its own child process."""

import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import structs

from clprobe.bench.allowance import share_of
from clprobe.bench.child import run_job
from clprobe.bench.conditions.watch import Watch
from clprobe.bench.effort import EFFORTS
from clprobe.bench.outcomes import not_reached, without_figures
from clprobe.bench.plan import planned
from clprobe.bench.progress import Progress, Step
from clprobe.bench.protocol import (
    Baseline,
    EffortName,
    Failed,
    Finished,
    Job,
    Joined,
    Outcome,
    Started,
    Target,
    Tuned,
    Workload,
)
from clprobe.model.measurement import Contestant, Peak, Tuning


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What to measure, the same for every device; `kernels` stands in for the shipped folder."""

    workloads: tuple[Workload, ...]
    effort: EffortName
    baseline: Baseline
    kernels: Path | None = None
    tune: bool = False
    deadline: float | None = None
    """By time.monotonic(), when all devices are to be done; None: whenever they are."""


@dataclass(slots=True)
class Measured:
    """What was measured so far; it grows while devices are measured, so nothing is ever lost."""

    outcomes: list[Outcome] = field(default_factory=list)
    complete: bool = True
    """Whether every device did, or refused to do, all that it was asked."""
    interrupted: bool = False
    tunings: list[Tuning] = field(default_factory=list)
    contestants: dict[str, Contestant] = field(default_factory=dict)
    """By their names, as references take part beside every device."""
    peaks: list[Peak] = field(default_factory=list)
    watch: Watch = field(default_factory=Watch)


def measure_devices(
    targets: Sequence[Target], options: Options, measured: Measured, progress: Progress
) -> None:
    """Add to `measured` what comes of every target."""
    for index, target in enumerate(targets):
        # What one device leaves, all that follow share.
        seconds = share_of(options.deadline, len(targets) - index, time.monotonic())
        _measure_device(target, options, measured, progress, seconds)


def _measure_device(
    target: Target,
    options: Options,
    measured: Measured,
    progress: Progress,
    seconds: float | None,
) -> None:
    job = Job(
        target=target,
        workloads=options.workloads,
        effort=options.effort,
        baseline=options.baseline,
        folder=str(Path.cwd()),
        kernels=None if options.kernels is None else str(options.kernels.resolve()),
        tune=options.tune,
        seconds=seconds,
    )
    total = len(list(planned(job.workloads, EFFORTS[job.effort])))
    current = Started(workload="the start")
    done: set[str] = set()

    def show(workload: str) -> None:
        progress(Step(target.label, workload, len(done), total))

    with closing(run_job(job, EFFORTS[options.effort].silence_seconds)) as messages:
        for message in messages:
            match message:
                case Started():
                    current = message
                    show(message.workload)
                case Joined():
                    _join(message, measured)
                case Outcome():
                    measured.outcomes.append(message)
                    measured.watch.look(message.other_cores)
                    done.add(message.results[0].workload)
                    measured.complete &= message.results[0].status != "error"
                case Tuned():
                    measured.tunings.append(message.tuning)
                    measured.complete &= not message.tuning.problem
                case Finished():
                    # Some drivers compile once more for it, for seconds.
                    show("keeping what was compiled for later")
                case Failed():
                    measured.complete &= message.status == "wrong-result"
                    measured.outcomes += _after_failure(job, current, done, message)
                    if message.status != "skipped":
                        _leave(target, message, measured)


def _join(message: Joined, measured: Measured) -> None:
    """Add contestants and peaks."""
    for contestant in message.contestants:
        measured.contestants.setdefault(contestant.name, contestant)
    measured.peaks += message.peaks


def _leave(target: Target, message: Failed, measured: Measured) -> None:
    """Note why a contestant took no part, or did not stay to the end."""
    known = measured.contestants.get(target.label)
    took_part = Contestant(name=target.label, kind=target.kind, version=target.driver_version)
    measured.contestants[target.label] = structs.replace(
        known or took_part, status=message.status, detail=message.detail.partition("\n")[0]
    )


def _after_failure(
    job: Job, current: Started, done: Collection[str], failed: Failed
) -> Iterator[Outcome]:
    """Return the failure, and that all after it was not run."""
    label = job.target.label
    steps = planned(job.workloads, EFFORTS[job.effort])
    remaining = [step for step in steps if step.workload not in done]
    if current.workload in done:
        # It broke on the way to the next one.
        current = remaining[0] if remaining else Started(workload="the end")
    yield without_figures(current, label, failed.status, failed.detail, is_slower=False)
    for step in remaining:
        if step.workload == current.workload:
            continue
        if failed.status == "skipped":
            problem = f"not run, as {current.workload} took all the time that was left."
            yield without_figures(step, label, failed.status, problem, is_slower=False)
        else:
            yield not_reached(step, label, current.workload)
