# SPDX-License-Identifier: MIT
"""The device's speed over the CPU's on every workload, with its interval."""

from collections.abc import Sequence

from clprobe.model.measurement import BenchReport, BenchVerdict, Decision
from clprobe.report.bench_page.figure import figure, table
from clprobe.report.bench_page.plot import WIDTH, marker, picture
from clprobe.report.bench_page.scale import Scale, log_scale, tick_label
from clprobe.report.bench_page.svg import element, number, text
from clprobe.report.bench_page.words import significant, span
from clprobe.report.bench_rows import cost_workloads

_ROW = 34
_EDGE = 12
_LONGEST = 30
_STYLES: dict[Decision, int] = {"device": 0, "cpu": 1, "no-difference": 2, "refused": 3}
_SAID: dict[Decision, str] = {
    "device": "device faster",
    "cpu": "CPU faster",
    "no-difference": "no difference",
    "refused": "refused",
}

_Compared = tuple[BenchVerdict, float, tuple[float, float]]


def ratios(report: BenchReport, device: str, name: str) -> str | None:
    """Return the device's figure; None if it has no ratio."""
    costs = cost_workloads(report, device)
    shown: list[_Compared] = [
        (verdict, verdict.ratio, verdict.ci95)
        for verdict in report.verdicts
        if verdict.device == device
        and verdict.workload not in costs
        and verdict.ratio is not None
        and verdict.ci95 is not None
        and min(verdict.ratio, *verdict.ci95) > 0
    ]
    if not shown:
        return None
    ends = [1.0, *(end for _, _, ci95 in shown for end in ci95)]
    scale = log_scale(ends, _EDGE, WIDTH - _EDGE)
    bottom = len(shown) * _ROW + 4
    marks = _axis(scale, bottom)
    for place, one in enumerate(shown):
        marks += _line(one, scale, place * _ROW)
    title = "Speed of the device over that of the CPU"
    described = " ".join(
        f"{verdict.workload}: {_told(ratio, ci95)}." for verdict, ratio, ci95 in shown
    )
    drawn = picture(name, title, described, marks, bottom + 34)
    decisions = [one for one in _SAID if any(verdict.decision == one for verdict, _, _ in shown)]
    legend = [_sample(one) + _SAID[one] for one in decisions]
    rows = [
        (verdict.workload, significant(ratio), span(ci95), _SAID[verdict.decision])
        for verdict, ratio, ci95 in shown
    ]
    headings = ("workload", "ratio", "95 % interval", "verdict")
    caption = f"{title}: right of the line the device is faster"
    return figure(drawn, caption, legend, table(title, headings, rows))


def _axis(scale: Scale, bottom: float) -> list[str]:
    parts = []
    for value in scale.ticks(5):
        here = scale.at(value)
        parts += [
            element("path", d=f"M{number(here)},0V{number(bottom)}", class_="grid"),
            element(
                "text", text(f"{tick_label(value)}×"), x=here, y=bottom + 15, text_anchor="middle"
            ),
        ]
    one = number(scale.at(1))
    return [*parts, element("path", d=f"M{one},0V{number(bottom)}", class_="guide")]


def _line(one: _Compared, scale: Scale, top: float) -> list[str]:
    verdict, ratio, (low, high) = one
    style, height = _STYLES[verdict.decision], top + 24
    workload = verdict.workload
    cut = workload if len(workload) <= _LONGEST else f"{workload[: _LONGEST - 1]}…"
    whisker = f"M{number(scale.at(low))},{number(height)}H{number(scale.at(high))}"
    ends = "".join(f"M{number(scale.at(end))},{number(height - 4)}v8" for end in (low, high))
    told = f"{workload}: {_told(ratio, (low, high))}"
    return [
        element("text", text(cut), x=2, y=top + 13),
        element("text", text(f"{significant(ratio)}×"), x=WIDTH - 2, y=top + 13, text_anchor="end"),
        element("path", d=whisker + ends, class_=f"line s{style}"),
        marker(scale.at(ratio), height, style, told),
    ]


def _sample(decision: Decision) -> str:
    mark = marker(17, 8, _STYLES[decision])
    return element("svg", mark, viewBox="0 0 34 16", class_="sample", aria_hidden="true")


def _told(ratio: float, ci95: Sequence[float]) -> str:
    return f"{significant(ratio)}, between {significant(ci95[0])} and {significant(ci95[1])}"
