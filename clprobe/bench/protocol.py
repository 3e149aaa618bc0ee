# SPDX-License-Identifier: MIT
"""What bench, its child processes and who asked for it say to each other.

Between processes it is one JSON document per line.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import msgspec

from clprobe.bench.theoretical import Theoretical
from clprobe.model.measurement import (
    BenchVerdict,
    Contestant,
    ContestantKind,
    HalfPrecision,
    Peak,
    Result,
    ResultStatus,
    Training,
    Tuning,
)
from clprobe.model.workload import Workload

Baseline = Literal["torch", "numpy"]
LossName = Literal["cross-entropy", "mse"]
EffortName = Literal["quick", "default", "full"]


class OwnNet(msgspec.Struct, frozen=True, tag=True):
    """A net of the user's own."""

    module: str
    name: str
    """Of the class, or of what makes the net."""
    input_shape: tuple[int, ...] = ()
    """Of one sample; empty where the class says it."""
    batches: tuple[int, ...] = ()
    """How many samples a step takes; empty where the effort says it."""
    loss: LossName | None = None

    def __str__(self) -> str:
        """Return it as --workload takes it."""
        return f"{self.module}:{self.name}"


Asked = str | OwnNet
"""One of WORKLOADS, or a net of the user's own."""

WORKLOADS = (
    *("copy", "launch", "matmul"),
    # What is asked most comes before what explains it: the last may find no time left.
    *("train-mlp", "train-cnn", "train-resnet"),
    "conv",
)
QUICK_WORKLOADS = tuple(one for one in WORKLOADS if one != "train-resnet")


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """A device as its driver names it; `position` tells apart those that share all names.

    A name or version of None is not known and fits any. Torch's own devices have no library.
    `caveat` is what other programs meet on it, `short` what people call it.
    """

    label: str
    library: str = ""
    platform: str | None = None
    name: str | None = None
    driver_version: str | None = None
    position: int = 0
    kind: ContestantKind = "opencl"
    theoretical: Theoretical | None = None
    caveat: str = ""
    short: str = ""

    @property
    def contestant(self) -> Contestant:
        """Return it as one that takes part."""
        return Contestant(
            name=self.label,
            kind=self.kind,
            version=self.driver_version,
            detail=self.caveat,
            hardware=self.name,
            platform=self.platform,
            short=self.short,
        )


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What a child process is to measure; `kernels` names another folder than the shipped one.

    `tune`: first, measure which configurations of the kernels are fastest, and keep them.
    """

    target: Target
    workloads: tuple[Asked, ...]
    effort: EffortName
    baseline: Baseline
    kernels: str | None = None
    folder: str = "."
    """Where the user's own nets are looked for."""
    tune: bool = False
    seconds: float | None = None
    """How long all of it may take; None: as long as it takes."""
    done: tuple[str, ...] = ()
    """Names of workloads that are not to be done, as an earlier child ended with or after them."""


class Started(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The child now works on this; if nothing follows, this is what broke it."""

    workload: Workload
    metric: str = ""
    unit: str = ""
    batch: int | None = None
    """Samples per training step."""

    @property
    def name(self) -> str:
        """Return what documents call it."""
        return str(self.workload)


class Joined(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """These take part, and this is the most that the device reaches.

    `refused`: what is left out of its figures, and why.
    """

    contestants: tuple[Contestant, ...]
    peaks: tuple[Peak, ...]
    refused: str = ""


class Outcome(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """All that came of one workload; the references' own figures stand beside the device's.

    `other_cores`: the most processors that other programs kept busy while it was timed; 0: they
    rested; None: unknown.
    """

    results: tuple[Result, ...]
    verdict: BenchVerdict
    training: Training | None = None
    other_cores: float | None = None


class Tuned(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What tuning the device found."""

    tuning: Tuning


class Halved(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What half precision is worth on the device."""

    half: HalfPrecision


class Alive(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Something long is making progress; `now` says how far it is, in words."""

    now: str = ""


class Finished(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The child did everything that it was asked."""


class Failed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The device cannot be used at all."""

    detail: str
    status: ResultStatus = "error"


Message = Started | Joined | Tuned | Halved | Alive | Outcome | Finished | Failed


@dataclass(frozen=True, slots=True)
class Step:
    """What a device does now, and how many of its workloads are done."""

    device: str
    workload: str
    """Or what comes before or after them, in words."""
    done: int
    total: int


Progress = Callable[[Step], None]
