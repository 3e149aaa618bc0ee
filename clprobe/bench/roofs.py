# SPDX-License-Identifier: MIT
"""Holds results against what their device could do, and says what holds it back."""

import math
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from clprobe.model.measurement import LimitedBy, Peak, Result

_LAUNCHES_ALONE = 0.5
"""The share of a run in which no kernel computes, from which on starting them is what limits."""


def under_roofs(results: Sequence[Result], peaks: Sequence[Peak]) -> tuple[Result, ...]:
    """Return the results with the share of their device's peaks, and what limits them."""
    return tuple(
        _under_roof(one, [peak for peak in peaks if peak.device == one.device]) for one in results
    )


def best_known(results: Iterable[Result], peaks: Sequence[Peak]) -> tuple[Peak, ...]:
    """Return the peaks; one that a workload exceeded is as high as that workload."""
    medians = [(one.device, one.unit, one.median) for one in results if one.median is not None]
    found = []
    for peak in peaks:
        best = max(
            (
                value
                for device, unit, value in medians
                if (device, unit) == (peak.device, peak.unit)
            ),
            default=0.0,
        )
        if peak.measured is not None and best > peak.measured:
            how = f"{peak.how} A workload of this run was faster than what is to measure it."
            found.append(replace(peak, measured=best, how=how.strip()))
        else:
            found.append(peak)
    return tuple(found)


def limit_of(result: Result, gflops: float | None, bandwidth: float | None) -> LimitedBy | None:
    """Return what most of the time goes into; None where nothing tells.

    A training step's batch comes from elsewhere, so moving it counts; operands of a product may lie
    where they are needed already.

    **Source** Williams, Waterman & Patterson 2009, Roofline, doi:10.1145/1498765.1498785.
    """
    if result.status != "ok" or result.median is None:
        return None
    if result.batch is not None and (result.transfer_ms or 0.0) > (result.wall_ms or math.inf):
        return "transfer"
    launches = (result.launch_ms or 0.0) > _LAUNCHES_ALONE * (result.wall_ms or 0.0)
    if launches or result.metric == "latency":
        return "launch"
    if result.metric == "bandwidth":
        return "bandwidth"
    if result.intensity is None or not gflops or not bandwidth:
        return None
    return "bandwidth" if result.intensity < gflops / bandwidth else "arithmetic"


def _under_roof(result: Result, peaks: Sequence[Peak]) -> Result:
    by_unit = {peak.unit: peak for peak in peaks}
    arithmetic, memory = by_unit.get("GFLOP/s"), by_unit.get("GB/s")
    limited = limit_of(
        result,
        None if arithmetic is None else arithmetic.measured,
        None if memory is None else memory.measured,
    )
    peak = next((one for one in peaks if one.unit == result.unit), None)
    if peak is None or result.median is None:
        return replace(result, limited_by=limited)
    return replace(
        result,
        limited_by=limited,
        measured_peak=peak.measured,
        theoretical_peak=peak.theoretical,
        fraction_of_peak=_share(result.median, peak.measured),
        fraction_of_theoretical=_share(result.median, peak.theoretical),
    )


def _share(value: float, peak: float | None) -> float | None:
    return value / peak if peak else None
