# SPDX-License-Identifier: MIT
"""Normalisation of the channels of a batch, or of the last axes, and its gradients.

Batch-norm takes two launches, for the sums of pieces and their putting together; the rest is an
expression. Layer-norm takes one launch forward, one for the gradient of the input, two for those of
weight and bias.
"""

from dataclasses import dataclass
from math import prod

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.ops.arguments import arguments
from clprobe.tensor.ops.channel_sums import (
    Channels,
    column_gradient_sums,
    gradient_sums,
    statistics,
)
from clprobe.tensor.ops.elementwise import apply, times
from clprobe.tensor.ops.reduce import row_kernel, row_width
from clprobe.tensor.tape import Result, once


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
    shape = (1, channels.channels, *(1,) * (len(x.shape) - 2))
    mean, scale = _moments(x, channels, running, training=training)

    def centred() -> Array:
        return apply("subtract", x, mean.reshape(shape))

    # Nothing is computed here but the moments: what follows is fused with what comes after.
    slope = apply("multiply", scale, weight).reshape(shape)
    y = apply("add", apply("multiply", centred(), slope), bias.reshape(shape))
    sums = once(lambda dy: gradient_sums(x, dy, (mean, scale), channels))

    def input_gradient(dy: Array) -> Array:
        if not training:
            return apply("multiply", dy, slope)
        share = Array.full(x.device, (), 1 / channels.values)
        dbias, dweight = sums(dy)
        shift = times(dbias, share).reshape(shape)
        tilt = times(apply("multiply", dweight, scale), share).reshape(shape)
        through_moments = apply("add", shift, apply("multiply", centred(), tilt))
        return apply("multiply", apply("subtract", dy, through_moments), slope)

    return Result(y, (input_gradient, lambda dy: sums(dy)[1], lambda dy: sums(dy)[0]))


def _moments(
    x: Array, channels: Channels, running: Running, *, training: bool
) -> tuple[Array, Array]:
    """Return mean and 1 / sqrt(variance + epsilon) of each channel."""
    if training:
        rates = (running.momentum, running.epsilon)
        return statistics(x, channels, (running.mean, running.variance), rates)
    epsilon = Array.full(x.device, (), running.epsilon)
    return running.mean, apply("rsqrt", apply("add", running.variance, epsilon))


def layer_norm(x: Array, weight: Array, bias: Array, *, epsilon: float = 1e-5) -> Result:
    """Return (x - mean) / sqrt(variance + epsilon) · weight + bias over the last axes.

    **Shapes** x (…, *normalised), weight and bias normalised, which has one axis or more.

    **Raises** ShapeError.
    """
    rank = len(weight.shape)
    if not rank or x.shape[-rank:] != weight.shape or bias.shape != weight.shape:
        raise ShapeError(
            f"Layer-norm of {x.shape} does not take parameters {weight.shape} and {bias.shape}."
        )
    columns = prod(weight.shape)
    rows = prod(x.shape[:-rank])
    flat = x.reshape((rows, columns))
    y = Array.empty(x.device, x.shape)
    mean, scale = Array.empty(x.device, (rows,)), Array.empty(x.device, (rows,))

    def launch(name: str, arrays: tuple[Array, ...], *scalars: np.float32) -> None:
        if flat.size:
            kernel, size = row_kernel("norm/layer_norm.cl", name, flat, row_width(flat))
            values = arguments(*arrays, np.uint64(columns), *scalars)
            x.device.launch(kernel, (rows * size,), (size,), values)

    def input_gradient(dy: Array) -> Array:
        dx = Array.empty(x.device, x.shape)
        launch("layer_norm_gradient", (x, dy, weight, mean, scale, dx))
        return dx

    def sums_of(dy: Array) -> tuple[Array, Array]:
        rows_of_dy = dy.reshape(flat.shape)
        dbias, dweight = column_gradient_sums(flat, rows_of_dy, (mean, scale), of_rows=True)
        return dbias.reshape(weight.shape), dweight.reshape(weight.shape)

    sums = once(sums_of)
    launch("layer_norm", (x, weight, bias, y, mean, scale), np.float32(epsilon))
    return Result(y, (input_gradient, lambda dy: sums(dy)[1], lambda dy: sums(dy)[0]))
