# SPDX-License-Identifier: MIT
"""The device's speed over the CPU's on every workload, with its interval."""

from clprobe.model.measurement import BenchReport, Decision
from clprobe.report.bench.page.figure import figure, table
from clprobe.report.bench.page.forest import Factor, forest, style_sample
from clprobe.report.bench.page.words import significant, span
from clprobe.report.bench.rows import cost_workloads

_STYLES: dict[Decision, int] = {
    "device": 0,
    "cpu": 1,
    "no-difference": 2,
    "refused": 3,
    "unclear": 4,
}
_SAID: dict[Decision, str] = {
    "device": "device faster",
    "cpu": "CPU faster",
    "no-difference": "no difference",
    "unclear": "cannot tell",
    "refused": "refused",
}


def ratios(report: BenchReport, device: str, name: str) -> str | None:
    """Return the device's figure; None if it has no ratio."""
    costs = cost_workloads(report, device)
    shown = [
        (
            verdict.decision,
            Factor(verdict.workload, verdict.ratio, verdict.ci95, _STYLES[verdict.decision]),
        )
        for verdict in report.verdicts
        if verdict.device == device
        and verdict.workload not in costs
        and verdict.ratio is not None
        and verdict.ci95 is not None
        and min(verdict.ratio, *verdict.ci95) > 0
    ]
    if not shown:
        return None
    title = "Speed of the device over that of the CPU"
    drawn = forest(name, title, [factor for _, factor in shown])
    decisions = [one for one in _SAID if any(decision == one for decision, _ in shown)]
    legend = [style_sample(_STYLES[one]) + _SAID[one] for one in decisions]
    rows = [
        (factor.name, significant(factor.ratio), span(factor.ci95), _SAID[decision])
        for decision, factor in shown
    ]
    headings = ("workload", "ratio", "95 % interval", "verdict")
    caption = f"{title}: right of the line the device is faster"
    return figure(drawn, caption, legend, table(title, headings, rows))
