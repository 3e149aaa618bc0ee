# SPDX-License-Identifier: MIT
"""What every form of the bench report begins with: facts in a line, and three tiles."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clprobe.model.measurement import (
    BenchReport,
    BenchVerdict,
    Contestant,
    Decision,
    Result,
    short_names,
)
from clprobe.model.workload import is_training, net_of
from clprobe.report.bench.words import factor, is_cost
from clprobe.report.terminal import safe
from clprobe.version import __version__

_TILES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """One kind of work: how the device does at it, in large letters, and where that is so."""

    name: str
    figure: str
    said: str
    decision: Decision


def facts_line(report: BenchReport) -> str:
    """Return device, driver, CPU, release, version and date, as far as they are known."""
    device = next((one for one in report.contestants if one.name == report.best), None)
    return " · ".join(safe(one) for one in _facts(report, device) if one)


def _facts(report: BenchReport, device: Contestant | None) -> Iterator[str]:
    if device is not None:
        yield short_names(report.contestants)[device.name]
        yield " ".join(filter(None, (device.platform, device.version)))
    threads = next((one.threads for one in report.contestants if one.threads), None)
    cpu = str(report.host.get("cpu") or "")
    yield f"{cpu}, {threads} threads" if cpu and threads else cpu
    yield str(report.host.get("os") or "")
    yield f"clprobe {__version__}"
    yield report.date


def tiles_of(report: BenchReport) -> list[Tile]:
    """Return at most three, of the device that the headline is about; nets come first."""
    results = {one.workload: one for one in report.results if one.device == report.best}
    judged: dict[str, list[tuple[BenchVerdict, Result]]] = {}
    for verdict in report.verdicts:
        result = results.get(verdict.workload)
        known = verdict.device == report.best and verdict.ratio is not None
        if result is not None and known and not is_cost(result):
            net = net_of(result)
            # matmul, conv and copy follow the nets.
            name = verdict.workload.partition("-")[0] if net is None else net
            name = f"train {net}" if net is not None and is_training(verdict.workload) else name
            judged.setdefault(name, []).append((verdict, result))
    names = sorted(
        judged, key=lambda name: (not name.startswith("train "), not name.endswith(" inference"))
    )
    return [_tile(name, judged[name]) for name in names[:_TILES]]


def _tile(name: str, judged: Sequence[tuple[BenchVerdict, Result]]) -> Tile:
    verdicts = [verdict for verdict, _ in judged]
    decision: Decision = next(
        (
            one
            for one in ("device", "cpu", "no-difference")
            if any(verdict.decision == one for verdict in verdicts)
        ),
        "unclear",
    )
    alike = [verdict for verdict in verdicts if verdict.decision == decision]
    ends = dict.fromkeys(
        factor(one)
        for one in sorted(alike, key=lambda one: max(one.ratio or 1, 1 / (one.ratio or 1)))
    )
    shown = list(ends)
    figure = shown[0] if len(shown) == 1 else f"{shown[0]} to {shown[-1]}"
    words = {"device": "faster", "cpu": "slower", "no-difference": "the same"}
    if decision in {"device", "cpu"}:
        figure = f"{figure} {words[decision]}"
    else:
        figure = words.get(decision, "unclear")
    return Tile(
        name=safe(name),
        figure=figure,
        said=_where(judged, alike, decision),
        decision=decision,
    )


def _where(
    judged: Sequence[tuple[BenchVerdict, Result]],
    alike: Sequence[BenchVerdict],
    decision: Decision,
) -> str:
    batches = {verdict.workload: result.batch for verdict, result in judged}
    known = sorted(one for one in batches.values() if one is not None)
    if len(known) < len(judged):
        return "" if len(alike) == len(judged) else f"in {len(alike)} of {len(judged)} cases"
    own = sorted(batches[one.workload] or 0 for one in alike)
    if len(own) == len(known):
        return f"at every batch, {known[0]} to {known[-1]}" if len(known) > 1 else f"batch {own[0]}"
    if decision == "device" and own == known[-len(own) :]:
        return f"from batch {own[0]} on"
    if len(own) == 1:
        return f"at batch {own[0]}"
    return f"at {len(own)} of {len(known)} batch sizes"
