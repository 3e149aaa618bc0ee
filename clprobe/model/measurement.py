# SPDX-License-Identifier: MIT
"""What bench measures and concludes, in the contract's words."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import msgspec

ResultStatus = Literal["ok", "wrong-result", "unsupported", "skipped", "error"]
Decision = Literal["device", "cpu", "no-difference", "unclear", "refused"]
"""`no-difference`: the two are alike; `unclear`: these samples, or no samples, cannot tell."""
Interval = tuple[float, float]
"""Low and high."""
RanOn = Literal["device", "cpu", "unknown"]
TransferBy = Literal["copied", "mapped"]
LimitedBy = Literal["launch", "transfer", "bandwidth", "arithmetic"]
ContestantKind = Literal["opencl", "torch-cpu", "numpy", "torch-xpu", "torch-ocl"]


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One measured figure; `ci95` is (low, high) in `unit`, figures are None unless `ok`.

    `compile_ms` and `transfer_ms` (of the operands) are spent once, in training that of a batch
    with each step, of which it is a part; `wall_ms` is one repetition, of which `kernel_ms` is
    computing and `launch_ms` starting and waiting. `transfer_by`: how a step gets its batch, which
    takes `transfer_copied_ms` or, in memory that device and host share, `transfer_mapped_ms`.
    `intensity`: floating point operations per byte that must at least be
    moved. Peaks are in `unit`, and so is `bound`, above which no figure is believed; the work of a
    sample, at the least, is `gflop_per_sample`. `remark`: a sentence on what was left out of the
    workload.
    """

    device: str
    workload: str
    metric: str
    unit: str
    median: float | None
    ci95: Interval | None
    samples: int
    status: ResultStatus
    max_error: float | None = None
    tolerance: float | None = None
    compile_ms: float | None = None
    transfer_ms: float | None = None
    transfer_by: TransferBy | None = None
    transfer_copied_ms: float | None = None
    transfer_mapped_ms: float | None = None
    fraction_of_peak: float | None = None
    detail: str = ""
    batch: int | None = None
    kernel_ms: float | None = None
    launch_ms: float | None = None
    wall_ms: float | None = None
    intensity: float | None = None
    theoretical_peak: float | None = None
    measured_peak: float | None = None
    fraction_of_theoretical: float | None = None
    bound: float | None = None
    gflop_per_sample: float | None = None
    remark: str = ""
    energy_per_sample_j: float | None = None
    ran_on: RanOn = "unknown"
    cpu_share: float | None = None
    limited_by: LimitedBy | None = None


class Training(msgspec.Struct, frozen=True, kw_only=True):
    """One training run; `accuracy` is the share of test samples classified rightly.

    `loss` and `reference_loss` have one value per step; `seconds` is the whole training. `repeats`:
    whether its first epoch, taken again, was the same to the last bit.
    """

    device: str
    model: str
    loss: tuple[float, ...]
    accuracy: float | None
    samples_per_second: float | None
    matches_reference: bool | None
    status: ResultStatus = "ok"
    detail: str = ""
    reference_loss: tuple[float, ...] = ()
    target_accuracy: float | None = None
    epochs_to_target: int | None = None
    seconds: float | None = None
    repeats: bool | None = None


class BenchVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """Device against CPU on one workload; `ratio` above 1: the device is faster.

    `against` is the fastest of those that computed it on the CPU; "" where nothing was compared.
    `why`, in a few words, samples cannot tell.
    """

    workload: str
    device: str
    ratio: float | None
    ci95: Interval | None
    decision: Decision
    text: str
    against: str = ""
    why: str = ""


class Contestant(msgspec.Struct, frozen=True, kw_only=True):
    """What took part, or why it did not; `name` is what results call their device.

    `detail` says why not, or what other programs meet on a device that took part. `hardware` and
    `platform` are what a driver calls the device and itself, `short` what people call it.
    """

    name: str
    kind: ContestantKind
    version: str | None = None
    threads: int | None = None
    status: ResultStatus = "ok"
    detail: str = ""
    hardware: str | None = None
    platform: str | None = None
    short: str = ""


class Peak(msgspec.Struct, frozen=True, kw_only=True):
    """The most that a device can do: `theoretical` from its data sheet, `how` it was worked out.

    `bound`: what no device of its kind exceeds; where no driver states the clock, more than
    `theoretical`.
    """

    device: str
    unit: Literal["GFLOP/s", "GB/s"]
    theoretical: float | None = None
    measured: float | None = None
    how: str = ""
    bound: float | None = None
    bound_how: str = ""


class Crossover(msgspec.Struct, frozen=True, kw_only=True):
    """The smallest batch from which on the device is faster; None: at none that was measured."""

    device: str
    model: str
    batch: int | None
    text: str


class FrequencyMhz(msgspec.Struct, frozen=True, kw_only=True):
    """The CPU's clock while bench ran."""

    start: float | None = None
    end: float | None = None
    lowest: float | None = None


class TemperatureC(msgspec.Struct, frozen=True, kw_only=True):
    """The processor's temperature before and after."""

    start: float | None = None
    end: float | None = None


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """What the machine was like meanwhile; `warnings` are sentences. None: could not be read."""

    other_load_percent: int | None = None
    frequency_mhz: FrequencyMhz | None = None
    temperature_c: TemperatureC | None = None
    throttled: bool | None = None
    warnings: tuple[str, ...] = ()


class TunedProduct(msgspec.Struct, frozen=True, kw_only=True):
    """The fastest configuration for a product of matrices or a convolution, and the one before."""

    product: str
    configuration: str
    gflops: float
    gflops_before: float


class RejectedConfiguration(msgspec.Struct, frozen=True, kw_only=True):
    """A configuration that is never used: it exceeds a limit, does not build or is wrong."""

    product: str
    configuration: str
    reason: str


class Tuning(msgspec.Struct, frozen=True, kw_only=True):
    """What measuring configurations on one device found; `problem` if it could not be finished."""

    device: str
    seconds: float
    found: tuple[TunedProduct, ...] = ()
    rejected: tuple[RejectedConfiguration, ...] = ()
    problem: str = ""


class HalfPrecision(msgspec.Struct, frozen=True, kw_only=True):
    """Whether half precision pays on a device, in `text` with the reason.

    Rates are those of one product in float and as autocast would take it; `max_error` is of the sum
    of its terms' sizes. None: not measured, for the device does not calculate in half.
    """

    device: str
    pays: bool
    text: str
    float_gflops: float | None = None
    half_gflops: float | None = None
    max_error: float | None = None
    tolerance: float | None = None


class BenchReport(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a bench run found; `effort` is quick, default or full.

    `headline`: the answer in one sentence, for whoever reads no table, about the device `best`.
    `date` of the run. `interrupted`: it ended
    before everything that was asked had its turn. `snapshot`: the facts of the host, scrubbed, a
    clprobe.snapshot/1 by itself.
    """

    host: dict[str, str | int | None]
    baseline: str
    results: tuple[Result, ...]
    training: tuple[Training, ...]
    verdicts: tuple[BenchVerdict, ...]
    effort: str | None = None
    contestants: tuple[Contestant, ...] = ()
    conditions: Conditions = Conditions()
    peaks: tuple[Peak, ...] = ()
    crossovers: tuple[Crossover, ...] = ()
    interrupted: bool = False
    tuning: tuple[Tuning, ...] = ()
    half: tuple[HalfPrecision, ...] = ()
    snapshot: dict[str, Any] | None = None
    headline: str = ""
    best: str = ""
    date: str = ""


def cpu_devices(results: Iterable[Result], contestants: Iterable[Contestant]) -> set[str]:
    """Return the names of the OpenCL devices that are the CPU."""
    places: dict[str, set[str]] = {}
    for one in results:
        if one.status == "ok":
            places.setdefault(one.device, set()).add(one.ran_on)
    drivers = (one.name for one in contestants if one.kind == "opencl")
    return {name for name in drivers if places.get(name) == {"cpu"}}


def short_names(contestants: Sequence[Contestant]) -> dict[str, str]:
    """Return what sentences call each; of two that people call the same, the whole name."""
    counts = Counter(one.short for one in contestants)
    return {
        one.name: one.short if one.short and counts[one.short] == 1 else one.name
        for one in contestants
    }


def within_of(ci95: Interval) -> float:
    """Return by how much, at most, either side of a ratio's interval is the faster."""
    low, high = ci95
    return max(high, 1 / low if low > 0 else math.inf)


HOST_KEY = "other_load_percent"
"""In `host`: where documents of earlier versions keep it, and no fact of the host."""
_LOADED_PERCENT = 10


def other_load(report: BenchReport) -> int | None:
    """Return what other programs used of the CPU meanwhile, in percent; None: unknown."""
    if report.conditions.other_load_percent is not None:
        return report.conditions.other_load_percent
    load = report.host.get(HOST_KEY)
    return load if isinstance(load, int) else None


def was_loaded(report: BenchReport) -> bool:
    """Return whether other programs did so much that the figures may be off."""
    return (other_load(report) or 0) > _LOADED_PERCENT
