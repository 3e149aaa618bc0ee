# SPDX-License-Identifier: MIT
"""Every figure of a bench report as tables."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from clprobe.model.measurement import BenchReport
from clprobe.report.bench.page.figure import table
from clprobe.report.bench.page.markup import element, text
from clprobe.report.bench.words import percent, significant, span


def _stated(value: object) -> str:
    """Return a text or a count; "" where there is none."""
    return str(value or "")


def _first_line(value: str) -> str:
    # Build logs have many lines; the first says what failed.
    return value.partition("\n")[0]


def _words(value: str) -> str:
    return value.replace("-", " ")


def _scientific(value: float | None) -> str:
    return "" if value is None else f"{value:.2e}"


_Columns = Mapping[str, tuple[str, Callable[[Any], str]]]
"""By heading: the field, and how its value is written."""

_VERDICTS: _Columns = {
    "workload": ("workload", str),
    "ratio": ("ratio", significant),
    "95 % interval": ("ci95", span),
    "decision": ("decision", str),
    "verdict": ("text", str),
}
_MEASUREMENTS: _Columns = {
    "workload": ("workload", str),
    "median": ("median", significant),
    "95 % interval": ("ci95", span),
    "unit": ("unit", str),
    "samples": ("samples", _stated),
    "batch": ("batch", _stated),
    "compile ms": ("compile_ms", significant),
    "transfer ms": ("transfer_ms", significant),
    "copied ms": ("transfer_copied_ms", significant),
    "mapped ms": ("transfer_mapped_ms", significant),
    "transfer by": ("transfer_by", _stated),
    "launch ms": ("launch_ms", significant),
    "kernel ms": ("kernel_ms", significant),
    "run ms": ("wall_ms", significant),
    "J per sample": ("energy_per_sample_j", significant),
    "status": ("status", lambda status: "" if status == "ok" else _words(status)),
    "detail": ("detail", _first_line),
}
_LIMITS: _Columns = {
    "workload": ("workload", str),
    "FLOP per byte": ("intensity", significant),
    "measured peak": ("measured_peak", significant),
    "bound": ("bound", significant),
    "theoretical peak": ("theoretical_peak", significant),
    "of measured peak": ("fraction_of_peak", percent),
    "of theoretical peak": ("fraction_of_theoretical", percent),
    "CPU time": ("cpu_share", percent),
    "ran on": ("ran_on", lambda place: "" if place == "unknown" else place),
    "limited by": ("limited_by", _stated),
}
_PROOFS: _Columns = {
    "workload": ("workload", str),
    "largest error": ("max_error", _scientific),
    "allowed": ("tolerance", _scientific),
}
_TRAININGS: _Columns = {
    "model": ("model", str),
    "device": ("device", str),
    "samples/s": ("samples_per_second", significant),
    "seconds": ("seconds", significant),
    "accuracy": ("accuracy", percent),
    "target": ("target_accuracy", percent),
    "epochs to target": ("epochs_to_target", _stated),
    "first loss": ("loss", lambda losses: significant(losses[0]) if losses else ""),
    "last loss": ("loss", lambda losses: significant(losses[-1]) if losses else ""),
    "agrees with the reference": (
        "matches_reference",
        {True: "yes", False: "no", None: ""}.__getitem__,
    ),
    "repeated bit-equal": ("repeats", {True: "yes", False: "no", None: ""}.__getitem__),
    "detail": ("detail", _first_line),
}
_PEAKS: _Columns = {
    "device": ("device", str),
    "unit": ("unit", str),
    "measured": ("measured", significant),
    "theoretical": ("theoretical", significant),
    "how": ("how", str),
    "bound": ("bound", significant),
    "how the bound": ("bound_how", str),
}
_CONTESTANTS: _Columns = {
    "contestant": ("name", str),
    "kind": ("kind", str),
    "version": ("version", _stated),
    "threads": ("threads", _stated),
    "status": ("status", _words),
    "detail": ("detail", str),
}


def tables(report: BenchReport) -> str:
    """Return all tables that have a row; a column that is empty throughout is left out."""
    parts = []
    for contestant in dict.fromkeys(one.device for one in report.results):
        results = [one for one in report.results if one.device == contestant]
        verdicts = [one for one in report.verdicts if one.device == contestant]
        limits = [one for one in results if any(_row(one, _LIMITS)[1:])]
        proofs = [one for one in results if one.max_error is not None]
        parts.append(element("h3", text(contestant)))
        parts += _shown(
            contestant,
            ("Verdicts", _VERDICTS, verdicts),
            ("Measurements", _MEASUREMENTS, results),
            ("Limits and where it ran", _LIMITS, limits),
            ("Proof", _PROOFS, proofs),
        )
    more = [
        *_shown(
            "all",
            ("Training", _TRAININGS, report.training),
            ("Peaks", _PEAKS, report.peaks),
            ("Contestants", _CONTESTANTS, report.contestants),
        )
    ]
    if more:
        parts += [element("h3", "All contestants"), *more]
    return "\n".join(parts)


def _shown(about: str, *made: tuple[str, _Columns, Sequence[object]]) -> Iterator[str]:
    for name, columns, items in made:
        rows = [_row(one, columns) for one in items]
        kept = [place for place in range(len(columns)) if not place or any(r[place] for r in rows)]
        headings = list(columns)
        if rows:
            yield table(
                name,
                [headings[place] for place in kept],
                [[row[place] for place in kept] for row in rows],
                label=f"{name}: {about}",
            )


def _row(item: object, columns: _Columns) -> list[str]:
    return [written(getattr(item, field)) for field, written in columns.values()]
