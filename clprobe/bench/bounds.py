# SPDX-License-Identifier: MIT
"""Refuses figures that no hardware of this kind can reach: their times cannot be right."""

from collections.abc import Sequence

from msgspec.structs import replace

from clprobe.bench.bus import MOST
from clprobe.bench.nets import WINOGRAD
from clprobe.bench.verdicts import without_ratio
from clprobe.model.measurement import BenchVerdict, Peak, Result, Training

MARGIN = 1.05
"""By how much a figure may exceed its bound, as clocks are stated in round numbers."""


def bounded(results: Sequence[Result], peaks: Sequence[Peak]) -> tuple[Result, ...]:
    """Return the results, each with the most that its device can reach, in its own unit."""
    known: dict[tuple[str, str], float] = {
        (one.device, one.unit): one.bound for one in peaks if one.bound is not None
    }
    return tuple(replace(one, bound=_beside(one, _bound(one, known), results)) for one in results)


def _beside(result: Result, bound: float | None, results: Sequence[Result]) -> float | None:
    """Return the bound, for copies at least so many times what another reached beside it.

    Other programs may have been busy while the rate of the memory was measured.
    """
    if bound is None or result.metric != "bandwidth":
        return bound
    others = (
        one.median
        for one in results
        if one.workload == result.workload and one.device != result.device and one.ran_on == "cpu"
    )
    return max([bound, *(MOST * (one or 0.0) for one in others)])


def with_bound(peaks: Sequence[Peak], most: Peak) -> tuple[Peak, ...]:
    """Return the peaks, that in the unit of `most` with its bound."""
    return tuple(
        replace(one, bound=most.bound, bound_how=most.bound_how) if one.unit == most.unit else one
        for one in peaks
    )


def believed(peaks: Sequence[Peak]) -> tuple[Peak, ...]:
    """Return the peaks, without what was measured above a bound: its times cannot be right."""
    return tuple(
        replace(one, measured=None, how=f"{one.how} Refused, as it is {_excess(one)}.")
        if one.measured is not None and one.bound is not None and one.measured > MARGIN * one.bound
        else one
        for one in peaks
    )


def _excess(peak: Peak) -> str:
    factor = (peak.measured or 0.0) / (peak.bound or 1.0)
    return f"{factor:.2f} times what its hardware can reach at most ({peak.bound_how})"


def _bound(result: Result, known: dict[tuple[str, str], float]) -> float | None:
    direct = known.get((result.device, result.unit))
    arithmetic = known.get((result.device, "GFLOP/s"))
    if result.unit == "samples/s" and arithmetic and result.gflop_per_sample:
        return arithmetic / result.gflop_per_sample
    if direct is not None and result.workload.startswith("conv"):
        return WINOGRAD * direct
    return direct


Judged = tuple[tuple[Result, ...], tuple[BenchVerdict, ...], tuple[Training, ...]]


def refuse_impossible(
    results: Sequence[Result],
    verdicts: Sequence[BenchVerdict],
    training: Sequence[Training],
    peaks: Sequence[Peak],
) -> Judged:
    """Return all three without figures above their bound, and with the reason in their place."""
    judged = tuple(_refused(one, peaks) if _is_impossible(one) else one for one in results)
    reasons = {
        (now.device, now.workload): now.detail
        for was, now in zip(results, judged, strict=True)
        if was.status != now.status
    }
    return (
        judged,
        tuple(_without(one, reasons) for one in verdicts),
        tuple(
            replace(one, samples_per_second=None, status="error", detail=problem)
            if (problem := reasons.get((one.device, f"train-{one.model}")))
            else one
            for one in training
        ),
    )


def _is_impossible(result: Result) -> bool:
    known = result.median is not None and result.bound is not None
    return known and (result.median or 0) > MARGIN * (result.bound or 0)


def _refused(result: Result, peaks: Sequence[Peak]) -> Result:
    median, bound = result.median or 0.0, result.bound or 1.0
    unit = "GB/s" if result.unit == "GB/s" else "GFLOP/s"
    stated = (one.bound_how for one in peaks if (one.device, one.unit) == (result.device, unit))
    problem = (
        f"refused, as {median:.4g} {result.unit} is {median / bound:.2f} times the {bound:.4g} "
        f"that its hardware can reach at most ({next(stated, '')}): its times cannot be right."
    )
    return replace(result, status="error", median=None, ci95=None, samples=0, detail=problem)


def _without(verdict: BenchVerdict, reasons: dict[tuple[str, str], str]) -> BenchVerdict:
    for name in (verdict.device, verdict.against):
        problem = reasons.get((name, verdict.workload))
        if problem is not None:
            said = problem if name == verdict.device else f"the figure of {name} is {problem}"
            return without_ratio(verdict.workload, verdict.device, "unclear", said)
    return verdict
