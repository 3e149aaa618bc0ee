# SPDX-License-Identifier: MIT
"""Elementwise operations with broadcasting, and their gradients.

Nothing is computed here: `apply` puts an operation on top of what its operands are made of, and
one kernel computes the whole expression once its values are needed (see fusion).
"""

import numpy as np

from clprobe.tensor import fusion
from clprobe.tensor.array import Array, Shape
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.fusion.plan import fits, largest
from clprobe.tensor.ops.reduce import sum_axes
from clprobe.tensor.storage import Constant, Operand, Operation, Storage
from clprobe.tensor.tape import Result


def add(a: Array, b: Array) -> Result:
    """Return a + b."""
    own, other = a.shape, b.shape
    return Result(apply("add", a, b), (lambda dy: sum_to(dy, own), lambda dy: sum_to(dy, other)))


def subtract(a: Array, b: Array) -> Result:
    """Return a - b."""
    own, other = a.shape, b.shape
    return Result(
        apply("subtract", a, b),
        (lambda dy: sum_to(dy, own), lambda dy: sum_to(apply("negate", dy), other)),
    )


def multiply(a: Array, b: Array) -> Result:
    """Return a · b, element by element."""
    return Result(
        times(a, b),
        (lambda dy: sum_to(times(dy, b), a.shape), lambda dy: sum_to(times(dy, a), b.shape)),
    )


def divide(a: Array, b: Array) -> Result:
    """Return a / b."""
    return Result(
        apply("divide", a, b),
        (
            lambda dy: sum_to(apply("divide", dy, b), a.shape),
            lambda dy: sum_to(times(dy, apply("divide_gradient", a, b)), b.shape),
        ),
    )


def negate(x: Array) -> Result:
    """Return -x."""
    return Result(apply("negate", x), (lambda dy: apply("negate", dy),))


def relu(x: Array) -> Result:
    """Return max(x, 0); the gradient at 0 is 0, as in torch."""
    y = apply("relu", x)
    return Result(y, (lambda dy: apply("relu_gradient", dy, y),))


def apply(function: str, *operands: Array, shape: Shape = ()) -> Array:
    """Return what a function of kernels/elementwise/operations.cl (or of OpenCL) makes of arrays.

    `shape` takes part in broadcasting, as if it were that of another operand.

    **Raises** ShapeError.
    """
    device = operands[0].device
    shape = broadcast_shape(shape, *(operand.shape for operand in operands))
    result = Array(device, shape, np.dtype(np.float32), Storage())
    if not result.size:
        return result
    taken = tuple(Operand(each.storage, each.shape, each.dtype) for each in operands)
    while not fits(taken):
        fusion.compute(device, largest(taken))
    for operand in taken:
        operand.storage.takers += 1
    result.storage.expression = Operation(function, taken, shape)
    device.pending.add(result.storage)
    return result


def times(a: Array, b: Array, shape: Shape = ()) -> Array:
    """Return a · b, where products of constants and with 1 cost nothing."""
    shape = broadcast_shape(shape, a.shape, b.shape)
    for one, other in ((a, b), (b, a)):
        factor = one.storage.expression
        if isinstance(factor, Constant):
            value = other.storage.expression
            if isinstance(value, Constant):
                return Array.full(
                    a.device, shape, float(np.float32(factor.value) * np.float32(value.value))
                )
            if factor.value == 1 and other.shape == shape:
                return other
    return apply("multiply", a, b, shape=shape)


def expand(x: Array, shape: Shape, factor: float = 1.0) -> Array:
    """Return x · factor repeated to `shape`."""
    return times(x, Array.full(x.device, (), factor), shape)


def sum_to(gradient: Array, shape: Shape) -> Array:
    """Undo broadcasting: sum a gradient over the axes along which an operand was repeated."""
    return sum_axes(gradient, broadcast_axes(shape, gradient.shape)).reshape(shape)


def broadcast_shape(*shapes: Shape) -> Shape:
    """Return the shape that operands of these shapes have together.

    **Raises** ShapeError.
    """
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError as error:
        together = " and ".join(str(shape) for shape in shapes)
        raise ShapeError(f"Shapes {together} cannot be broadcast together.") from error


def broadcast_axes(shape: Shape, output: Shape) -> tuple[int, ...]:
    """Return the axes of `output` along which an operand of `shape` repeats."""
    padded = (1,) * (len(output) - len(shape)) + shape
    return tuple(
        axis
        for axis, (own, size) in enumerate(zip(padded, output, strict=True))
        if own == 1 and size != 1
    )
