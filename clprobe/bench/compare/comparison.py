# SPDX-License-Identifier: MIT
"""Says what became different between runs, and what is only noise."""

import statistics
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from clprobe.bench.compare.effects import effect_of, sentence
from clprobe.diagnosis.compare import changes
from clprobe.knowledge.tables import Tables
from clprobe.model.codec import snapshot_inside
from clprobe.model.comparison import EFFECTS, BenchComparison, Change, Difference, Side
from clprobe.model.measurement import (
    HOST_KEY,
    BenchReport,
    BenchVerdict,
    Contestant,
    Interval,
    Result,
    other_load,
    was_loaded,
)

_FACTS_OF_A_SNAPSHOT = {"os", "linux", "cpu", "logical_cores"}
Run = tuple[str, BenchReport]
"""A file's name and what it says."""


def compare(runs: Sequence[Run], tables: Tables) -> BenchComparison:
    """Return the differences of the last run from the first, with the figures of all."""
    first, last = runs[0][1], runs[-1][1]
    names = [{}, *(paired(first, report, loosely=len(runs) == 2) for _, report in runs[1:])]
    disturbed = tuple(_disturbances(runs))
    differences = _differences(runs, names, is_disturbed=bool(disturbed))
    order = {effect: place for place, effect in enumerate(EFFECTS)}
    return BenchComparison(
        files=tuple(name for name, _ in runs),
        changes=tuple(_changes(first, last, tables)),
        renamed=tuple(dict.fromkeys(one for known in names for one in _renamed(known))),
        differences=tuple(sorted(differences, key=lambda one: order[one.effect])),
        warnings=(*_mismatches(runs), *disturbed),
    )


@dataclass(frozen=True, slots=True)
class _Compared:
    """A contestant of one run, which is a device or, compared with nothing, a reference."""

    name: str
    is_device: bool
    hardware: str
    """Or the kind of reference; its name, without its version, where the document does not say."""
    platform: str | None


_SAME: list[Callable[[_Compared], Hashable]] = [
    lambda one: (one.is_device, one.name),
    lambda one: (one.is_device, one.hardware, one.platform),
    lambda one: (one.is_device, one.hardware),
]


def paired(first: BenchReport, later: BenchReport, *, loosely: bool) -> dict[str, str]:
    """Return the contestants of `later` that have one in `first`, by their names in `later`.

    Tried in turn: the same name; the same without index and versions; the same hardware, or kind of
    reference; and `loosely` the only ones left on both sides, as on two machines.
    """
    left, right = list(_compared(first)), list(_compared(later))
    found: dict[str, str] = {}
    for key in [*_SAME, lambda one: one.is_device or one.hardware] if loosely else _SAME:
        known = _by_key(key, (one for one in left if one.name not in found.values()))
        sought = _by_key(key, (one for one in right if one.name not in found))
        for value, names in sought.items():
            # Of two alike nobody knows which is which, unless as many were there before.
            if len(known.get(value, ())) == len(names):
                found.update(zip(names, known[value], strict=True))
    return found


def _compared(report: BenchReport) -> Iterator[_Compared]:
    devices = {verdict.device for verdict in report.verdicts}
    stated = {one.name: one for one in report.contestants}
    for name in dict.fromkeys(result.device for result in report.results):
        known = stated.get(name) or Contestant(name=name, kind="opencl")
        is_device = name in devices
        # Documents of earlier versions state of a device's names none but the version.
        hardware = known.hardware or name.replace(known.version or "", "")
        if not is_device and name in stated:
            hardware = known.kind
        yield _Compared(name, is_device, hardware, known.platform)


def _by_key(
    key: Callable[[_Compared], Hashable], contestants: Iterable[_Compared]
) -> dict[Hashable, list[str]]:
    groups: dict[Hashable, list[str]] = {}
    for one in contestants:
        groups.setdefault(key(one), []).append(one.name)
    return groups


def _differences(
    runs: Sequence[Run], names: Sequence[dict[str, str]], *, is_disturbed: bool
) -> Iterator[Difference]:
    answers = [_answers(report, known) for (_, report), known in zip(runs, names, strict=True)]
    for key in dict.fromkeys(key for run in answers for key in run):
        device, workload = key
        sides = tuple(run[key][1] if key in run else None for run in answers)
        sample = next(run[key][0] for run in answers if key in run)
        units = {run[key][0].unit for run in answers if key in run and run[key][0].unit}
        found = effect_of(
            sides[0],
            sides[-1],
            is_time=sample.metric == "latency",
            is_comparable=len(units) <= 1,
            is_disturbed=is_disturbed,
        )
        yield Difference(
            device=device,
            workload=workload,
            metric=sample.metric,
            unit=" or ".join(sorted(units)),
            runs=sides,
            ratio=found.ratio,
            ci95=found.ci95,
            effect=found.effect,
            with_cpu=found.with_cpu,
            flipped=found.flipped,
            text=sentence(device, workload, " or ".join(sorted(units)), sides, found),
        )


_Answers = dict[tuple[str, str], tuple[Result, Side]]
"""By contestant and workload: one of the results, and what all of them say together."""


def _answers(report: BenchReport, known: dict[str, str]) -> _Answers:
    grouped: dict[tuple[str, str], list[Result]] = {}
    for result in report.results:
        grouped.setdefault((result.device, result.workload), []).append(result)
    verdicts = {(one.device, one.workload): one for one in report.verdicts}
    return {
        (known.get(device, device), workload): (
            results[0],
            _side(results, verdicts.get((device, workload))),
        )
        for (device, workload), results in grouped.items()
    }


def _side(results: Sequence[Result], verdict: BenchVerdict | None) -> Side:
    medians = [one.median for one in results if one.median is not None and one.status == "ok"]
    intervals = [one.ci95 for one in results if one.ci95 is not None and one.status == "ok"]
    # What is wrong beside one device must not hide behind what is right beside another.
    status = next((one.status for one in results if one.status != "ok"), results[0].status)
    return Side(
        status=status,
        median=statistics.median(medians) if medians and status == "ok" else None,
        ci95=_hull(intervals) if intervals and status == "ok" else None,
        ratio=None if verdict is None else verdict.ratio,
        ratio_ci95=None if verdict is None else verdict.ci95,
        decision=None if verdict is None else verdict.decision,
    )


def _hull(intervals: Sequence[Interval]) -> Interval:
    return min(low for low, _ in intervals), max(high for _, high in intervals)


def _changes(first: BenchReport, last: BenchReport, tables: Tables) -> Iterator[Change]:
    """Yield how hosts and contestants differ: all that their snapshots know, if both have one."""
    old, new = (
        None if one.snapshot is None else snapshot_inside(one.snapshot) for one in (first, last)
    )
    told = {HOST_KEY}
    facts: tuple[Change, ...] = ()
    if old is not None and new is not None:
        told |= _FACTS_OF_A_SNAPSHOT
        facts = changes(old, new, tables)
    yield from facts
    tells_of_devices = any(one.fact.startswith("devices") for one in facts)
    for key in dict.fromkeys((*first.host, *last.host)):
        before, after = first.host.get(key), last.host.get(key)
        if key not in told and before != after:
            yield Change(what=key.replace("_", " "), fact=f"host.{key}", before=before, after=after)
    versions = {one.name: one.version for one in first.contestants}
    for index, contestant in enumerate(last.contestants):
        name, version = contestant.name, contestant.version
        is_told = tells_of_devices and contestant.kind == "opencl"
        if name in versions and versions[name] != version and not is_told:
            yield Change(
                what=f"version of {name}",
                fact=f"contestants[{index}].version",
                before=versions[name],
                after=version,
            )


def _renamed(known: dict[str, str]) -> Iterator[Change]:
    for name, before in known.items():
        if name != before:
            yield Change(what="contestant", fact="results.device", before=before, after=name)


def _mismatches(runs: Sequence[Run]) -> Iterator[str]:
    """Yield what makes these runs poor to compare."""
    for what in ("baseline", "effort"):
        values = {name: getattr(report, what) for name, report in runs}
        if len({value for value in values.values() if value is not None}) > 1:
            stated = ", ".join(f"{name} has {value}" for name, value in values.items())
            yield f"The {what} is not the same: {stated}."


def _disturbances(runs: Sequence[Run]) -> Iterator[str]:
    """Yield what else happened on the first or the last machine while bench measured."""
    for name, report in (runs[0], runs[-1]):
        conditions = report.conditions
        if was_loaded(report):
            load = other_load(report)
            yield f"Other programs used {load} % of the CPU during {name}: measure again at rest."
        if conditions.throttled:
            yield f"The processor throttled during {name}: let it cool and measure again."
