# SPDX-License-Identifier: MIT
"""Cross-entropy of a softmax, and its gradient."""

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.errors import DtypeError, ShapeError
from clprobe.tensor.ops.elementwise import times
from clprobe.tensor.ops.reduce import row_kernel, sum_axes
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
    rows, columns = logits.shape
    if not rows:
        # The mean of nothing, as in NumPy and torch.
        return Result(
            Array.full(device, (), np.nan), (lambda _: Array.empty(device, logits.shape),)
        )

    losses = Array.empty(device, (rows,))
    dx = Array.empty(device, logits.shape)
    kernel, size = row_kernel("loss/softmax_cross_entropy.cl", "softmax_cross_entropy", logits)
    buffers = (logits.buffer, labels.buffer, losses.buffer, dx.buffer)
    scalars = (np.uint64(columns), np.float32(1 / rows))
    device.launch(kernel, (rows * size,), (size,), buffers + scalars)
    return Result(sum_axes(losses, (0,)).reshape(()), (lambda dloss: times(dx, dloss),))
