# SPDX-License-Identifier: MIT
"""What a device reaches of what its memory and its arithmetic allow.

**Source** Williams, Waterman & Patterson 2009, Roofline, doi:10.1145/1498765.1498785.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Literal

from clprobe.model.measurement import BenchReport, Peak, Result
from clprobe.model.workload import Operation, workload_named
from clprobe.report.bench.page.figure import figure, series, table
from clprobe.report.bench.page.plot import BOTTOM, LEFT, RIGHT, TOP, Plot, log_scale
from clprobe.report.bench.words import measured, percent, significant

_ARITHMETIC: Literal["GFLOP/s"] = "GFLOP/s"
_MEMORY: Literal["GB/s"] = "GB/s"
_THEORY, _REACHED = 0, 1
_FIRST_FAMILY = 2


@dataclass(frozen=True, slots=True)
class _Roof:
    """GB/s and GFLOP/s that bound everything below them."""

    style: int
    name: str
    memory: float
    arithmetic: float

    def at(self, intensity: float) -> float:
        return min(self.arithmetic, self.memory * intensity)


def roofline(report: BenchReport, device: str, name: str) -> str | None:
    """Return the device's figure; None without figures of known intensity and a roof."""
    points = [
        result
        for result, _ in measured(report)
        if result.device == device and result.unit == _ARITHMETIC and (result.intensity or 0) > 0
    ]
    peaks = _peaks(report, device)
    is_stated = all(peak in report.peaks for peak in peaks)
    roofs = _roofs(peaks, "measured peak" if is_stated else "best of this run")
    if not points or not roofs:
        return None
    plot = _plot(points, roofs)
    families = list(dict.fromkeys(_family(one) for one in points))
    styles = {family: _FIRST_FAMILY + place for place, family in enumerate(families)}
    for result in points:
        told = f"{result.workload}: {significant(result.median)} {result.unit}"
        plot.marker((_intensity(result), _median(result)), styles[_family(result)], told)
    title = f"Roofline of {device}"
    how = " ".join(f"{peak.unit}: {peak.how}" for peak in peaks if peak.how)
    described = " ".join(_described(one, roofs) for one in points)
    picture = plot.drawn(name, title, f"{described} {how}".strip())
    legend = [series(roof.style, roof.name, mark=False) for roof in roofs]
    legend += [series(style, family, line=False) for family, style in styles.items()]
    rows = [_row(one, roofs) for one in points]
    headings = ("workload", "FLOP per byte", "GFLOP/s", *(f"of {roof.name}" for roof in roofs))
    caption = "Roofline: what the memory (slope) and the arithmetic (flat) allow"
    return figure(picture, caption, legend, table(title, headings, rows))


def _plot(points: Sequence[Result], roofs: Sequence[_Roof]) -> Plot:
    corners = [roof.arithmetic / roof.memory for roof in roofs]
    across = [*map(_intensity, points), *corners]
    x = log_scale([min(across) / 2, max(across) * 2], LEFT, RIGHT)
    up = [*map(_median, points), *(roof.arithmetic for roof in roofs)]
    plot = Plot(x, log_scale([*up, min(up) / 3], BOTTOM, TOP), "FLOP per byte", _ARITHMETIC)
    for roof, corner in zip(roofs, corners, strict=True):
        start = max(x.low, plot.y.low / roof.memory)
        line = [(one, roof.at(one)) for one in (start, corner, x.high)]
        plot.line(line, roof.style, class_="line roof")
    return plot


def _peaks(report: BenchReport, device: str) -> list[Peak]:
    """Return the device's peaks; where none is stated, the best that this run itself reached."""
    stated = [peak for peak in report.peaks if peak.device == device]
    units: tuple[Literal["GFLOP/s", "GB/s"], ...] = (_ARITHMETIC, _MEMORY)
    for unit in units:
        best = max(
            (
                (value, result.workload)
                for result, value in measured(report)
                if result.device == device and result.unit == unit
            ),
            default=None,
        )
        if best is not None and not any(peak.unit == unit for peak in stated):
            how = f"the best of this run, by {best[1]}."
            stated.append(Peak(device=device, unit=unit, measured=best[0], how=how))
    return stated


def _roofs(peaks: Sequence[Peak], reached: str) -> list[_Roof]:
    roofs = []
    for style, name, of in (
        (_THEORY, "theoretical peak", attrgetter("theoretical")),
        (_REACHED, reached, attrgetter("measured")),
    ):
        known: dict[str, float] = {peak.unit: of(peak) for peak in peaks if (of(peak) or 0) > 0}
        if len(known) == 2:
            roofs.append(_Roof(style, name, known[_MEMORY], known[_ARITHMETIC]))
    return roofs


def _described(result: Result, roofs: Sequence[_Roof]) -> str:
    shares = " and ".join(f"{_share(result, roof)} of the {roof.name}" for roof in roofs)
    return f"{result.workload} reaches {significant(result.median)} GFLOP/s, {shares}."


def _row(result: Result, roofs: Sequence[_Roof]) -> tuple[str, ...]:
    shares = (_share(result, roof) for roof in roofs)
    return (result.workload, significant(result.intensity), significant(result.median), *shares)


def _share(result: Result, roof: _Roof) -> str:
    return percent(_median(result) / roof.at(_intensity(result)))


def _family(result: Result) -> str:
    """Return the workload's name without its size."""
    workload = workload_named(result.workload)
    return workload.kind if isinstance(workload, Operation) else result.workload


def _intensity(result: Result) -> float:
    return result.intensity or 0.0


def _median(result: Result) -> float:
    return result.median or 0.0
