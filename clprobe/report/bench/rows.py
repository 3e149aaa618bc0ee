# SPDX-License-Identifier: MIT
"""What every form of the bench report shows of each device, in words that are safe to print."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clprobe.model.measurement import (
    BenchReport,
    BenchVerdict,
    Decision,
    Result,
    Training,
    short_names,
)
from clprobe.model.workload import in_order
from clprobe.report.bench.transfers import transfers_of
from clprobe.report.bench.words import (
    REFERENCES,
    Judged,
    conclusions,
    effect,
    is_cost,
    significant,
    span,
)
from clprobe.report.terminal import safe

_BAR_LIMIT = 16.0

RATIO_NOTE = "Ratio: device over CPU, above 1 the device is faster."


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One workload; texts are empty where there are no figures."""

    workload: str
    figure: str
    """The device's, as the next in `unit`."""
    cpu_figure: str
    unit: str
    ratio: str
    interval: str
    share: float | None
    """The ratio on a logarithmic scale from 0 (16 times slower) over ½ (equal) to 1."""
    decision: Decision
    effect: str
    """The verdict in two words."""

    @property
    def device(self) -> str:
        """Return the device's figure with its unit."""
        return f"{self.figure} {self.unit}" if self.figure else ""

    @property
    def cpu(self) -> str:
        """Return the reference's figure with its unit."""
        return f"{self.cpu_figure} {self.unit}" if self.cpu_figure else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One device."""

    device: str
    short: str
    """What people call it."""
    reference: str
    """What the device is compared with, as a heading."""
    rows: tuple[Row, ...]
    conclusions: tuple[tuple[Decision, str], ...]
    training: tuple[str, ...]
    transfers: tuple[str, ...]
    """How it gets batches, if it was trained."""
    crossovers: tuple[str, ...]


def sections_of(report: BenchReport) -> tuple[Section, ...]:
    """Return one section per device, in the order in which they were measured."""
    devices = dict.fromkeys(verdict.device for verdict in report.verdicts)
    return tuple(_section(report, device) for device in devices)


def method(report: BenchReport) -> str:
    """Return what the figures are."""
    return (
        f"Medians; device and {_reference(report)} were measured in turns in one process, other "
        "libraries after them; the fastest counts. Faster or slower: the 95 % bootstrap interval "
        "of the ratio leaves out 1."
    )


def cost_workloads(report: BenchReport, device: str) -> set[str]:
    """Return the workloads whose figure is what the device costs, in which there is no race."""
    return {one.workload for one in report.results if one.device == device and is_cost(one)}


def _section(report: BenchReport, device: str) -> Section:
    results = {result.workload: result for result in report.results if result.device == device}
    judged = [
        (verdict, results[verdict.workload])
        for verdict in report.verdicts
        if verdict.device == device and verdict.workload in results
    ]
    judged.sort(key=lambda one: in_order(one[0].workload, one[1].batch))
    return Section(
        device=safe(device),
        short=safe(short_names(report.contestants).get(device, device)),
        reference=_compared_with(report, judged),
        rows=tuple(_rows(judged)),
        conclusions=tuple(
            (decision, safe(text))
            for decision, text in conclusions(judged, _compared_with(report, judged))
        ),
        training=tuple(
            safe(_lesson(entry, entry.accuracy))
            for entry in report.training
            # Why one did not end is among the conclusions.
            if entry.device == device and entry.accuracy is not None and entry.loss
        ),
        transfers=tuple(filter(None, [safe(transfers_of(report, device))])),
        crossovers=tuple(safe(one.text) for one in report.crossovers if one.device == device),
    )


def _compared_with(report: BenchReport, judged: Sequence[Judged]) -> str:
    """Return what the device is compared with: the one library, or the best of several."""
    kinds = {one.name: one.kind for one in report.contestants}
    names = {kinds.get(verdict.against, "") for verdict, _ in judged if verdict.against}
    if names == {"numpy"}:
        return REFERENCES["numpy"]
    return "best CPU" if "numpy" in names else _reference(report)


def _reference(report: BenchReport) -> str:
    return REFERENCES.get(report.baseline, safe(report.baseline))


def _rows(judged: Sequence[Judged]) -> Iterator[Row]:
    for verdict, result in judged:
        yield Row(
            workload=safe(verdict.workload),
            figure=significant(result.median),
            cpu_figure=_cpu_figure(result, verdict),
            unit="" if result.median is None else safe(result.unit),
            ratio=significant(verdict.ratio),
            interval=span(verdict.ci95),
            share=None if verdict.ratio is None or is_cost(result) else _share(verdict.ratio),
            decision=verdict.decision,
            effect=effect(verdict, result),
        )


def _cpu_figure(result: Result, verdict: BenchVerdict) -> str:
    if result.median is None or verdict.ratio is None:
        return ""
    is_time = result.metric == "latency"
    median = result.median * verdict.ratio if is_time else result.median / verdict.ratio
    return significant(median)


def _lesson(training: Training, accuracy: float) -> str:
    first, last = training.loss[0], training.loss[-1]
    again = {
        True: "; repeated bit-equal, as a sound driver does",
        False: "; not bit-equal when repeated: the driver computes now one way, now another",
        None: "",
    }
    return (
        f"{training.model}: {accuracy:.1%} of test images right, loss {first:.2f} to {last:.3f}, "
        f"as the reference{again[training.repeats]}"
    )


def _share(ratio: float) -> float:
    bounded = min(max(ratio, 1 / _BAR_LIMIT), _BAR_LIMIT)
    return 0.5 + math.log(bounded, _BAR_LIMIT) / 2
