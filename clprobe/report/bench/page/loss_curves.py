# SPDX-License-Identifier: MIT
"""How the loss fell on the device and on the reference, which is the proof that training works."""

from collections.abc import Iterator, Sequence

from clprobe.model.measurement import BenchReport, Training
from clprobe.report.bench.page.figure import figure, series, table
from clprobe.report.bench.page.plot import (
    BOTTOM,
    LEFT,
    RIGHT,
    TOP,
    Plot,
    Point,
    linear_scale,
    log_scale,
)
from clprobe.report.bench.words import significant

_MOST_POINTS = 240
_LISTED = 12
_DEVICE, _REFERENCE = 0, 1


def loss_curves(report: BenchReport, device: str) -> Iterator[str]:
    """Yield a figure per training of the device that got anywhere."""
    for index, training in enumerate(report.training):
        if training.device == device and len(_points(training.loss)) > 1:
            yield _figure(training, f"loss-{index}")


def _figure(training: Training, name: str) -> str:
    lines = [(_DEVICE, "device", training.loss)]
    if len(_points(training.reference_loss)) > 1:
        lines.insert(0, (_REFERENCE, "reference", training.reference_loss))
    values = [value for _, _, losses in lines for _, value in _points(losses)]
    steps = max(len(losses) for _, _, losses in lines)
    plot = Plot(
        linear_scale(1, steps, LEFT, RIGHT),
        log_scale(values, BOTTOM, TOP),
        "training step",
        "loss",
    )
    for style, label, losses in lines:
        plot.line(_thinned(_points(losses)), style, class_=f"line {label}")
    title = f"{training.model}: loss while training"
    picture = plot.drawn(name, title, _described(training))
    legend = [series(style, label, mark=False) for style, label, _ in reversed(lines)]
    return figure(picture, title, legend, table(title, *_listed(training, steps)))


def _points(losses: Sequence[float]) -> list[Point]:
    """Return step and loss, without what no logarithm can show."""
    return [(step, loss) for step, loss in enumerate(losses, 1) if loss > 0]


def _thinned(points: list[Point]) -> list[Point]:
    """Return so few points that the page stays small; each is the mean of its neighbours."""
    size = -(-len(points) // _MOST_POINTS)
    groups = [points[first : first + size] for first in range(0, len(points), size)]
    return [
        (sum(x for x, _ in group) / len(group), sum(y for _, y in group) / len(group))
        for group in groups
    ]


def _described(training: Training) -> str:
    loss = training.loss
    text = f"The loss falls from {significant(loss[0])} to {significant(loss[-1])}"
    text += f" in {len(loss)} steps."
    if training.reference_loss:
        text += f" The reference ends at {significant(training.reference_loss[-1])}."
    if training.matches_reference is not None:
        agrees = "agrees" if training.matches_reference else "does not agree"
        text += f" The device {agrees} with it within the stated bounds."
    return text


def _listed(training: Training, steps: int) -> tuple[Sequence[str], Sequence[tuple[str, ...]]]:
    every = max(1, steps // _LISTED)
    shown = sorted({*range(0, steps, every), steps - 1})

    def at(losses: Sequence[float], step: int) -> str:
        return significant(losses[step]) if step < len(losses) else ""

    rows = [
        (str(step + 1), at(training.loss, step), at(training.reference_loss, step))
        for step in shown
    ]
    return ("step", "device", "reference"), rows
