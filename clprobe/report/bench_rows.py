# SPDX-License-Identifier: MIT
"""What every form of the bench report shows of each device, in words that are safe to print."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clprobe.model.measurement import BenchReport, BenchVerdict, Decision, Result, Training
from clprobe.report.bench_words import REFERENCES, Judged, conclusions, effect, is_cost
from clprobe.report.terminal import safe

_BAR_LIMIT = 16.0
_QUIET_PERCENT = 10

RATIO_NOTE = "Ratio: device over CPU, above 1 the device is faster."


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One workload; texts are empty where there are no figures."""

    workload: str
    device: str
    cpu: str
    ratio: str
    interval: str
    share: float | None
    """The ratio on a logarithmic scale from 0 (16 times slower) over ½ (equal) to 1."""
    decision: Decision
    effect: str
    """The verdict in two words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One device."""

    device: str
    reference: str
    """What the device is compared with, as a heading."""
    rows: tuple[Row, ...]
    conclusions: tuple[tuple[Decision, str], ...]
    training: tuple[str, ...]


def sections_of(report: BenchReport) -> tuple[Section, ...]:
    """Return one section per device, in the order in which they were measured."""
    devices = dict.fromkeys(verdict.device for verdict in report.verdicts)
    return tuple(_section(report, device) for device in devices)


def conditions(report: BenchReport) -> str:
    """Return what the figures are, and whether they can be trusted."""
    text = (
        f"Medians; device and {REFERENCES.get(report.baseline, report.baseline)} were measured in "
        "turns in one process. Faster or slower: the 95 % bootstrap interval of the ratio leaves "
        "out 1."
    )
    other_load = report.host.get("other_load_percent")
    if isinstance(other_load, int) and other_load > _QUIET_PERCENT:
        text += (
            f" Other programs used {other_load} % of the CPU meanwhile, so do not rely on these "
            "figures: measure again when they rest."
        )
    return text


def _section(report: BenchReport, device: str) -> Section:
    results = {result.workload: result for result in report.results if result.device == device}
    judged = [
        (verdict, results[verdict.workload])
        for verdict in report.verdicts
        if verdict.device == device
    ]
    return Section(
        device=safe(device),
        reference=REFERENCES.get(report.baseline, safe(report.baseline)),
        rows=tuple(_rows(judged)),
        conclusions=tuple(
            (decision, safe(text)) for decision, text in conclusions(judged, report.baseline)
        ),
        training=tuple(
            safe(_lesson(entry, entry.accuracy))
            for entry in report.training
            # Why one did not end is among the conclusions.
            if entry.device == device and entry.accuracy is not None
        ),
    )


def _rows(judged: Sequence[Judged]) -> Iterator[Row]:
    for verdict, result in judged:
        yield Row(
            workload=verdict.workload,
            device="" if result.median is None else _figure(result.median, result.unit),
            cpu=_cpu_figure(result, verdict),
            ratio="" if verdict.ratio is None else _significant(verdict.ratio),
            interval="" if verdict.ci95 is None else " to ".join(map(_significant, verdict.ci95)),
            share=None if verdict.ratio is None or is_cost(result) else _share(verdict.ratio),
            decision=verdict.decision,
            effect=effect(verdict, result),
        )


def _cpu_figure(result: Result, verdict: BenchVerdict) -> str:
    if result.median is None or verdict.ratio is None:
        return ""
    is_time = result.metric == "latency"
    median = result.median * verdict.ratio if is_time else result.median / verdict.ratio
    return _figure(median, result.unit)


def _lesson(training: Training, accuracy: float) -> str:
    first, last = training.loss[0], training.loss[-1]
    return (
        f"{training.model}: {accuracy:.1%} of test images right, loss {first:.2f} to {last:.3f}, "
        "as the reference"
    )


def _share(ratio: float) -> float:
    bounded = min(max(ratio, 1 / _BAR_LIMIT), _BAR_LIMIT)
    return 0.5 + math.log(bounded, _BAR_LIMIT) / 2


def _figure(value: float, unit: str) -> str:
    return f"{_significant(value)} {unit}"


def _significant(value: float) -> str:
    """Return three digits, or all digits before the point, and never an exponent."""
    if value <= 0:
        return "0"
    return f"{value:.{max(0, 2 - math.floor(math.log10(value)))}f}"
