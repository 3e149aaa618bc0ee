# SPDX-License-Identifier: MIT
"""What bench measures and concludes, in the contract's words."""

from typing import Literal

import msgspec

ResultStatus = Literal["ok", "wrong-result", "unsupported", "skipped", "error"]
Decision = Literal["device", "cpu", "no-difference", "refused"]


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One measured figure; `ci95` is (low, high) in `unit`, figures are None unless `ok`."""

    device: str
    workload: str
    metric: str
    unit: str
    median: float | None
    ci95: tuple[float, float] | None
    samples: int
    status: ResultStatus
    max_error: float | None = None
    tolerance: float | None = None
    compile_ms: float | None = None
    transfer_ms: float | None = None
    fraction_of_peak: float | None = None
    detail: str = ""


class Training(msgspec.Struct, frozen=True, kw_only=True):
    """One training run; `accuracy` is the share of test samples classified rightly."""

    device: str
    model: str
    loss: tuple[float, ...]
    accuracy: float | None
    samples_per_second: float | None
    matches_reference: bool | None
    status: ResultStatus = "ok"
    detail: str = ""


class BenchVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """Device against CPU on one workload; `ratio` above 1: the device is faster."""

    workload: str
    device: str
    ratio: float | None
    ci95: tuple[float, float] | None
    decision: Decision
    text: str


class BenchReport(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a bench run found."""

    host: dict[str, str | int | None]
    baseline: str
    results: tuple[Result, ...]
    training: tuple[Training, ...]
    verdicts: tuple[BenchVerdict, ...]
