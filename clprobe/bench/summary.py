# SPDX-License-Identifier: MIT
"""Puts what was measured into one report, with the limits and crossovers that follow from it."""

import math
import platform
from collections.abc import Iterable, Sequence
from datetime import datetime

from msgspec.structs import replace

from clprobe.bench.best_cpu import beside_opencl_cpus
from clprobe.bench.bounds import bounded, refuse_impossible
from clprobe.bench.headline import headline
from clprobe.bench.run import Measured, Options
from clprobe.bench.targets import installed_version
from clprobe.model.measurement import (
    HOST_KEY,
    BenchReport,
    BenchVerdict,
    Crossover,
    LimitedBy,
    Peak,
    Result,
)
from clprobe.model.system import System
from clprobe.model.workload import Inference, net_of, workload_named

_PACKAGES = ("numpy", "pyopencl", "torch")
_TRANSFERS_ALONE = 0.5
"""The share of a step from which on bringing its batch is what limits."""
_LAUNCHES_ALONE = 0.5
"""The share of a run in which no kernel computes, from which on starting them is what limits."""


def summarise(measured: Measured, system: System, options: Options) -> BenchReport:
    """Return the report; every workload's reference figure follows the device's own."""
    outcomes = measured.outcomes
    results, alone, training = refuse_impossible(
        bounded([one for outcome in outcomes for one in outcome.results], measured.peaks),
        [outcome.verdict for outcome in outcomes],
        [outcome.training for outcome in outcomes if outcome.training is not None],
        measured.peaks,
    )
    contestants = tuple(measured.contestants.values())
    verdicts = beside_opencl_cpus(alone, results, contestants)
    peaks = best_known(results, measured.peaks)
    conditions = measured.watch.conditions()
    report = BenchReport(
        host=_host(system) | {HOST_KEY: conditions.other_load_percent},
        baseline=options.baseline,
        results=under_roofs(results, peaks),
        training=training,
        verdicts=verdicts,
        effort=options.effort,
        contestants=contestants,
        interrupted=measured.interrupted,
        tuning=tuple(measured.tunings),
        half=tuple(measured.half),
        conditions=conditions,
        peaks=peaks,
        crossovers=crossovers(results, verdicts),
        date=datetime.now().astimezone().date().isoformat(),
    )
    best, sentence = headline(report)
    return replace(report, headline=sentence, best=best)


def _host(system: System) -> dict[str, str | int | None]:
    stated = {
        "os": system.distribution.name,
        "linux": system.linux.release,
        "cpu": system.cpu.model,
        "logical_cores": system.cpu.logical_cores,
    }
    known = {key: value if isinstance(value, str | int) else None for key, value in stated.items()}
    versions = {package: installed_version(package) for package in _PACKAGES}
    return {**known, "python": platform.python_version(), **versions}


def under_roofs(results: Sequence[Result], peaks: Sequence[Peak]) -> tuple[Result, ...]:
    """Return the results with the share of their device's peaks, and what limits them."""
    return tuple(
        _under_roof(one, [peak for peak in peaks if peak.device == one.device]) for one in results
    )


def best_known(results: Iterable[Result], peaks: Sequence[Peak]) -> tuple[Peak, ...]:
    """Return the peaks; one that a workload exceeded is as high as that workload."""
    reached: dict[tuple[str, str], float] = {}
    for one in results:
        key = one.device, one.unit
        reached[key] = max(one.median or 0.0, reached.get(key, 0.0))
    found = []
    for peak in peaks:
        best = reached.get((peak.device, peak.unit), 0.0)
        if peak.measured is not None and best > peak.measured:
            how = f"{peak.how} A workload of this run was faster than what is to measure it."
            found.append(replace(peak, measured=best, how=how.strip()))
        else:
            found.append(peak)
    return tuple(found)


def limit_of(result: Result, gflops: float | None, bandwidth: float | None) -> LimitedBy | None:
    """Return what most of the time goes into; None where nothing tells.

    A training step brings its batch along, so moving it counts; operands of a product may lie where
    they are needed already.

    **Source** Williams, Waterman & Patterson 2009, Roofline, doi:10.1145/1498765.1498785.
    """
    if result.status != "ok" or result.median is None:
        return None
    # A net that is used keeps its weights on the device, which its operands count.
    is_fed = result.batch is not None and not isinstance(workload_named(result.workload), Inference)
    if is_fed and (result.transfer_ms or 0.0) > _TRANSFERS_ALONE * (result.wall_ms or math.inf):
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
    measured = {peak.unit: peak.measured for peak in peaks}
    limited = limit_of(result, measured.get("GFLOP/s"), measured.get("GB/s"))
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


def crossovers(
    results: Sequence[Result], verdicts: Sequence[BenchVerdict]
) -> tuple[Crossover, ...]:
    """Return one per device and net that was compared at two batch sizes or more."""
    measured = {(one.device, one.workload): (net_of(one), one.batch) for one in results}
    decisions: dict[tuple[str, str], dict[int, str]] = {}
    for verdict in verdicts:
        net, batch = measured.get((verdict.device, verdict.workload), (None, None))
        if net is not None and batch is not None and verdict.ratio is not None:
            decisions.setdefault((verdict.device, net), {})[batch] = verdict.decision
    return tuple(
        _crossover(device, model, decided)
        for (device, model), decided in decisions.items()
        if len(decided) > 1
    )


def _crossover(device: str, model: str, decided: dict[int, str]) -> Crossover:
    wins = [batch for batch in sorted(decided) if decided[batch] == "device"]
    lost = [batch for batch in decided if decided[batch] != "device"]
    unclear = [batch for batch in sorted(decided) if decided[batch] == "unclear"]
    first = next((batch for batch in wins if batch > max(lost, default=0)), None)
    smallest, largest = min(decided), max(decided)
    measured = f"of {len(decided)} measured, {smallest} to {largest}"
    if first is None and wins:
        said = f"the device wins only at batch {_listed(wins)}"
    elif len(unclear) == len(decided):
        said = "it is unclear at every batch size who wins"
        unclear = []
    elif first is None:
        said = "the device wins at no batch size"
    elif first == smallest:
        said = "the device wins at every batch size"
    else:
        said = f"the device wins from batch {first} on"
    rest = f"; batch {_listed(unclear)} is unclear" if unclear else ""
    return Crossover(
        device=device, model=model, batch=first, text=f"On {model} {said} ({measured}{rest})."
    )


def _listed(batches: Sequence[int]) -> str:
    *most, last = map(str, batches)
    return f"{', '.join(most)} and {last}" if most else last
