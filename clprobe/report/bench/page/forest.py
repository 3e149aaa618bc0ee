# SPDX-License-Identifier: MIT
"""Factors with their intervals below each other, around a line at 1."""

from collections.abc import Sequence
from dataclasses import dataclass

from clprobe.model.measurement import BenchReport, Decision
from clprobe.model.workload import in_order
from clprobe.report.bench.page.figure import figure, table
from clprobe.report.bench.page.markup import element, number, text
from clprobe.report.bench.page.plot import (
    WIDTH,
    Scale,
    log_scale,
    marker,
    picture,
    row_label,
    sample,
    tick_label,
    words,
)
from clprobe.report.bench.rows import cost_workloads
from clprobe.report.bench.words import significant, span

_DECISIONS: dict[Decision, tuple[int, str]] = {
    "device": (0, "device faster"),
    "cpu": (1, "CPU faster"),
    "no-difference": (2, "the same"),
    "refused": (3, "refused"),
    "unclear": (4, "unclear"),
}
"""Style and meaning."""
_ROW = 34
_EDGE = 12
_LEAST, _MOST = 0.1, 30.0
"""Where the axis is clipped: one noisy row would press all others together."""


@dataclass(frozen=True, slots=True)
class Factor:
    """One row; all numbers are above 0. `said`: what it means, in two words."""

    name: str
    ratio: float
    ci95: tuple[float, float]
    style: int
    said: str

    @property
    def told(self) -> str:
        """Return the figures in words."""
        low, high = map(significant, self.ci95)
        return f"{self.name}: {significant(self.ratio)}, between {low} and {high}"


def ratios(report: BenchReport, device: str, name: str) -> str | None:
    """Return the device's speed over the CPU's on every workload; None if it has no ratio."""
    costs = cost_workloads(report, device)
    batches = {one.workload: one.batch for one in report.results if one.device == device}
    factors = [
        Factor(verdict.workload, verdict.ratio, verdict.ci95, *_DECISIONS[verdict.decision])
        for verdict in sorted(
            report.verdicts, key=lambda one: in_order(one.workload, batches.get(one.workload))
        )
        if verdict.device == device
        and verdict.workload not in costs
        and verdict.ratio is not None
        and verdict.ci95 is not None
        and min(verdict.ratio, *verdict.ci95) > 0
    ]
    if not factors:
        return None
    title = "Speed of the device over that of the CPU"
    headings = ("workload", "ratio", "95 % interval", "verdict")
    hint = ": right of the line the device is faster"
    return forest(name, title, factors, headings, hint=hint)


def forest(
    name: str, title: str, factors: Sequence[Factor], headings: Sequence[str], *, hint: str = ""
) -> str:
    """Return the figure with its table; `name` is its own on the page, `hint` follows the title."""
    legend = dict(sorted((one.style, one.said) for one in factors))
    rows = [(one.name, significant(one.ratio), span(one.ci95), one.said) for one in factors]
    return figure(
        _drawn(name, title, factors),
        title + hint,
        [sample(style, line=False, mark=True) + text(said) for style, said in legend.items()],
        table(title, headings, rows),
    )


def _drawn(name: str, title: str, factors: Sequence[Factor]) -> str:
    ends = [min(max(end, _LEAST), _MOST) for one in factors for end in (1.0, *one.ci95)]
    scale = log_scale(ends, _EDGE, WIDTH - _EDGE)
    bottom = len(factors) * _ROW + 4
    marks = _axis(scale, bottom)
    for place, one in enumerate(factors):
        marks += _line(one, scale, place * _ROW)
    described = " ".join(f"{one.told}." for one in factors)
    return picture(name, title, described, marks, bottom + 34)


def _axis(scale: Scale, bottom: float) -> list[str]:
    parts = []
    for value in scale.ticks(5):
        here = scale.at(value)
        parts += [
            element("path", d=f"M{number(here)},0V{number(bottom)}", class_="grid"),
            words(f"{tick_label(value)}×", here, bottom + 15, "middle"),
        ]
    one = number(scale.at(1))
    return [*parts, element("path", d=f"M{one},0V{number(bottom)}", class_="guide")]


def _line(one: Factor, scale: Scale, top: float) -> list[str]:
    height = top + 24
    low, high = map(scale.at, one.ci95)
    whisker = f"M{number(low)},{number(height)}H{number(high)}"
    ends = "".join(
        # What lies beyond the axis has an arrow there instead of an end.
        f"M{number(end - turn)},{number(height - 4)}l{turn},4l{-turn},4"
        if not scale.low <= value <= scale.high
        else f"M{number(end)},{number(height - 4)}v8"
        for value, end, turn in zip(one.ci95, (low, high), (-5, 5), strict=True)
    )
    # A sign at the end would say that the ratio is there.
    is_shown = scale.low <= one.ratio <= scale.high
    return [
        *row_label(one.name, f"{significant(one.ratio)}×", 2, top),
        element("path", d=whisker + ends, class_=f"line s{one.style}"),
        *([marker(scale.at(one.ratio), height, one.style, one.told)] if is_shown else []),
    ]
