# SPDX-License-Identifier: MIT
"""NumPy's broadcasting as the fewest loops: shapes in, shape and strides out, no device."""

from dataclasses import dataclass

import numpy as np

from clprobe.tensor.errors import ShapeError
from clprobe.tensor.storage import Shape


@dataclass(frozen=True, slots=True)
class Loops:
    """Nested loops over an output, outermost first, and each operand's stride in them.

    The innermost stride of an operand is 1 or 0, for operands are contiguous.
    """

    sizes: tuple[int, ...]
    strides: tuple[tuple[int, ...], ...]


def broadcast_shape(*shapes: Shape) -> Shape:
    """Return the shape that operands of these shapes have together.

    **Raises** ShapeError.
    """
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError as error:
        together = " and ".join(str(shape) for shape in shapes)
        raise ShapeError(f"Shapes {together} cannot be broadcast together.") from error


def broadcast_loops(output: Shape, *operands: Shape) -> Loops:
    """Return the loops that read each operand for every element of `output`.

    Neighbouring axes that all operands step through alike are merged into one.
    """
    sizes: list[int] = []
    strides: list[tuple[int, ...]] = []
    all_strides = [_strides(operand, len(output)) for operand in operands]
    for axis, size in enumerate(output):
        if size == 1:
            continue
        steps = tuple(operand[axis] for operand in all_strides)
        if sizes and all(
            outer == step * size for outer, step in zip(strides[-1], steps, strict=True)
        ):
            sizes[-1] *= size
            strides[-1] = steps
        else:
            sizes.append(size)
            strides.append(steps)
    if not sizes:
        return Loops((1,), ((0,),) * len(operands))
    return Loops(tuple(sizes), tuple(zip(*strides, strict=True)))


def broadcast_axes(shape: Shape, output: Shape) -> tuple[int, ...]:
    """Return the axes of `output` along which an operand of `shape` repeats."""
    padded = (1,) * (len(output) - len(shape)) + shape
    return tuple(
        axis
        for axis, (own, size) in enumerate(zip(padded, output, strict=True))
        if own == 1 and size != 1
    )


def _strides(shape: Shape, rank: int) -> tuple[int, ...]:
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(0 if size == 1 else step)
        step *= size
    strides += [0] * (rank - len(shape))
    return tuple(reversed(strides))
