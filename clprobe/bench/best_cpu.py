# SPDX-License-Identifier: MIT
"""Holds a device against the fastest of all that computed the same on the CPU."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from clprobe.bench.timing.statistics import PLACEMENT, Estimate
from clprobe.bench.verdicts import judge
from clprobe.model.measurement import BenchVerdict, Contestant, Result, cpu_devices


def beside_opencl_cpus(
    verdicts: Sequence[BenchVerdict],
    results: Sequence[Result],
    contestants: Sequence[Contestant],
) -> tuple[BenchVerdict, ...]:
    """Return the verdicts; where an OpenCL device that is the CPU was faster, it counts.

    It was measured in another process, so what is said of a GPU follows when all are done.
    """
    cpus = cpu_devices(results, contestants)
    figures = {(one.device, one.workload): one for one in results}
    return tuple(
        one if one.device in cpus else _beside(one, figures, sorted(cpus)) for one in verdicts
    )


def _beside(
    verdict: BenchVerdict, figures: Mapping[tuple[str, str], Result], cpus: Sequence[str]
) -> BenchVerdict:
    own = figures.get((verdict.device, verdict.workload))
    if own is None or verdict.ratio is None or verdict.ci95 is None or own.metric == "latency":
        return verdict
    others = [
        (name, ratio)
        for name in cpus
        if (ratio := _ratio(own, figures.get((name, verdict.workload)))) is not None
    ]
    known = Estimate(verdict.ratio, verdict.ci95)
    best, ratio = best_of([(verdict.against, known), *others])
    if ratio == known:
        return verdict
    judged = judge(verdict.workload, verdict.device, ratio, reference=best, is_cpu=False)
    return replace(judged, why=verdict.why) if judged.decision == verdict.decision else judged


def _ratio(own: Result, other: Result | None) -> Estimate | None:
    """Return how many times as fast the first is, from figures that grow with speed."""
    known = own.ci95, None if other is None else other.ci95
    if other is None or None in known or not own.median or not other.median:
        return None
    (low, high), (least, most) = known  # type: ignore[misc]
    bounds = low / most / PLACEMENT, high / least * PLACEMENT
    return Estimate(own.median / other.median, bounds)


def best_of(ratios: Sequence[tuple[str, Estimate]]) -> tuple[str, Estimate]:
    """Return the contestant that a device is slowest beside, and the ratio to the fastest.

    That is the least of the ratios, so its bounds are the least of theirs: a device is faster if it
    is so beside all, and slower if it is so beside any, though another's median be less.
    """
    name, least = min(ratios, key=lambda one: one[1].median)
    lows, highs = zip(*(ratio.ci95 for _, ratio in ratios), strict=True)
    return name, Estimate(least.median, (min(lows), min(highs)))
