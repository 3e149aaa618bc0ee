# SPDX-License-Identifier: MIT
"""Max-pooling and its gradient."""

from math import prod

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.ops.launching import launch_rows, uint32
from clprobe.tensor.tape import Result


def max_pool2d(x: Array, size: int, stride: int, *, relu: bool = False) -> Result:
    """Return the maximum of every window that lies inside the image; at least 0 if `relu`.

    **Shapes** x (images, channels, height, width); result has (height - size) // stride + 1 rows,
    and columns likewise.

    **Raises** ShapeError.
    """
    if len(x.shape) != 4 or size < 1 or stride < 1 or size > min(x.shape[2:]):
        raise ShapeError(f"Windows of {size} with stride {stride} do not fit images {x.shape}.")
    images, channels, height, width = x.shape
    out_height, out_width = (height - size) // stride + 1, (width - size) // stride + 1
    y = Array.empty(x.device, (images, channels, out_height, out_width))
    positions = Array.empty(x.device, y.shape, np.int32)
    uint32(height * width)  # positions count that far
    planes = images * channels
    lengths = (height, width, out_height, out_width)
    window = {"SIZE": size, "STRIDE": stride, "RELU": int(relu)}
    sizes = (np.uint64(planes), *(uint32(length) for length in lengths))

    def launch(name: str, columns: int, rows: int, *arrays: Array) -> None:
        arguments = (*(array.buffer for array in arrays), *sizes)
        launch_rows(x.device, "pool/max_pool.cl", name, columns, rows, arguments, window)

    def gradient(dy: Array) -> Array:
        dx = Array.empty(x.device, x.shape)
        if planes and x.device.limits.is_cpu:
            _scatter(dy, positions, dx)
        elif planes:
            launch("max_pool_gradient", width, planes * height, dy, positions, dx)
        return dx

    if planes:
        launch("max_pool", out_width, planes * out_height, x, y, positions)
    return Result(y, (gradient,))


def _scatter(dy: Array, positions: Array, dx: Array) -> None:
    planes = prod(dx.shape[:2])
    areas = (uint32(prod(dx.shape[2:])), uint32(prod(dy.shape[2:])))
    arguments = (dy.buffer, positions.buffer, dx.buffer, np.uint64(planes), *areas)
    launch_rows(dx.device, "pool/max_pool_scatter.cl", "max_pool_scatter", 1, planes, arguments)
