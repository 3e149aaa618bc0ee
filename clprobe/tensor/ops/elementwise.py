# SPDX-License-Identifier: MIT
"""Elementwise operations with broadcasting, and their gradients."""

import numpy as np
import numpy.typing as npt

from clprobe.tensor.array import Array, Shape
from clprobe.tensor.broadcast import broadcast_axes, broadcast_loops, broadcast_shape
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.ops.launching import launch_rows, launch_values
from clprobe.tensor.ops.reduce import sum_axes
from clprobe.tensor.tape import Result

_MAX_OUTER_LOOPS = 8


def add(a: Array, b: Array) -> Result:
    """Return a + b."""
    return Result(
        binary("add", a, b),
        (lambda dy: sum_to(dy, a.shape), lambda dy: sum_to(dy, b.shape)),
    )


def subtract(a: Array, b: Array) -> Result:
    """Return a - b."""
    return Result(
        binary("subtract", a, b),
        (lambda dy: sum_to(dy, a.shape), lambda dy: sum_to(unary("negate", dy), b.shape)),
    )


def multiply(a: Array, b: Array) -> Result:
    """Return a · b, element by element."""
    return Result(
        binary("multiply", a, b),
        (
            lambda dy: sum_to(binary("multiply", dy, b), a.shape),
            lambda dy: sum_to(binary("multiply", dy, a), b.shape),
        ),
    )


def divide(a: Array, b: Array) -> Result:
    """Return a / b."""
    return Result(
        binary("divide", a, b),
        (
            lambda dy: sum_to(binary("divide", dy, b), a.shape),
            lambda dy: sum_to(binary("multiply", dy, binary("divide_gradient", a, b)), b.shape),
        ),
    )


def negate(x: Array) -> Result:
    """Return -x."""
    return Result(unary("negate", x), (lambda dy: unary("negate", dy),))


def relu(x: Array) -> Result:
    """Return max(x, 0); the gradient at 0 is 0, as in torch."""
    return Result(unary("relu", x), (lambda dy: binary("relu_gradient", dy, x),))


def unary(name: str, x: Array) -> Array:
    """Apply a kernel of elementwise/unary.cl."""
    y = Array.empty(x.device, x.shape)
    if x.size:
        arguments = (x.buffer, y.buffer, np.uint64(x.size))
        launch_values(x.device, "elementwise/unary.cl", name, x.size, arguments)
    return y


def binary(name: str, a: Array, b: Array, shape: Shape | None = None) -> Array:
    """Apply a kernel of elementwise/binary.cl, to `shape` if that is larger than both operands.

    **Raises** ShapeError.
    """
    y = Array.empty(
        a.device, broadcast_shape(a.shape, b.shape, *(() if shape is None else (shape,)))
    )
    if not y.size:
        return y
    loops = broadcast_loops(y.shape, a.shape, b.shape)
    outer_rank = len(loops.sizes) - 1
    if outer_rank > _MAX_OUTER_LOOPS:
        raise ShapeError(f"Shapes {a.shape} and {b.shape} alternate on too many axes.")
    strides_a, strides_b = loops.strides
    columns = loops.sizes[-1]
    rows = y.size // columns
    outer = (_ulong8(loops.sizes), _ulong8(strides_a), _ulong8(strides_b))
    launch_rows(
        a.device,
        "elementwise/binary.cl",
        name,
        columns,
        rows,
        (a.buffer, b.buffer, y.buffer, np.uint64(rows), np.uint64(columns), *outer),
        defines={
            "OUTER_RANK": outer_rank,
            "INNER_STRIDE_A": strides_a[-1],
            "INNER_STRIDE_B": strides_b[-1],
        },
    )
    return y


def expand(x: Array, shape: Shape, factor: float = 1.0) -> Array:
    """Return x · factor repeated to `shape`."""
    return binary("multiply", x, Array.full(x.device, (), factor), shape)


def sum_to(gradient: Array, shape: Shape) -> Array:
    """Undo broadcasting: sum a gradient over the axes along which an operand was repeated."""
    return sum_axes(gradient, broadcast_axes(shape, gradient.shape)).reshape(shape)


def _ulong8(loops: tuple[int, ...]) -> npt.NDArray[np.uint64]:
    outer = loops[:-1]
    return np.array(outer + (0,) * (8 - len(outer)), np.uint64)
