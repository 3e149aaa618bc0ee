# SPDX-License-Identifier: MIT
"""Max-pooling and its gradient."""

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.ops.launch_sizes import two_dimensions, uint32
from clprobe.tensor.tape import Result


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
    uint32(height * width)
    planes = images * channels
    lengths = (height, width, out_height, out_width, size, stride)
    sizes = (np.uint64(planes), *(uint32(length) for length in lengths))

    def launch(name: str, pixels: int, arrays: tuple[Array, Array, Array]) -> None:
        if planes:
            kernel = x.device.programs.kernel("pool/max_pool.cl", name)
            ranges = two_dimensions(kernel, x.device.limits, pixels, planes)
            x.device.launch(kernel, *ranges, (*(array.buffer for array in arrays), *sizes))

    def gradient(dy: Array) -> Array:
        dx = Array.empty(x.device, x.shape)
        launch("max_pool_gradient", height * width, (dy, positions, dx))
        return dx

    launch("max_pool", out_height * out_width, (x, y, positions))
    return Result(y, (gradient,))
