# SPDX-License-Identifier: MIT
"""Normalisation of the channels of a batch, or of the last axes, and its gradients.

Batch-norm takes two launches, for the sums of pieces and their putting together; the rest is an
expression. Layer-norm takes one launch forward, one for the gradient of the input, two for those of
weight and bias.
"""

from dataclasses import dataclass
from math import prod

import numpy as np

from clprobe.tensor.array import Array, Shape
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

Moments = tuple[Array, Array]
"""Mean, and 1 / sqrt(variance + epsilon)."""


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
    moments = _moments(x, channels, running, training=training)
    y = normalised(x, moments, weight, bias)
    sums = once(lambda dy: gradient_sums(x, dy, moments, channels))

    def input_gradient(dy: Array) -> Array:
        of_batch = sums(dy) if training else None
        return batch_norm_input_gradient(dy, x, moments, weight, of_batch)

    return Result(y, (input_gradient, lambda dy: sums(dy)[1], lambda dy: sums(dy)[0]))


def normalised(x: Array, moments: Moments, weight: Array, bias: Array) -> Array:
    """Return (x - mean) · scale · weight + bias for each channel, as an expression.

    **Shapes** x (images, channels, …), the rest (channels,).
    """
    # Nothing is computed here: what follows is fused with what comes after.
    slope = apply("multiply", moments[1], weight).reshape(_across(x))
    return apply("add", apply("multiply", _centred(x, moments[0]), slope), bias.reshape(_across(x)))


def batch_norm_input_gradient(
    dy: Array,
    x: Array,
    moments: Moments,
    weight: Array,
    sums: tuple[Array, Array] | None,
) -> Array:
    """Return the gradient of a batch-norm for its input.

    `sums` are those of dy and of dy · (x - mean) · scale for each channel, through which the
    gradient of moments flows; None for fixed moments.
    """
    shape, (mean, scale) = _across(x), moments
    slope = apply("multiply", scale, weight).reshape(shape)
    if sums is None:
        return apply("multiply", dy, slope)
    share = Array.full(x.device, (), 1 / Channels.of(x).values)
    dbias, dweight = sums
    shift = times(dbias, share).reshape(shape)
    tilt = times(apply("multiply", dweight, scale), share).reshape(shape)
    through_moments = apply("add", shift, apply("multiply", _centred(x, mean), tilt))
    return apply("multiply", apply("subtract", dy, through_moments), slope)


def _centred(x: Array, mean: Array) -> Array:
    return apply("subtract", x, mean.reshape(_across(x)))


def _across(x: Array) -> Shape:
    """Return the shape in which one value for each channel is repeated over x."""
    return (1, x.shape[1], *(1,) * (len(x.shape) - 2))


def _moments(x: Array, channels: Channels, running: Running, *, training: bool) -> Moments:
    """Return mean and 1 / sqrt(variance + epsilon) of each channel."""
    if training:
        rates = (running.momentum, running.epsilon)
        return statistics(x, channels, (running.mean, running.variance), rates)
    return fixed_moments(running)


def fixed_moments(running: Running) -> Moments:
    """Return mean and 1 / sqrt(variance + epsilon) of the batches so far."""
    epsilon = Array.full(running.mean.device, (), running.epsilon)
    return running.mean, apply("rsqrt", apply("add", running.variance, epsilon))


def layer_norm(x: Array, weight: Array, bias: Array, *, epsilon: float = 1e-5) -> Result:
    """Return (x - mean) / sqrt(variance + epsilon) · weight + bias over the last axes.

    **Shapes** x (…, *normalised), weight and bias normalised, which has one axis or more.

    **Raises** ShapeError.
    """
    y, moments = layer_norm_forward(x, weight, bias, epsilon=epsilon)
    sums = once(lambda dy: layer_norm_sums(dy, x, moments, weight.shape))
    return Result(
        y,
        (
            lambda dy: layer_norm_input_gradient(dy, x, moments, weight),
            lambda dy: sums(dy)[1],
            lambda dy: sums(dy)[0],
        ),
    )


def layer_norm_forward(
    x: Array, weight: Array, bias: Array, *, epsilon: float = 1e-5
) -> tuple[Array, Moments]:
    """Return the normalised values, and mean and 1 / sqrt(variance + epsilon) of each row.

    **Raises** ShapeError.
    """
    rank = len(weight.shape)
    if not rank or x.shape[-rank:] != weight.shape or bias.shape != weight.shape:
        raise ShapeError(
            f"Layer-norm of {x.shape} does not take parameters {weight.shape} and {bias.shape}."
        )
    rows = prod(x.shape[:-rank])
    y = Array.empty(x.device, x.shape)
    mean, scale = Array.empty(x.device, (rows,)), Array.empty(x.device, (rows,))
    arrays = (x, weight, bias, y, mean, scale)
    _launch_rows("layer_norm", arrays, weight.shape, np.float32(epsilon))
    return y, (mean, scale)


def layer_norm_input_gradient(dy: Array, x: Array, moments: Moments, weight: Array) -> Array:
    """Return the gradient of a layer-norm for its input."""
    dx = Array.empty(x.device, x.shape)
    _launch_rows("layer_norm_gradient", (x, dy, weight, *moments, dx), weight.shape)
    return dx


def layer_norm_sums(
    dy: Array, x: Array, moments: Moments, normalised_shape: Shape
) -> tuple[Array, Array]:
    """Return the gradients of a layer-norm for its bias and its weight."""
    rows, columns = _flat(x, normalised_shape)
    dbias, dweight = column_gradient_sums(
        x.reshape((rows, columns)), dy.reshape((rows, columns)), moments, of_rows=True
    )
    return dbias.reshape(normalised_shape), dweight.reshape(normalised_shape)


def _launch_rows(
    name: str, arrays: tuple[Array, ...], normalised_shape: Shape, *scalars: np.float32
) -> None:
    """Launch a kernel of norm/layer_norm.cl on rows of the first array."""
    first = arrays[0]
    rows, columns = _flat(first, normalised_shape)
    if first.size:
        flat = first.reshape((rows, columns))
        kernel, size = row_kernel("norm/layer_norm.cl", name, flat, row_width(flat))
        values = arguments(*arrays, np.uint64(columns), *scalars)
        first.device.launch(kernel, (rows * size,), (size,), values)


def _flat(x: Array, normalised_shape: Shape) -> tuple[int, int]:
    return prod(x.shape[: len(x.shape) - len(normalised_shape)]), prod(normalised_shape)
