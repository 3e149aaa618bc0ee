# SPDX-License-Identifier: MIT
"""Judges one figure before and after, and says so in a sentence."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from clprobe.model.comparison import Effect, Side
from clprobe.model.measurement import Interval

LEAST_FACTOR = 1.1
"""What two runs on one machine differ by though nothing changed: memory lies elsewhere, the clock
is another. No interval of one run knows of it."""


_WITHOUT_FIGURES: dict[Effect, str] = {
    "new": "only in the last run.",
    "gone": "only in the first run.",
    "became-wrong": "its results are wrong now.",
    "lost": "no figure any more, {now}.",
    "mended": "has a figure now, it was {before} before.",
    "now-measured": "measured now, {before} before.",
    "not-measured": "not measured now, {now}.",
    "no-figures": "nothing to compare.",
}


@dataclass(frozen=True, slots=True)
class Found:
    """What became of one figure; `ratio` above 1: it became faster."""

    effect: Effect
    ratio: float | None = None
    ci95: Interval | None = None
    with_cpu: bool = False
    """Whether the CPU beside it changed as much, so that the whole machine did."""
    flipped: bool = False
    """Whether the verdict is another, and the ratio to the CPU changed beyond the noise."""


def effect_of(
    first: Side | None,
    last: Side | None,
    *,
    is_time: bool,
    is_comparable: bool,
    is_disturbed: bool,
) -> Found:
    """Return how the last side differs from the first; `is_time`: less is faster."""
    if first is None or last is None:
        # A row that only runs between the two have is of no interest to either.
        return Found("new" if last is not None else "gone" if first is not None else "no-figures")
    if last.status == "wrong-result" != first.status:
        return Found("became-wrong")
    if first.median is None or last.median is None:
        return Found(_gained(first, last))
    if not is_comparable:
        return Found("no-figures")
    before, after = (last, first) if is_time else (first, last)
    ratio, ci95 = _quotient(after, before)
    effect = _judged(ratio, ci95)
    if effect != "same" and is_disturbed:
        effect = "unsure"
    return Found(
        effect,
        ratio,
        ci95,
        with_cpu=effect in ("faster", "slower") and _beside_cpu(first, last) == "same",
        flipped=first.decision != last.decision
        and not is_disturbed
        and _beside_cpu(first, last) in ("faster", "slower"),
    )


def _gained(first: Side, last: Side) -> Effect:
    """Return what it means that one of two runs has no figure."""
    if first.median is None and last.median is None:
        return "no-figures"
    # No time, or nothing of clprobe's, is no fault that could begin or be mended.
    lacking = first if first.median is None else last
    if lacking.status in {"skipped", "unsupported"}:
        return "now-measured" if first.median is None else "not-measured"
    return "mended" if first.median is None else "lost"


def sentence(
    device: str, workload: str, unit: str, sides: Sequence[Side | None], found: Found
) -> str:
    """Return what became of the workload in plain words."""
    first, last = sides[0], sides[-1]
    where = f"{workload} on {device}"
    if found.effect in _WITHOUT_FIGURES:
        before, now = (side.status if side else "" for side in (first, last))
        return f"{where}: {_WITHOUT_FIGURES[found.effect].format(before=before, now=now)}"
    said = f"{where}: {_moved(unit, first, last, found)}"
    if found.flipped and first is not None and last is not None:
        said += f" The verdict was {first.decision} and is {last.decision}."
    return said


def _moved(unit: str, first: Side | None, last: Side | None, found: Found) -> str:
    figures = " → ".join(
        _significant(side.median) for side in (first, last) if side and side.median is not None
    )
    ratio, (low, high) = found.ratio or 1.0, found.ci95 or (1.0, 1.0)
    if found.effect == "same":
        return f"{figures} {unit}, no change beyond the noise."
    is_faster = ratio > 1
    factor = ratio if is_faster else 1 / ratio
    ends = (low, high) if is_faster else (1 / high, 1 / low)
    times = f"{_significant(factor)} times {'faster' if is_faster else 'slower'}"
    said = f"{figures} {unit}, {times} ({_significant(ends[0])} to {_significant(ends[1])})."
    if found.effect == "unsure":
        said += " A run was disturbed, so this may be chance."
    elif found.with_cpu:
        said += " The CPU beside it changed as much: it is the machine, not the device."
    return said


def _quotient(after: Side, before: Side) -> tuple[float, Interval]:
    """Return after / before, and what it is between if both intervals hold."""
    ratio = (after.median or 1.0) / (before.median or 1.0)
    if after.ci95 is None or before.ci95 is None:
        # A figure without an interval proves no change.
        return ratio, (min(ratio, 1.0), max(ratio, 1.0))
    return ratio, (after.ci95[0] / before.ci95[1], after.ci95[1] / before.ci95[0])


def _judged(ratio: float, ci95: Interval) -> Effect:
    if ci95[0] > 1 and ratio >= LEAST_FACTOR:
        return "faster"
    return "slower" if ci95[1] < 1 and ratio <= 1 / LEAST_FACTOR else "same"


def _beside_cpu(first: Side, last: Side) -> Effect | None:
    """Return what became of the ratio to the CPU, measured in turns; None without one."""
    if first.ratio is None or last.ratio is None:
        return None
    before, after = (
        Side(status="ok", median=side.ratio, ci95=side.ratio_ci95) for side in (first, last)
    )
    return _judged(*_quotient(after, before))


def _significant(value: float) -> str:
    return f"{value:.{max(0, 2 - math.floor(math.log10(value)))}f}"
