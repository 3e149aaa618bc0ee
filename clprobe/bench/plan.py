# SPDX-License-Identifier: MIT
"""What each workload consists of, known before any device is opened."""

from collections.abc import Iterator, Sequence

from clprobe.bench import cases
from clprobe.bench.effort import Effort
from clprobe.bench.nets import BATCH, CNN, MLP, Net
from clprobe.bench.protocol import Started, Workload

CASES = {
    "copy": cases.copy_cases,
    "launch": cases.launch_cases,
    "matmul": cases.matmul_cases,
    "conv": cases.conv_cases,
}
NETS = {"train-mlp": MLP, "train-cnn": CNN}


def planned(workloads: Sequence[Workload], effort: Effort) -> Iterator[Started]:
    """Return what begins in turn if nothing breaks."""
    for workload in workloads:
        if workload in NETS:
            net = NETS[workload]
            yield training_started(net)
            yield from (steps_started(net, size) for size in effort.batches)
        else:
            yield from (case.started for case in CASES[workload](effort))


def training_started(net: Net) -> Started:
    """Return the message that says that this training begins."""
    return _steps(f"train-{net.name}", BATCH)


def steps_started(net: Net, batch_size: int) -> Started:
    """Return the message that says that steps at another batch size begin."""
    return _steps(f"step-{net.name}-{batch_size}", batch_size)


def _steps(workload: str, batch: int) -> Started:
    return Started(workload=workload, metric="throughput", unit="samples/s", batch=batch)
