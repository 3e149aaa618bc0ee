# SPDX-License-Identifier: MIT
"""Convolutions and pooling of images; those of lines are of images one pixel high."""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from clprobe.aten.held import Held
from clprobe.aten.running import NotHereError, Running
from clprobe.aten.table.elementwise import held
from clprobe.aten.table.entries import Entries
from clprobe.tensor.array import Array
from clprobe.tensor.ops.conv import (
    conv2d_forward,
    conv2d_forward_in_half,
    conv2d_input_gradient,
    conv2d_weight_gradient,
    suits_half,
)
from clprobe.tensor.ops.conv.geometry import Geometry, Pair
from clprobe.tensor.ops.epilogue import Epilogue
from clprobe.tensor.ops.half import to_half
from clprobe.tensor.ops.mask_and_sum import sum_channels
from clprobe.tensor.ops.pool import (
    Window,
    avg_pool2d,
    avg_pool2d_gradient,
    max_pool2d_forward,
    max_pool2d_gradient,
)

ENTRIES = Entries()


@ENTRIES.of("convolution.default")
def convolution(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running,
    x: Held,
    weight: Held,
    bias: Held | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    extra: Sequence[int],
    groups: int,
    *,
    relu: bool = False,
    in_half: bool = False,
) -> Held:
    """Return a convolution of images or of lines; negative values are made zero if `relu`.

    With `in_half` halves are multiplied, and added up in float, if that suits the sizes.
    """
    images, filters = _image(run.dense(x)), _image(run.dense(weight))
    steps = (stride, padding, dilation)
    geometry = _geometry(images, filters, steps, groups, extra if transposed else None)
    epilogue = Epilogue(bias=None if bias is None else run.dense(bias), relu=relu)
    compute = conv2d_input_gradient if transposed else conv2d_forward
    if in_half and not transposed and suits_half(geometry):
        images, filters, compute = to_half(images), to_half(filters), conv2d_forward_in_half
    return held(_as(compute(images, filters, geometry, epilogue=epilogue), x))


@ENTRIES.of("convolution_backward.default")
def _convolution_backward(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running,
    dy: Held,
    x: Held,
    weight: Held,
    _bias_sizes: Sequence[int] | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    extra: Sequence[int],
    groups: int,
    wanted: Sequence[bool],
) -> tuple[Held | None, ...]:
    how = (stride, padding, dilation, transposed, extra, groups)
    of_bias = held(sum_channels(_image(run.dense(dy)))) if wanted[-1] else None
    return (*gradients(run, (dy, x, weight), how, wanted), of_bias)


def gradients(
    run: Running, operands: tuple[Held, Held, Held], how: Sequence[Any], wanted: Sequence[bool]
) -> tuple[Held | None, Held | None]:
    """Return those gradients of a convolution for images and filters that are wanted.

    `operands` are the gradient of the result, images and filters; `how` is what torch's convolution
    takes beside images, filters and bias.
    """
    stride, padding, dilation, transposed, extra, groups = how
    above, images, filters = (_image(run.dense(each)) for each in operands)
    steps = (stride, padding, dilation)
    geometry = _geometry(images, filters, steps, groups, extra if transposed else None)
    if transposed:
        compute: tuple[Callable[[], Array], ...] = (
            lambda: conv2d_forward(above, filters, geometry),
            lambda: conv2d_weight_gradient(images, above, geometry),
        )
    else:
        compute = (
            lambda: conv2d_input_gradient(above, filters, geometry),
            lambda: conv2d_weight_gradient(above, images, geometry),
        )
    return (
        held(_as(compute[0](), operands[1])) if wanted[0] else None,
        held(_as(compute[1](), operands[2])) if wanted[1] else None,
    )


def _geometry(
    images: Array,
    filters: Array,
    steps: tuple[Sequence[int], Sequence[int], Sequence[int]],
    groups: int,
    extra: Sequence[int] | None,
) -> Geometry:
    """Return the sizes; `steps` are stride, padding, dilation.

    `extra` is what a transposed convolution adds to its images.
    """
    stride, padding, dilation = map(_pair, steps, (1, 0, 1))
    if extra is None:
        return Geometry.of(images.shape, filters.shape, stride, padding, dilation, groups)
    return Geometry.of_transposed(
        images.shape, filters.shape, stride, padding, _pair(extra, 0), groups, dilation
    )


def _image(x: Array) -> Array:
    """Return lines as images one pixel high.

    **Raises** NotHereError for volumes.
    """
    match len(x.shape):
        case 4:
            return x
        case 3:
            return x.reshape((*x.shape[:2], 1, x.shape[2]))
    raise NotHereError("convolutions of volumes")


def _pair(sizes: Sequence[int], of_height: int) -> Pair:
    if len(sizes) == 1:
        return (of_height, sizes[0])
    return (sizes[0], sizes[1])


def _as(y: Array, like: Held) -> Array:
    return y if len(like.shape) == 4 else y.reshape((*y.shape[:2], y.shape[3]))


def _square(sizes: Sequence[int], default: int) -> int:
    """Return the one size that there is.

    **Raises** NotHereError if there are two.
    """
    if len(set(sizes)) > 1:
        raise NotHereError("windows that are no squares")
    return sizes[0] if sizes else default


def _batched(x: Held) -> Held:
    if len(x.shape) != 4:
        raise NotHereError("a single image")
    return x


@ENTRIES.of("max_pool2d_with_indices.default")
def _max_pool(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running,
    x: Held,
    size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    ceil: bool = False,
) -> tuple[Held, Held]:
    sizes = _pooling(size, stride, padding, dilation)
    y, positions = max_pool2d_forward(run.dense(_batched(x)), *sizes, round_up=ceil)
    return held(y), held(positions, torch.int64)


@ENTRIES.of("max_pool2d_with_indices_backward.default")
def _max_pool_backward(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running,
    dy: Held,
    x: Held,
    size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    _ceil: bool,
    positions: Held,
) -> Held:
    sizes = _pooling(size, stride, padding, dilation)
    arrays = (run.dense(dy), run.dense(positions))
    return held(max_pool2d_gradient(*arrays, x.shape, *sizes))


def _pooling(
    size: Sequence[int], stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int]
) -> tuple[int, int, int]:
    if _square(dilation, 1) != 1:
        raise NotHereError("windows that are dilated")
    side = _square(size, 1)
    return side, _square(stride, side), _square(padding, 0)


@ENTRIES.of("avg_pool2d.default")
def _avg_pool(run: Running, x: Held, *sizes: Any) -> Held:
    return held(avg_pool2d(run.dense(_batched(x)), _window(*sizes)).value)


@ENTRIES.of("avg_pool2d_backward.default")
def _avg_pool_backward(run: Running, dy: Held, x: Held, *sizes: Any) -> Held:
    return held(avg_pool2d_gradient(run.dense(dy), x.shape, _window(*sizes)))


def _window(  # noqa: PLR0913, PLR0917 - torch's own argument list
    size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0, 0),
    ceil: bool = False,
    count_padding: bool = True,
    divisor: int | None = None,
) -> Window:
    if ceil or divisor is not None:
        raise NotHereError("windows that reach beyond the image, or another divisor")
    own = _both(size)
    return Window(
        size=own,
        stride=_both(stride) if stride else own,
        padding=_both(padding),
        count_padding=count_padding,
    )


def _both(sizes: Sequence[int]) -> Pair:
    return (sizes[0], sizes[-1])
