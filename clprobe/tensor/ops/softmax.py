# SPDX-License-Identifier: MIT
"""Softmax and its logarithm over the last axis, and their gradients; one launch each."""

from math import prod

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.ops.reduce import row_kernel, row_width
from clprobe.tensor.tape import Result

_FILE = "softmax/softmax.cl"


def softmax(x: Array) -> Result:
    """Return exp(x) divided by its sum over the last axis.

    **Raises** ShapeError for a single number, which has no axis.
    """
    return _along_rows("softmax", x)


def log_softmax(x: Array) -> Result:
    """Return the logarithm of the softmax, which is accurate where the softmax is near 0 or 1.

    **Raises** ShapeError for a single number, which has no axis.
    """
    return _along_rows("log_softmax", x)


def _along_rows(name: str, x: Array) -> Result:
    if not x.shape:
        raise ShapeError("A single number has no axis for a softmax.")
    y = _launch(name, x)
    return Result(y, (lambda dy: _launch(f"{name}_gradient", y, dy),))


def _launch(name: str, *inputs: Array) -> Array:
    first = inputs[0]
    result = Array.empty(first.device, first.shape)
    if result.size:
        columns = first.shape[-1]
        kernel, size = row_kernel(_FILE, name, first, row_width(first))
        buffers = (*(each.buffer for each in inputs), result.buffer)
        rows = prod(first.shape[:-1])
        first.device.launch(kernel, (rows * size,), (size,), (*buffers, np.uint64(columns)))
    return result
