# SPDX-License-Identifier: MIT
"""The workloads that bench measures; documents hold what `str` makes of them."""

import re

import msgspec

from clprobe.model.measurement import Result

_NETS = re.compile(r"train-(?P<net>.+)|(?P<deed>step|infer)-(?P<of>.+)-(?P<batch>\d+)", re.ASCII)


class Operation(msgspec.Struct, frozen=True, tag=True):
    """One operation; `size` tells it from others of its kind. Or a stage that is no workload."""

    kind: str
    size: str = ""

    def __str__(self) -> str:
        """Return its name in documents."""
        return f"{self.kind}-{self.size}" if self.size else self.kind


class WholeTraining(msgspec.Struct, frozen=True, tag=True):
    """A net that is trained to the end."""

    net: str

    def __str__(self) -> str:
        """Return its name in documents."""
        return f"train-{self.net}"


class TrainingSteps(msgspec.Struct, frozen=True, tag=True):
    """Steps of a net's training, each on so many samples."""

    net: str
    batch: int

    def __str__(self) -> str:
        """Return its name in documents."""
        return f"step-{self.net}-{self.batch}"


class Inference(msgspec.Struct, frozen=True, tag=True):
    """What a net makes of so many samples at once, without any way back."""

    net: str
    batch: int

    def __str__(self) -> str:
        """Return its name in documents."""
        return f"infer-{self.net}-{self.batch}"


Workload = Operation | WholeTraining | TrainingSteps | Inference


def workload_named(name: str) -> Workload:
    """Return the workload that a document names."""
    found = _NETS.fullmatch(name)
    if found is None:
        kind, _, size = name.rpartition("-")
        return Operation(kind, size) if kind else Operation(name)
    if found["net"]:
        return WholeTraining(found["net"])
    batch = int(found["batch"])
    is_step = found["deed"] == "step"
    return TrainingSteps(found["of"], batch) if is_step else Inference(found["of"], batch)


def net_of(result: Result) -> str | None:
    """Return which net a figure is about, and that it is only used; None: no net."""
    workload = workload_named(result.workload)
    if result.batch is None or isinstance(workload, Operation):
        return None
    return f"{workload.net} inference" if isinstance(workload, Inference) else workload.net


def is_training(name: str) -> bool:
    """Return whether a net is trained."""
    return isinstance(workload_named(name), WholeTraining | TrainingSteps)


def in_order(name: str, batch: int | None) -> tuple[bool, str, tuple[int, ...]]:
    """Return what sorts workloads: trainings by net and batch, then operations by kind and size."""
    workload = workload_named(name)
    if isinstance(workload, Operation):
        return True, workload.kind, tuple(map(int, re.findall(r"\d+", workload.size)))
    return False, workload.net, (isinstance(workload, Inference), batch or 0)
