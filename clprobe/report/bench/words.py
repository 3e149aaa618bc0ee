# SPDX-License-Identifier: MIT
"""What a device is worth, in a few sentences instead of one per workload, and figures as words."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from clprobe.model.measurement import BenchReport, BenchVerdict, Decision, Result, within_of
from clprobe.model.workload import Operation, is_training, net_of, workload_named

REFERENCES = {"numpy": "NumPy", "torch": "torch"}
_LIMITS = {
    "launch": "launches",
    "transfer": "transfers",
    "bandwidth": "memory",
    "arithmetic": "arithmetic",
}

_NOISY = "too noisy"
"""What documents of earlier versions left unsaid."""

Judged = tuple[BenchVerdict, Result]
"""A verdict and the device's result that it is about."""


def conclusions(judged: Sequence[Judged], reference: str) -> Iterator[tuple[Decision, str]]:
    """Yield decision and sentence: what to use the device for, then what not, then why not."""
    reference = {"best CPU": "the CPU", **REFERENCES}.get(reference, reference)
    compared = [one for one in judged if one[0].ratio is not None and not is_cost(one[1])]
    # Training comes first: it is what the device is wanted for.
    compared.sort(key=lambda one: isinstance(workload_named(one[0].workload), Operation))
    device, cpu, even, unclear = (
        list(_folded([one for one in compared if one[0].decision == decision]))
        for decision in ("device", "cpu", "no-difference", "unclear")
    )
    if device:
        yield "device", f"Use it for {_with_factors(device, f'as fast as {reference}')}."
    if cpu:
        yield "cpu", f"Use {reference} for {_with_factors(cpu, 'as fast')}."
    if even:
        yield "no-difference", f"The same for {_listed(one.within for one in even)}."
    for why, noisy in _by_reason(unclear).items():
        yield "unclear", f"Unclear ({why}): {_listed(noisy)}. Run again when idle."
    yield from (
        (verdict.decision, verdict.text)
        for verdict, result in judged
        if verdict.ratio is not None and is_cost(result)
    )
    yield from _problems(judged)


def effect(verdict: BenchVerdict, result: Result) -> str:
    """Return the verdict in two words for a table."""
    if verdict.ratio is None:
        return "too slow" if verdict.decision == "cpu" else result.status.replace("-", " ")
    if is_cost(result):
        return "cost of starting"
    if verdict.decision == "no-difference":
        return f"same{_within([verdict])}"
    if verdict.decision == "unclear":
        return f"unclear ({verdict.why or _NOISY})"
    return f"{factor(verdict)} {'faster' if verdict.decision == 'device' else 'slower'}"


def is_cost(result: Result) -> bool:
    """Return whether this is what a device costs, in which no CPU can be beaten."""
    return result.metric == "latency"


def _problems(judged: Sequence[Judged]) -> Iterator[tuple[Decision, str]]:
    """Yield one sentence for all workloads that have the same problem."""
    alike: dict[tuple[Decision, str, str], list[str]] = {}
    for verdict, result in judged:
        # Build logs have many lines; the first says what failed.
        problem = result.detail.partition("\n")[0]
        if not result.metric:
            # No workload but a stage before them all.
            yield verdict.decision, f"{result.workload.capitalize()} failed: {problem}"
        elif verdict.ratio is None:
            advice = _advice(verdict, result)
            alike.setdefault((verdict.decision, advice, problem), []).append(verdict.workload)
    for (decision, advice, problem), workloads in alike.items():
        yield decision, f"{advice} {_listed(workloads)}: {problem}"


def _advice(verdict: BenchVerdict, result: Result) -> str:
    if verdict.decision == "cpu":
        return "Use the CPU for"
    # What was not run speaks neither for a device nor against it.
    is_open = result.status in {"skipped", "unsupported"}
    return "No verdict on" if is_open else "Do not use it for"


@dataclass(frozen=True, slots=True)
class _Group:
    """One workload, or all batch sizes of a net that ended alike."""

    name: str
    verdicts: tuple[BenchVerdict, ...]
    limits: frozenset[str | None]
    """What limits the device in each."""

    def factors(self, meaning: str = "") -> str:
        """Return the name with how many times as fast it is, the least to the most."""
        factors = [_ratio_away_from_one(verdict) for verdict in self.verdicts]
        ends = dict.fromkeys((_shown(min(factors)), _shown(max(factors))))
        said = f"{' to '.join(ends)}{meaning and f' {meaning}'}"
        # Only who loses wants to know what holds it back.
        limit = next(iter(self.limits)) if len(self.limits) == 1 else None
        if limit is not None and all(one.decision == "cpu" for one in self.verdicts):
            said += f", limited by {_LIMITS[limit]}"
        return f"{self.name} ({said})"

    @property
    def within(self) -> str:
        """Return the name with how near the two sides are."""
        return f"{self.name}{_within(self.verdicts)}"


def _within(verdicts: Sequence[BenchVerdict]) -> str:
    known = [one.ci95 for one in verdicts if one.ci95 is not None]
    return f" (±{100 * (max(map(within_of, known)) - 1):.0f} %)" if known else ""


def _by_reason(groups: Sequence[_Group]) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for one in groups:
        reasons.setdefault(one.verdicts[0].why or _NOISY, []).append(one.name)
    return reasons


def _folded(judged: Sequence[Judged]) -> Iterator[_Group]:
    """Yield the workloads, those that train one net at several batch sizes as one."""
    alike: dict[str, list[Judged]] = {}
    for verdict, result in judged:
        net = net_of(result)
        key = verdict.workload if net is None else net
        if is_training(verdict.workload):
            key = f"training {net or verdict.workload}"
        alike.setdefault(key, []).append((verdict, result))
    for key, group in alike.items():
        verdicts = tuple(verdict for verdict, _ in group)
        limits = frozenset(result.limited_by for _, result in group)
        if len(group) == 1:
            yield _Group(verdicts[0].workload, verdicts, limits)
            continue
        batches = sorted(result.batch or 0 for _, result in group)
        yield _Group(f"{key} at batch {_listed(map(str, batches))}", verdicts, limits)


def _with_factors(groups: Sequence[_Group], meaning: str) -> str:
    first, *rest = groups
    return _listed((first.factors(meaning), *(one.factors() for one in rest)))


def factor(verdict: BenchVerdict) -> str:
    """Return how many times as fast the faster side is."""
    return _shown(_ratio_away_from_one(verdict))


def _ratio_away_from_one(verdict: BenchVerdict) -> float:
    ratio = verdict.ratio or 1.0
    return max(ratio, 1 / ratio)


def _shown(factor: float) -> str:
    digits = 2 if factor < 1.1 else 1 if factor < 10 else 0
    return f"{factor:.{digits}f}×"


def _listed(workloads: Iterable[str]) -> str:
    *most, last = workloads
    return f"{', '.join(most)} and {last}" if most else last


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
