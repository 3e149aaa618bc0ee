# SPDX-License-Identifier: MIT
"""Copies between views of arrays: what is transposed, sliced, repeated, joined or put in place."""

from collections.abc import Sequence
from math import prod

import numpy as np

from clprobe.tensor.array import Array, Shape
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.launching import launch_rows
from clprobe.tensor.ops.arguments import arguments

_LOOPS_ABOVE_COLUMNS = 5


def copied(x: Array, shape: Shape, strides: Shape, offset: int = 0) -> Array:
    """Return what a view of x shows, as an array of its own; strides and offset count elements.

    **Raises** ShapeError for a view of too many axes, DeviceError.
    """
    y = Array.empty(x.device, shape, x.dtype)
    put(x, y, shape, (strides, contiguous(shape)), (offset, 0))
    return y


def put(
    source: Array,
    target: Array,
    shape: Shape,
    strides: tuple[Shape, Shape],
    offsets: tuple[int, int] = (0, 0),
) -> None:
    """Copy what a view of `source` shows to where a view of `target` shows; each in elements.

    **Raises** ShapeError for views of too many axes, DeviceError.
    """
    if not prod(shape):
        return
    sizes, (steps_from, steps_to) = _merged(shape, strides)
    *outer, columns = sizes
    if len(outer) > _LOOPS_ABOVE_COLUMNS:
        raise ShapeError(f"A view of shape {shape} alternates on too many axes.")
    source_buffer = source.buffer
    numbers = (
        *(*offsets, prod(outer), columns, steps_from[-1], steps_to[-1]),
        *_from_inside(outer, 1)[: _LOOPS_ABOVE_COLUMNS - 1],
        *(*_from_inside(steps_from[:-1], 0), *_from_inside(steps_to[:-1], 0)),
    )
    values = arguments(source_buffer, target.changing_buffer(), *map(np.uint64, numbers))
    launch_rows(
        *(source.device, "views/strided_copy.cl", "strided_copy", columns, prod(outer)),
        values,
    )


def contiguous(shape: Shape) -> Shape:
    """Return the strides of values that lie in their order."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(1, size)
    return tuple(reversed(strides))


def _from_inside(values: Sequence[int], filler: int) -> list[int]:
    """Return the values of the loops above the columns, the nearest first."""
    nearest = list(reversed(values))
    return nearest + [filler] * (_LOOPS_ABOVE_COLUMNS - len(nearest))


def _merged(
    shape: Shape, strides: tuple[Shape, Shape]
) -> tuple[list[int], tuple[list[int], list[int]]]:
    """Return the loops with neighbours made one where both views step through them alike."""
    sizes: list[int] = []
    steps: list[tuple[int, int]] = []
    for size, *both in zip(shape, *strides, strict=True):
        if size == 1:
            continue
        own = (both[0], both[1])
        if sizes and steps[-1] == (own[0] * size, own[1] * size):
            sizes[-1] *= size
            steps[-1] = own
        else:
            sizes.append(size)
            steps.append(own)
    if not sizes:
        return [1], ([0], [0])
    return sizes, ([one[0] for one in steps], [one[1] for one in steps])
