# SPDX-License-Identifier: MIT
"""Normalisations of batches, layers and groups, and their gradients."""

from collections.abc import Sequence
from math import prod

from clprobe.aten.held import Held
from clprobe.aten.running import Running
from clprobe.aten.table.elementwise import held
from clprobe.aten.table.entries import Entries
from clprobe.tensor.array import Array, Shape
from clprobe.tensor.ops.channel_sums import Channels, gradient_sums, statistics
from clprobe.tensor.ops.elementwise import apply
from clprobe.tensor.ops.norm import (
    Moments,
    batch_norm_input_gradient,
    fixed_moments,
    layer_norm_forward,
    layer_norm_input_gradient,
    layer_norm_sums,
    normalised,
)
from clprobe.tensor.ops.norm import Running as Statistics
from clprobe.tensor.ops.reduce import sum_axes
from clprobe.tensor.ops.views import copied

ENTRIES = Entries()
Three = tuple[Held | None, Held | None, Held | None]


@ENTRIES.of("_native_batch_norm_legit_functional.default")
def _batch_norm(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running,
    x: Held,
    weight: Held | None,
    bias: Held | None,
    mean: Held,
    variance: Held,
    training: bool,
    momentum: float,
    epsilon: float,
) -> tuple[Held, ...]:
    so_far = Statistics(_own(run, mean), _own(run, variance), momentum, epsilon)
    return batch_norm(run, x, (weight, bias), so_far, training=training)


def batch_norm(
    run: Running,
    x: Held,
    parameters: tuple[Held | None, Held | None],
    so_far: Statistics,
    *,
    training: bool,
) -> tuple[Held, ...]:
    """Return normalised values, what their gradient needs, and the statistics moved in place."""
    y, moments = _batch_normalised(run, x, parameters, so_far, training=training)
    saved = moments if training else (run.zeros((0,)), run.zeros((0,)))
    return tuple(held(each) for each in (y, *saved, so_far.mean, so_far.variance))


@ENTRIES.of("_native_batch_norm_legit.no_stats")
def _batch_norm_without(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running,
    x: Held,
    weight: Held | None,
    bias: Held | None,
    _training: bool,
    momentum: float,
    epsilon: float,
) -> tuple[Held, ...]:
    channels = (x.shape[1],)
    unused = Array.empty(run.device, channels), Array.empty(run.device, channels)
    nothing = Statistics(*unused, momentum, epsilon)
    y, moments = _batch_normalised(run, x, (weight, bias), nothing, training=True)
    return tuple(held(each) for each in (y, *moments))


def _batch_normalised(
    run: Running,
    x: Held,
    parameters: tuple[Held | None, Held | None],
    so_far: Statistics,
    *,
    training: bool,
) -> tuple[Array, Moments]:
    values = run.dense(x)
    if training:
        rates = (so_far.momentum, so_far.epsilon)
        moments = statistics(values, Channels.of(values), (so_far.mean, so_far.variance), rates)
    else:
        moments = fixed_moments(so_far)
    weight, bias = _or_plain(run, parameters, x.shape[1:2])
    return normalised(values, moments, weight, bias), moments


@ENTRIES.of("native_batch_norm_backward.default")
def _batch_norm_backward(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running,
    dy: Held,
    x: Held,
    weight: Held | None,
    mean: Held | None,
    variance: Held | None,
    saved_mean: Held | None,
    saved_scale: Held | None,
    training: bool,
    epsilon: float,
    wanted: Sequence[bool],
) -> Three:
    above, values = run.dense(dy), run.dense(x)
    if training and saved_mean is not None and saved_scale is not None:
        moments = run.dense(saved_mean), run.dense(saved_scale)
    else:
        assert mean is not None  # noqa: S101 - torch has no fixed moments without them
        assert variance is not None  # noqa: S101
        moments = fixed_moments(Statistics(run.dense(mean), run.dense(variance), 0.0, epsilon))
    slope, _ = _or_plain(run, (weight, None), x.shape[1:2])
    sums = gradient_sums(values, above, moments, Channels.of(values))
    dx = batch_norm_input_gradient(above, values, moments, slope, sums if training else None)
    return _chosen((dx, sums[1], sums[0]), wanted)


@ENTRIES.of("native_layer_norm.default")
def _layer_norm(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running,
    x: Held,
    shape: Sequence[int],
    weight: Held | None,
    bias: Held | None,
    epsilon: float,
) -> tuple[Held, ...]:
    parameters = _or_plain(run, (weight, bias), tuple(shape))
    y, moments = layer_norm_forward(run.dense(x), *parameters, epsilon=epsilon)
    rows = (*x.shape[: len(x.shape) - len(shape)], *(1 for _ in shape))
    return (held(y), *(held(each.reshape(rows)) for each in moments))


@ENTRIES.of("native_layer_norm_backward.default")
def _layer_norm_backward(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running,
    dy: Held,
    x: Held,
    shape: Sequence[int],
    mean: Held,
    scale: Held,
    weight: Held | None,
    bias: Held | None,
    wanted: Sequence[bool],
) -> Three:
    slope, _ = _or_plain(run, (weight, bias), tuple(shape))
    above, values = run.dense(dy), run.dense(x)
    moments = _flat(run, mean), _flat(run, scale)
    dx = layer_norm_input_gradient(above, values, moments, slope)
    dbias, dweight = layer_norm_sums(above, values, moments, slope.shape)
    return _chosen((dx, dweight, dbias), wanted)


@ENTRIES.of("native_group_norm.default")
def _group_norm(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running,
    x: Held,
    weight: Held | None,
    bias: Held | None,
    images: int,
    channels: int,
    pixels: int,
    groups: int,
    epsilon: float,
) -> tuple[Held, ...]:
    row = (channels // groups * pixels,)
    rows = run.dense(x).reshape((images * groups, *row))
    y, moments = layer_norm_forward(rows, *_or_plain(run, (None, None), row), epsilon=epsilon)
    normal = y.reshape((images, channels, pixels))
    slope, shift = (
        each.reshape((1, channels, 1)) for each in _or_plain(run, (weight, bias), (channels,))
    )
    result = apply("add", apply("multiply", normal, slope), shift).reshape(x.shape)
    return (held(result), *(held(each.reshape((images, groups))) for each in moments))


@ENTRIES.of("native_group_norm_backward.default")
def _group_norm_backward(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running,
    dy: Held,
    x: Held,
    mean: Held,
    scale: Held,
    weight: Held | None,
    images: int,
    channels: int,
    pixels: int,
    groups: int,
    wanted: Sequence[bool],
) -> Three:
    row = (channels // groups * pixels,)
    shape = (images, channels, pixels)
    above, values = run.dense(dy).reshape(shape), run.dense(x)
    moments = _flat(run, mean), _flat(run, scale)
    slope = _or_plain(run, (weight, None), (channels,))[0].reshape((1, channels, 1))
    through = apply("multiply", above, slope).reshape((images * groups, *row))
    rows = values.reshape(through.shape)
    dx = layer_norm_input_gradient(through, rows, moments, _or_plain(run, (None, None), row)[0])
    centred = apply("subtract", rows, moments[0].reshape((images * groups, 1)))
    normal = apply("multiply", centred, moments[1].reshape((images * groups, 1)))
    dweight = sum_axes(apply("multiply", above, normal.reshape(shape)), (0, 2))
    dbias = sum_axes(above, (0, 2))
    sums = (each.reshape((channels,)) for each in (dweight, dbias))
    return _chosen((dx.reshape(x.shape), *sums), wanted)


def _chosen(gradients: tuple[Array, ...], wanted: Sequence[bool]) -> Three:
    first, second, third = (
        held(each) if is_wanted else None for each, is_wanted in zip(gradients, wanted, strict=True)
    )
    return first, second, third


def _or_plain(
    run: Running, parameters: tuple[Held | None, Held | None], shape: Shape
) -> tuple[Array, Array]:
    """Return weight and bias: ones and zeros where there are none."""
    weight, bias = (
        run.zeros(shape, plain) if given is None else run.dense(given)
        for given, plain in zip(parameters, (1.0, 0.0), strict=True)
    )
    return weight, bias


def _own(run: Running, x: Held) -> Array:
    """Return a copy: graphs of torch change nothing in place."""
    values = run.dense(x)
    return copied(values, values.shape, (1,))


def _flat(run: Running, x: Held) -> Array:
    return run.dense(x).reshape((prod(x.shape),))
