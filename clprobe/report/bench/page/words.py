# SPDX-License-Identifier: MIT
"""Figures as words, and which series has which style, the same in every picture."""

import math
from collections.abc import Iterator

from clprobe.model.measurement import BenchReport, Result


def significant(value: float | None) -> str:
    """Return three digits, or all digits before the point, never an exponent; "" for None."""
    if value is None:
        return ""
    if value == 0:
        return "0"
    digits = 2 - math.floor(math.log10(abs(value)))
    return f"{value:.{min(max(0, digits), 12)}f}"


def span(ends: tuple[float, float] | None) -> str:
    """Return an interval in words."""
    return "" if ends is None else f"{significant(ends[0])} to {significant(ends[1])}"


def percent(share: float | None) -> str:
    """Return a share of 1 in percent."""
    return "" if share is None else f"{share:.0%}" if share >= 0.1 else f"{share:.1%}"


def styles_of(report: BenchReport) -> dict[str, int]:
    """Return the style of everything that has figures, devices and references alike."""
    names = dict.fromkeys(result.device for result in report.results)
    return {name: style for style, name in enumerate(names)}


def measured(report: BenchReport) -> Iterator[tuple[Result, float]]:
    """Yield every result that has a figure above 0, which logarithms need, and that figure."""
    for result in report.results:
        if result.status == "ok" and result.median is not None and 0 < result.median < math.inf:
            yield result, result.median
