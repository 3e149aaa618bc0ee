# SPDX-License-Identifier: MIT
"""Softmax, its logarithm and its cross-entropy, and their gradients; one launch each."""

from math import prod

import numpy as np

from clprobe.tensor.array import Array, Shape
from clprobe.tensor.errors import DtypeError, ShapeError
from clprobe.tensor.ops.arguments import arguments
from clprobe.tensor.ops.elementwise import times
from clprobe.tensor.ops.reduce import row_kernel, row_width, sum_axes
from clprobe.tensor.tape import Result


def softmax_cross_entropy(logits: Array, labels: Array) -> Result:
    """Return the mean over rows of -log softmax(row)[label]; NaN if a label is out of range.

    **Shapes** logits (rows, classes), labels (rows,) int32, result ().

    **Raises** ShapeError, DtypeError.
    """
    if len(logits.shape) != 2 or labels.shape != logits.shape[:1] or not logits.shape[1]:
        raise ShapeError(f"Logits {logits.shape} and labels {labels.shape} do not fit.")
    if labels.dtype != np.int32:
        raise DtypeError(f"Labels are int32, not {labels.dtype}.")
    device = logits.device
    if not logits.shape[0]:
        # The mean of nothing, as in NumPy and torch.
        return Result(
            Array.full(device, (), np.nan), (lambda _: Array.empty(device, logits.shape),)
        )

    loss, dx = cross_entropy(logits, labels)
    return Result(loss, (lambda dloss: times(dx, dloss),))


def cross_entropy(logits: Array, labels: Array, ignored: int | None = None) -> tuple[Array, Array]:
    """Return the mean of -log softmax(row)[label] over rows, and its gradient.

    Rows whose label is `ignored` count for nothing, and cost each row a look at all labels.

    **Shapes** logits (rows, classes), labels (rows,) int32, results () and as logits; none empty.
    """
    device, (rows, columns) = logits.device, logits.shape
    losses = Array.empty(device, (rows,))
    dx = Array.empty(device, logits.shape)
    flags = {} if ignored is None else {"IGNORES": 1}
    file = "loss/softmax_cross_entropy.cl"
    kernel, size = row_kernel(file, "softmax_cross_entropy", logits, flags)
    sizes = (*map(np.uint64, (rows, columns)), np.int32(ignored or 0))
    device.launch(kernel, (rows * size,), (size,), arguments(logits, labels, losses, dx, *sizes))
    return sum_axes(losses, (0,)).reshape(()), dx


def along_rows(name: str, x: Array) -> Result:
    """Return the "softmax" over the last axis, or the "log_softmax", as `name` says.

    **Raises** ShapeError for a single number, which has no axis.
    """
    if not x.shape:
        raise ShapeError("A single number has no axis for a softmax.")
    y = _launch(name, x)
    return Result(y, (lambda dy: rows_gradient(name, dy, y),))


def rows_gradient(name: str, dy: Array, y: Array) -> Array:
    """Return the gradient of the "softmax" or "log_softmax" over the last axis, of result y."""
    return _launch(f"{name}_gradient", y, dy)


def log_sum_exp(x: Array) -> Array:
    """Return the logarithm of the sum of exp over the last axis, without that axis."""
    return _launch("log_sum_exp", x, shape=x.shape[:-1])


def _launch(name: str, *inputs: Array, shape: Shape | None = None) -> Array:
    first = inputs[0]
    result = Array.empty(first.device, first.shape if shape is None else shape)
    if first.size:
        kernel, size = row_kernel("softmax/softmax.cl", name, first, row_width(first))
        values = arguments(*inputs, result, np.uint64(first.shape[-1]))
        rows = prod(first.shape[:-1])
        first.device.launch(kernel, (rows * size,), (size,), values)
    return result
