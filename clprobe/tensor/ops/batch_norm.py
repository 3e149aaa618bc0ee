# SPDX-License-Identifier: MIT
"""Batch normalisation of every channel, in training and in evaluation, and its gradients.

Two launches for the sums of pieces and their putting together; the rest is an expression.
"""

from dataclasses import dataclass

from clprobe.tensor.array import Array
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.ops.channel_sums import Channels, gradient_sums, statistics
from clprobe.tensor.ops.elementwise import apply, times
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
