# SPDX-License-Identifier: MIT
"""Max-pooling and its gradient."""

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.ops.launching import launch_rows, uint32
from clprobe.tensor.tape import Result

_FILE = "pool/max_pool.cl"


def max_pool2d(x: Array, size: int, stride: int) -> Result:
    """Return the maximum of every window that lies inside the image.

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
    lengths = (height, width, out_height, out_width, size, stride)
    sizes = (np.uint64(planes), *(uint32(length) for length in lengths))

    def gradient(dy: Array) -> Array:
        dx = Array.empty(x.device, x.shape)
        arrays = (dy.buffer, positions.buffer, dx.buffer) if planes else ()
        if planes and x.device.limits.is_cpu:
            areas = (uint32(height * width), uint32(out_height * out_width))
            arguments = (*arrays, np.uint64(planes), *areas)
            launch_rows(
                x.device, "pool/max_pool_scatter.cl", "max_pool_scatter", 1, planes, arguments
            )
        elif planes:
            launch_rows(
                x.device, _FILE, "max_pool_gradient", width, planes * height, (*arrays, *sizes)
            )
        return dx

    if planes:
        arguments = (x.buffer, y.buffer, positions.buffer, *sizes)
        launch_rows(x.device, _FILE, "max_pool", out_width, planes * out_height, arguments)
    return Result(y, (gradient,))
