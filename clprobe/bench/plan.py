# SPDX-License-Identifier: MIT
"""What each workload consists of, known before any device is opened, and the time it may take."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from clprobe.bench import cases
from clprobe.bench.effort import EFFORTS, Effort
from clprobe.bench.nets import BATCH, CNN, MLP, RESNET
from clprobe.bench.protocol import Asked, Job, OwnNet, Started
from clprobe.model.workload import TrainingSteps, WholeTraining

CASES = {
    "copy": cases.copy_cases,
    "launch": cases.launch_cases,
    "matmul": cases.matmul_cases,
    "conv": cases.conv_cases,
}
NETS = {"train-mlp": MLP, "train-cnn": CNN, "train-resnet": RESNET}

_OWN_SHARE = 0.9
"""Of a device's time, in which steps begin; the rest is for the last to end."""
_TIMED_SHARE = 0.35
"""Of a step's time: on a busy machine timing takes twice that, and kernels must be built."""
_PATIENCE_SHARES = 3
_LONGEST_SHARE = 0.5
"""Of the time left that one step may take: what comes after it is of interest too."""
_TRAINING_WEIGHT = 4
"""The steps that take as long as a training."""


def planned(workloads: Sequence[Asked], effort: Effort) -> Iterator[Started]:
    """Return what begins in turn if nothing breaks."""
    for workload in workloads:
        if isinstance(workload, OwnNet):
            yield from steps_of(workload, effort)
        elif workload in NETS:
            net = NETS[workload].name
            yield started(WholeTraining(net))
            yield from (started(TrainingSteps(net, size)) for size in effort.batches)
            yield from (cases.inference_started(net, size) for size in effort.batches)
        else:
            yield from (case.started for case in CASES[workload](effort))


def left_to_do(job: Job) -> list[Started]:
    """Return the steps of a job that no earlier child has dealt with."""
    steps = planned(job.workloads, EFFORTS[job.effort])
    return [step for step in steps if step.name not in job.done]


def steps_of(own: OwnNet, effort: Effort) -> Iterator[Started]:
    """Return the messages of a user's net: it has no data of its own to be trained with."""
    for size in sorted(set(own.batches) or {BATCH, *effort.batches}):
        yield started(TrainingSteps(own.name, size))


def started(workload: WholeTraining | TrainingSteps) -> Started:
    """Return the message that says that this training, or these steps of one, begin."""
    batch = workload.batch if isinstance(workload, TrainingSteps) else BATCH
    return Started(workload=workload, metric="throughput", unit="samples/s", batch=batch)


class Allowance:
    """So many seconds from now on for these steps; None: as many as they take."""

    def __init__(
        self,
        seconds: float | None,
        steps: Iterable[Started],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._seconds = seconds
        self._now = now
        self._started = now()
        self._weights = [_weight(step) for step in steps]

    def next_effort(self, effort: Effort) -> Effort | None:
        """Return what may be spent on the next step; None where the time is used up.

        What one step leaves, all that follow share.
        """
        weights, self._weights = self._weights or [1], self._weights[1:]
        if self._seconds is None:
            return effort
        left = _OWN_SHARE * self._seconds - (self._now() - self._started)
        if left <= 0:
            return None
        share = left * weights[0] / sum(weights)
        longest = _LONGEST_SHARE * left
        patience = min(_PATIENCE_SHARES * share, longest)
        return replace(
            effort,
            seconds_per_case=min(effort.seconds_per_case, _TIMED_SHARE * share),
            patience_seconds=min(effort.patience_seconds, patience),
            training_patience_seconds=min(effort.training_patience_seconds, longest),
        )

    @property
    def problem(self) -> str:
        """Return why a step does not begin."""
        return f"not run, as the device's {self._seconds or 0:.0f} s of this run were used up."


def _weight(step: Started) -> int:
    return _TRAINING_WEIGHT if isinstance(step.workload, WholeTraining) else 1


def share_of(deadline: float | None, devices: int, now: float) -> float | None:
    """Return the seconds that the next of so many devices may take, at least a moment."""
    return None if deadline is None else max(1.0, (deadline - now) / devices)
