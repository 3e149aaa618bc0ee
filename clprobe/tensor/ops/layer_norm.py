# SPDX-License-Identifier: MIT
"""Layer normalisation over the last axes, and its gradients.

One launch forward, one for the gradient of the input, two for those of weight and bias.
"""

from math import prod

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.ops.batch_norm import for_one_gradient
from clprobe.tensor.ops.channel_sums import column_gradient_sums
from clprobe.tensor.ops.reduce import row_kernel
from clprobe.tensor.tape import Result

_FILE = "norm/layer_norm.cl"
_CPU_LANES = 16


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
    mean, variance = Array.empty(x.device, (rows,)), Array.empty(x.device, (rows,))

    def launch(name: str, *arrays: Array) -> None:
        if flat.size:
            lanes = _CPU_LANES if x.device.limits.is_cpu else 1
            kernel, size = row_kernel(_FILE, name, flat, {"LANES": lanes})
            buffers = tuple(array.buffer for array in arrays)
            scalars = (np.uint64(columns), np.float32(epsilon))
            x.device.launch(kernel, (rows * size,), (size,), (*buffers, *scalars))

    def input_gradient(dy: Array) -> Array:
        dx = Array.empty(x.device, x.shape)
        launch("layer_norm_gradient", x, dy, weight, mean, variance, dx)
        return dx

    def sums_of(dy: Array) -> tuple[Array, Array]:
        dbias, dweight = column_gradient_sums(
            flat, dy.reshape(flat.shape), mean, variance, epsilon, statistics_per_row=True
        )
        return dbias.reshape(weight.shape), dweight.reshape(weight.shape)

    sums = for_one_gradient(sums_of)
    launch("layer_norm", x, weight, bias, y, mean, variance)
    return Result(y, (input_gradient, lambda dy: sums(dy)[1], lambda dy: sums(dy)[0]))
