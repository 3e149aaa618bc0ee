# SPDX-License-Identifier: MIT
"""Batch normalisation of every channel, in training and in evaluation, and its gradients.

Three launches each way: sums of pieces, the pieces put together, the values.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.device import Argument
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.ops.channel_sums import Channels, gradient_sums, statistics
from clprobe.tensor.ops.launching import launch_rows
from clprobe.tensor.tape import Result

_FILE = "norm/batch_norm.cl"


@dataclass(frozen=True, slots=True)
class Running:
    """Mean and variance of each channel over the batches so far; training moves them in place."""

    mean: Array
    variance: Array
    momentum: float = 0.1
    """How far one batch moves them."""
    epsilon: float = 1e-5
    """Added to a variance before its root is taken."""


def batch_norm(x: Array, weight: Array, bias: Array, running: Running, *, training: bool) -> Result:
    """Return (x - mean) / sqrt(variance + epsilon) · weight + bias for each channel.

    In training, mean and variance are those of this batch, through which the gradient flows.

    **Shapes** x (images, channels, …), the rest (channels,).

    **Raises** ShapeError, also in training with fewer than two values for each channel.
    """
    channels = Channels.of(x)
    epsilon = running.epsilon
    own = (channels.channels,)
    parameters = (weight, bias, running.mean, running.variance)
    if any(each.shape != own for each in parameters):
        raise ShapeError(f"Batch-norm of {x.shape} takes parameters of shape {own}.")
    if training and channels.values < 2:
        raise ShapeError(
            f"Batch-norm of {x.shape} has {channels.values} values for each channel; "
            "in training it takes two or more.",
            hint="Use a larger batch, or evaluate.",
        )
    mean, variance = (
        statistics(x, channels, (running.mean, running.variance), running.momentum)
        if training
        else (running.mean, running.variance)
    )

    def sums_of(dy: Array) -> tuple[Array, Array]:
        return gradient_sums(x, dy, (mean, variance), channels, epsilon)

    def input_gradient(dy: Array) -> Array:
        dbias, dweight = sums(dy) if training else (bias, weight)
        arrays = (x, dy, mean, variance, weight, dbias, dweight)
        share = np.float32(1 / max(1, channels.values))
        defines = {"FROM_BATCH": int(training)}
        return _launch(
            "batch_norm_gradient", channels, arrays, (np.float32(epsilon), share), defines
        )

    sums = for_one_gradient(sums_of)
    y = _launch(
        "batch_norm", channels, (x, mean, variance, weight, bias), (np.float32(epsilon),), {}
    )
    return Result(y, (input_gradient, lambda dy: sums(dy)[1], lambda dy: sums(dy)[0]))


def for_one_gradient(
    compute: Callable[[Array], tuple[Array, Array]],
) -> Callable[[Array], tuple[Array, Array]]:
    """Return `compute`, which several inputs ask about the same gradient, but run once for it."""
    last: list[tuple[Array, tuple[Array, Array]]] = []

    def ask(dy: Array) -> tuple[Array, Array]:
        if not last or last[0][0] is not dy:
            last[:] = [(dy, compute(dy))]
        return last[0][1]

    return ask


def _launch(
    name: str,
    channels: Channels,
    arrays: tuple[Array, ...],
    scalars: tuple[Argument, ...],
    defines: dict[str, int],
) -> Array:
    x = arrays[0]
    y = Array.empty(x.device, x.shape)
    if y.size:
        columns = channels.pixels if channels.pixels > 1 else channels.channels
        rows = prod(x.shape) // columns
        sizes = (np.uint64(rows), np.uint64(columns), np.uint64(channels.channels))
        buffers = (*(array.buffer for array in arrays), y.buffer)
        defines = {**defines, "CHANNEL_IS_COLUMN": int(channels.pixels == 1)}
        launch_rows(x.device, _FILE, name, columns, rows, (*buffers, *sizes, *scalars), defines)
    return y
