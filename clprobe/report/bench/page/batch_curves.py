# SPDX-License-Identifier: MIT
"""Samples per second over the batch size, one picture per net, with the crossover."""

from collections import defaultdict
from collections.abc import Iterator

from clprobe.model.measurement import BenchReport, Result
from clprobe.model.workload import net_of
from clprobe.report.bench.page.figure import figure, series, table
from clprobe.report.bench.page.plot import BOTTOM, LEFT, RIGHT, TOP, Plot, log_scale
from clprobe.report.bench.words import measured, significant, span, styles_of

_Curves = dict[str, dict[int, Result]]
"""By contestant and batch size."""


def batch_curves(report: BenchReport) -> Iterator[str]:
    """Yield a figure per net that was timed at two batch sizes or more."""
    models: dict[str, _Curves] = defaultdict(lambda: defaultdict(dict))
    for result, _ in measured(report):
        model = net_of(result)
        if model is not None and result.batch is not None and result.batch > 0:
            models[model][result.device][result.batch] = result
    for index, (model, curves) in enumerate(models.items()):
        if len({batch for curve in curves.values() for batch in curve}) > 1:
            yield _figure(report, f"batches-{index}", model, curves)


def _figure(report: BenchReport, name: str, model: str, curves: _Curves) -> str:
    styles = styles_of(report)
    points = [result for curve in curves.values() for result in curve.values()]
    ends = [end for one in points for end in (_median(one), *(one.ci95 or ())) if end > 0]
    plot = Plot(
        log_scale([one.batch or 1 for one in points], LEFT, RIGHT, base=2),
        log_scale(ends, BOTTOM, TOP),
        "samples per step (batch)",
        "samples per second",
    )
    for crossover in report.crossovers:
        if crossover.model == model and crossover.batch is not None and crossover.batch > 0:
            plot.upright(crossover.batch, f"from {crossover.batch} on")
    for contestant, curve in curves.items():
        style = styles[contestant]
        plot.line([(batch, _median(curve[batch])) for batch in sorted(curve)], style)
        for batch, result in curve.items():
            if result.ci95 is not None:
                plot.interval(batch, result.ci95, style)
            told = f"{contestant}, batch {batch}: {_shown(result)}"
            plot.marker((batch, _median(result)), style, told)
    title = f"{model}: speed by batch size"
    picture = plot.drawn(name, title, _described(report, model, curves))
    rows = [
        (str(batch), contestant, significant(result.median), span(result.ci95))
        for contestant, curve in curves.items()
        for batch, result in sorted(curve.items())
    ]
    headings = ("batch", "contestant", "samples/s", "95 % interval")
    legend = [series(styles[contestant], contestant) for contestant in curves]
    return figure(picture, title, legend, table(title, headings, rows))


def _described(report: BenchReport, model: str, curves: _Curves) -> str:
    sentences = [one.text for one in report.crossovers if one.model == model]
    for contestant, curve in curves.items():
        best = max(curve.values(), key=_median)
        sentences.append(f"{contestant} is fastest at batch {best.batch} with {_shown(best)}.")
    return " ".join(sentences)


def _shown(result: Result) -> str:
    return f"{significant(result.median)} {result.unit}"


def _median(result: Result) -> float:
    return result.median or 0.0
