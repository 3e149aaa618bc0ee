# SPDX-License-Identifier: MIT
"""What each workload consists of, known before any device is opened."""

from collections.abc import Iterator, Sequence

from clprobe.bench import cases
from clprobe.bench.effort import EFFORTS, Effort
from clprobe.bench.nets import BATCH, CNN, MLP, RESNET, Net
from clprobe.bench.protocol import Asked, Job, OwnNet, Started
from clprobe.model.workload import TrainingSteps, WholeTraining

CASES = {
    "copy": cases.copy_cases,
    "launch": cases.launch_cases,
    "matmul": cases.matmul_cases,
    "conv": cases.conv_cases,
}
NETS = {"train-mlp": MLP, "train-cnn": CNN, "train-resnet": RESNET}


def planned(workloads: Sequence[Asked], effort: Effort) -> Iterator[Started]:
    """Return what begins in turn if nothing breaks."""
    for workload in workloads:
        if isinstance(workload, OwnNet):
            yield from own_started(workload, effort)
        elif workload in NETS:
            net = NETS[workload]
            yield training_started(net)
            yield from (steps_started(net.name, size) for size in effort.batches)
        else:
            yield from (case.started for case in CASES[workload](effort))


def left_to_do(job: Job) -> list[Started]:
    """Return the steps of a job that no earlier child has dealt with."""
    steps = planned(job.workloads, EFFORTS[job.effort])
    return [step for step in steps if step.name not in job.done]


def training_started(net: Net) -> Started:
    """Return the message that says that this training begins."""
    return _steps(WholeTraining(net.name), BATCH)


def steps_started(net: str, batch_size: int) -> Started:
    """Return the message that says that steps at another batch size begin."""
    return _steps(TrainingSteps(net, batch_size), batch_size)


def own_started(net: OwnNet, effort: Effort) -> Iterator[Started]:
    """Return the messages of a user's net: it has no data of its own to be trained with."""
    yield from (steps_started(net.name, size) for size in sorted({BATCH, *effort.batches}))


def _steps(workload: WholeTraining | TrainingSteps, batch: int) -> Started:
    return Started(workload=workload, metric="throughput", unit="samples/s", batch=batch)
