# SPDX-License-Identifier: MIT
"""Layer normalisation over the last axes, and its gradients.

One launch forward, one for the gradient of the input, two for those of weight and bias.
"""

from math import prod

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.device import Argument
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.ops.channel_sums import column_gradient_sums
from clprobe.tensor.ops.reduce import row_kernel, row_width
from clprobe.tensor.tape import Result, once

_FILE = "norm/layer_norm.cl"


def layer_norm(x: Array, weight: Array, bias: Array, *, epsilon: float = 1e-5) -> Result:
    """Return (x - mean) / sqrt(variance + epsilon) · weight + bias over the last axes.

    **Shapes** x (…, *normalised), weight and bias normalised, which has one axis or more.

    **Raises** ShapeError.
    """
    rank = len(weight.shape)
    if not rank or x.shape[-rank:] != weight.shape or bias.shape != weight.shape:
        raise ShapeError(
            f"Layer-norm of {x.shape} does not take parameters {weight.shape} and {bias.shape}."
        )
    columns = prod(weight.shape)
    rows = prod(x.shape[:-rank])
    flat = x.reshape((rows, columns))
    y = Array.empty(x.device, x.shape)
    mean, scale = Array.empty(x.device, (rows,)), Array.empty(x.device, (rows,))

    def launch(name: str, arrays: tuple[Array, ...], *scalars: np.float32) -> None:
        if flat.size:
            kernel, size = row_kernel(_FILE, name, flat, row_width(flat))
            buffers = tuple(array.buffer for array in arrays)
            arguments: tuple[Argument, ...] = (*buffers, np.uint64(columns), *scalars)
            x.device.launch(kernel, (rows * size,), (size,), arguments)

    def input_gradient(dy: Array) -> Array:
        dx = Array.empty(x.device, x.shape)
        launch("layer_norm_gradient", (x, dy, weight, mean, scale, dx))
        return dx

    def sums_of(dy: Array) -> tuple[Array, Array]:
        rows_of_dy = dy.reshape(flat.shape)
        dbias, dweight = column_gradient_sums(flat, rows_of_dy, (mean, scale), of_rows=True)
        return dbias.reshape(weight.shape), dweight.reshape(weight.shape)

    sums = once(sums_of)
    launch("layer_norm", (x, weight, bias, y, mean, scale), np.float32(epsilon))
    return Result(y, (input_gradient, lambda dy: sums(dy)[1], lambda dy: sums(dy)[0]))
