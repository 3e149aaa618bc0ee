# SPDX-License-Identifier: MIT
"""Every figure of a bench report as tables."""

from collections.abc import Iterator, Sequence

from clprobe.model.measurement import BenchReport, Result
from clprobe.report.bench.page.figure import table
from clprobe.report.bench.page.svg import element, text
from clprobe.report.bench.page.words import percent, significant, span

_Column = tuple[str, str]
"""A heading and the field below it."""

_TIMES: tuple[_Column, ...] = (
    ("compile ms", "compile_ms"),
    ("transfer ms", "transfer_ms"),
    ("launch ms", "launch_ms"),
    ("kernel ms", "kernel_ms"),
    ("run ms", "wall_ms"),
)
_PEAKS: tuple[_Column, ...] = (
    ("FLOP per byte", "intensity"),
    ("measured peak", "measured_peak"),
    ("theoretical peak", "theoretical_peak"),
)
_SHARES: tuple[_Column, ...] = (
    ("of measured peak", "fraction_of_peak"),
    ("of theoretical peak", "fraction_of_theoretical"),
    ("CPU time", "cpu_share"),
)


def tables(report: BenchReport) -> str:
    """Return all tables that have a row; a column that is empty throughout is left out."""
    parts = []
    for contestant in dict.fromkeys(one.device for one in report.results):
        results = [one for one in report.results if one.device == contestant]
        parts.append(element("h3", text(contestant)))
        parts += _shown(
            contestant,
            ("Verdicts", _verdicts(report, contestant)),
            ("Measurements", _results(results)),
            ("Limits and where it ran", _limits(results)),
            ("Proof", _proofs(results)),
        )
    more = (
        ("Training", _trainings(report)),
        ("Peaks", _peaks(report)),
        ("Contestants", _contestants(report)),
    )
    if any(rows for _, (_, rows) in more):
        parts += [element("h3", "All contestants"), *_shown("all", *more)]
    return "\n".join(parts)


def _shown(about: str, *made: "tuple[str, _Table]") -> Iterator[str]:
    for name, (headings, rows) in made:
        if rows:
            yield table(name, *_filled(headings, rows), label=f"{name}: {about}")


_Table = tuple[Sequence[str], Sequence[tuple[str, ...]]]


def _filled(headings: Sequence[str], rows: Sequence[tuple[str, ...]]) -> _Table:
    kept = [
        column for column in range(len(headings)) if column == 0 or any(row[column] for row in rows)
    ]
    return (
        [headings[column] for column in kept],
        [tuple(row[column] for column in kept) for row in rows],
    )


def _verdicts(report: BenchReport, device: str) -> _Table:
    headings = ("workload", "ratio", "95 % interval", "decision", "verdict")
    rows = [
        (v.workload, significant(v.ratio), span(v.ci95), v.decision, v.text)
        for v in report.verdicts
        if v.device == device
    ]
    return headings, rows


def _results(results: Sequence[Result]) -> _Table:
    headings = ("workload", "median", "95 % interval", "unit", "samples", "batch")
    rows = [
        (
            *(one.workload, significant(one.median), span(one.ci95), one.unit),
            *(str(one.samples or ""), str(one.batch or "")),
            *_fields(one, _TIMES),
            significant(one.energy_per_sample_j),
            "" if one.status == "ok" else one.status.replace("-", " "),
            # Build logs have many lines; the first says what failed.
            one.detail.partition("\n")[0],
        )
        for one in results
    ]
    more = [*(heading for heading, _ in _TIMES), "J per sample", "status", "detail"]
    return (*headings, *more), rows


def _limits(results: Sequence[Result]) -> _Table:
    rows = [
        (
            *(one.workload, *_fields(one, _PEAKS)),
            *(percent(getattr(one, field)) for _, field in _SHARES),
            "" if one.ran_on == "unknown" else one.ran_on,
            one.limited_by or "",
        )
        for one in results
    ]
    headings = [heading for heading, _ in (*_PEAKS, *_SHARES)]
    return ("workload", *headings, "ran on", "limited by"), [row for row in rows if any(row[1:])]


def _fields(result: Result, columns: Sequence[_Column]) -> Iterator[str]:
    return (significant(getattr(result, field)) for _, field in columns)


def _proofs(results: Sequence[Result]) -> _Table:
    rows = [
        (one.workload, f"{one.max_error:.2e}", _scientific(one.tolerance))
        for one in results
        if one.max_error is not None
    ]
    return ("workload", "largest error", "allowed"), rows


def _scientific(value: float | None) -> str:
    return "" if value is None else f"{value:.2e}"


def _trainings(report: BenchReport) -> _Table:
    headings = (
        *("model", "device", "samples/s", "seconds", "accuracy", "target", "epochs to target"),
        *("first loss", "last loss", "agrees with the reference", "detail"),
    )
    rows = [
        (
            *(one.model, one.device, significant(one.samples_per_second), significant(one.seconds)),
            *(percent(one.accuracy), percent(one.target_accuracy)),
            str(one.epochs_to_target or ""),
            *(significant(one.loss[index]) if one.loss else "" for index in (0, -1)),
            {True: "yes", False: "no", None: ""}[one.matches_reference],
            one.detail.partition("\n")[0],
        )
        for one in report.training
    ]
    return headings, rows


def _peaks(report: BenchReport) -> _Table:
    rows = [
        (one.device, one.unit, significant(one.measured), significant(one.theoretical), one.how)
        for one in report.peaks
    ]
    return ("device", "unit", "measured", "theoretical", "how"), rows


def _contestants(report: BenchReport) -> _Table:
    rows = [
        (
            *(one.name, one.kind, one.version or "", str(one.threads or "")),
            *(one.status.replace("-", " "), one.detail),
        )
        for one in report.contestants
    ]
    return ("contestant", "kind", "version", "threads", "status", "detail"), rows
