# SPDX-License-Identifier: MIT
"""Measures devices one after the other, each in its own child process."""

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import structs

from clprobe.bench.child import run_job
from clprobe.bench.conditions.watch import Watch
from clprobe.bench.effort import EFFORTS
from clprobe.bench.plan import left_to_do, planned, share_of
from clprobe.bench.protocol import (
    Alive,
    Asked,
    Baseline,
    EffortName,
    Failed,
    Finished,
    Halved,
    Job,
    Joined,
    Outcome,
    Progress,
    Started,
    Step,
    Target,
    Tuned,
)
from clprobe.bench.verdicts import without_figures
from clprobe.model.measurement import Contestant, HalfPrecision, Peak, Tuning
from clprobe.model.workload import Operation

# A driver that breaks at everything must not do so for an hour.
_MOST_FAILURES = 2
# To open a device and the reference takes half of it.
_SHORTEST_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What to measure, the same for every device."""

    workloads: tuple[Asked, ...]
    effort: EffortName
    baseline: Baseline
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
    half: list[HalfPrecision] = field(default_factory=list)
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
    """Measure in a child process, and what comes after a step that broke it in another one."""
    job = Job(
        target=target,
        workloads=options.workloads,
        effort=options.effort,
        baseline=options.baseline,
        folder=str(Path.cwd()),
        tune=options.tune,
        seconds=seconds,
    )
    started = time.monotonic()
    broken: list[str] = []
    while (failure := _run_child(job, measured, progress)) is not None:
        job, step, failed = failure
        measured.complete &= failed.status == "wrong-result"
        measured.outcomes.append(
            without_figures(step, target.label, failed.status, failed.detail, is_slower=False)
        )
        broken.append(step.name)
        left = left_to_do(job)
        rest = None if seconds is None else seconds - (time.monotonic() - started)
        job = structs.replace(job, done=(*job.done, step.name), tune=False, seconds=rest)
        is_worth_another = (
            failed.status == "error"
            and step in left
            and left_to_do(job)
            and len(broken) < _MOST_FAILURES
            and (rest is None or rest >= _SHORTEST_SECONDS)
        )
        if not is_worth_another:
            measured.outcomes += _not_run(job, broken, failed)
            if failed.status != "skipped":
                _leave(target, failed, measured)
            return


def _run_child(
    job: Job, measured: Measured, progress: Progress
) -> tuple[Job, Started, Failed] | None:
    """Return the job as far as it came, the step that broke the child, and how; None: none did."""
    label, effort = job.target.label, EFFORTS[job.effort]
    current = Started(workload=Operation("the start"))
    total = len(list(planned(job.workloads, effort)))

    def show(workload: str) -> None:
        progress(Step(label, workload, len(job.done), total))

    with closing(run_job(job, effort.silence_seconds)) as messages:
        for message in messages:
            match message:
                case Started():
                    current = message
                    show(message.name)
                case Outcome():
                    measured.outcomes.append(message)
                    measured.watch.look(message.other_cores)
                    job = structs.replace(job, done=(*job.done, message.results[0].workload))
                    measured.complete &= message.results[0].status != "error"
                case Failed():
                    if current.name in job.done:
                        # It broke on the way to the next one.
                        left = left_to_do(job)
                        current = left[0] if left else Started(workload=Operation("the end"))
                    return job, current, message
                case Joined() | Tuned() | Halved():
                    _note(message, measured)
                case Alive(now=now) if now:
                    show(now)
                case Finished():
                    # Some drivers compile once more for it, for seconds.
                    show("keeping what was compiled for later")
    return None


def _note(message: Joined | Tuned | Halved, measured: Measured) -> None:
    """Add what tuning found, what half precision is worth, or contestants and peaks."""
    if isinstance(message, Halved):
        known = [one for one in measured.half if one.device != message.half.device]
        measured.half = [*known, message.half]
        return
    if isinstance(message, Tuned):
        measured.tunings.append(message.tuning)
        measured.complete &= not message.tuning.problem
        return
    measured.complete &= not message.refused
    for contestant in message.contestants:
        measured.contestants.setdefault(contestant.name, contestant)
    with_peaks = {peak.device for peak in measured.peaks}
    measured.peaks += (peak for peak in message.peaks if peak.device not in with_peaks)


def _leave(target: Target, message: Failed, measured: Measured) -> None:
    """Note why a contestant took no part, or did not stay to the end."""
    known = measured.contestants.get(target.label, target.contestant)
    measured.contestants[target.label] = structs.replace(
        known, status=message.status, detail=message.detail.partition("\n")[0]
    )


def _not_run(job: Job, broken: Sequence[str], failed: Failed) -> Iterator[Outcome]:
    """Return of all that is left that it was not run, and why."""
    problem = f"not run, as {' and '.join(broken)} failed before."
    if failed.status == "skipped":
        problem = f"not run, as {broken[-1]} took all the time that was left."
    for step in left_to_do(job):
        yield without_figures(step, job.target.label, "skipped", problem, is_slower=False)
