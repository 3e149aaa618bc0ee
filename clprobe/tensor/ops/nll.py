# SPDX-License-Identifier: MIT
"""The negative log-likelihood of labels, one for each place, and its gradient."""

from dataclasses import dataclass
from math import prod

import numpy as np

from clprobe.tensor.array import Array, Shape
from clprobe.tensor.launching import launch_rows
from clprobe.tensor.ops.arguments import arguments


@dataclass(frozen=True, slots=True)
class Labels:
    """What is right at each place, how much each class counts, and which label does not."""

    values: Array
    """int32 (outer, *places)."""
    weights: Array
    """float32 (classes,)."""
    ignored: int = -100


def nll(logs: Array, labels: Labels) -> tuple[Array, Array]:
    """Return for each place the loss times the weight of its label, and that weight.

    **Shapes** logs (outer, classes, *places), results as the labels.
    """
    losses = Array.empty(logs.device, labels.values.shape)
    used = Array.empty(logs.device, labels.values.shape)
    if losses.size:
        outer, classes, inner = _around(logs.shape)
        sizes = (*map(np.uint64, (outer, classes, inner)), np.int32(labels.ignored))
        values = arguments(logs, labels.values, labels.weights, losses, used, *sizes)
        launch_rows(logs.device, "loss/nll.cl", "nll", inner, outer, values)
    return losses, used


def nll_gradient(scales: Array, shape: Shape, labels: Labels) -> Array:
    """Return the gradient for logs of a shape, given that of each place's loss."""
    dx = Array.empty(scales.device, shape)
    if dx.size:
        outer, classes, inner = _around(shape)
        rows = outer * classes
        sizes = (*map(np.uint64, (rows, classes, inner)), np.int32(labels.ignored))
        values = arguments(labels.values, labels.weights, scales, dx, *sizes)
        launch_rows(scales.device, "loss/nll.cl", "nll_gradient", inner, rows, values)
    return dx


def _around(shape: Shape) -> tuple[int, int, int]:
    return shape[0], shape[1], prod(shape[2:])
