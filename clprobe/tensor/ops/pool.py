# SPDX-License-Identifier: MIT
"""Max-pooling and its gradient."""

from math import prod

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.device import Argument
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.launching import launch_rows
from clprobe.tensor.ops.arguments import uint32
from clprobe.tensor.ops.avg_pool import Window
from clprobe.tensor.ops.half import half_define
from clprobe.tensor.tape import Result


def max_pool2d(x: Array, size: int, stride: int, padding: int = 0, *, relu: bool = False) -> Result:
    """Return the maximum of every window of the padded image; at least 0 if `relu`.

    Halves give halves, whose gradient is float.

    **Shapes** x (images, channels, height, width); result has (height + 2·padding - size) // stride
    + 1 rows, and columns likewise.

    **Raises** ShapeError.
    """
    if len(x.shape) != 4:
        raise ShapeError(f"Pooling takes images with channels, not {x.shape}.")
    images, channels, height, width = x.shape
    window = Window(size=(size, size), stride=(stride, stride), padding=(padding, padding))
    out_height, out_width = window.output((height, width))
    # The largest of some halves is one of them.
    y = Array.empty(x.device, (images, channels, out_height, out_width), x.dtype)
    positions = Array.empty(x.device, y.shape, np.int32)
    uint32(height * width)  # positions count that far
    planes = images * channels
    lengths = (height, width, out_height, out_width)
    defines = {"SIZE": size, "STRIDE": stride, "PADDING": padding, "RELU": int(relu)}
    defines |= half_define("X_HALF", x)
    sizes: tuple[Argument, ...] = (np.uint64(planes), *(uint32(length) for length in lengths))
    by_squares = x.device.limits.is_cpu and (size, stride, padding) == (2, 2, 0)

    def launch(name: str, columns: int, rows: int, *arrays: Array) -> None:
        arguments: tuple[Argument, ...] = (*(array.buffer for array in arrays), *sizes)
        file = "max_pool_2x2" if name.startswith("max_pool_2x2") else "max_pool"
        launch_rows(x.device, f"pool/{file}.cl", name, columns, rows, arguments, defines)

    def gradient(dy: Array) -> Array:
        dx = Array.empty(x.device, x.shape)
        if planes and by_squares and height % 2 == width % 2 == 0:
            launch("max_pool_2x2_gradient", 1, planes, dy, positions, dx)
        elif planes and x.device.limits.is_cpu:
            _scatter(dy, positions, dx)
        elif planes:
            launch("max_pool_gradient", width, planes * height, dy, positions, dx)
        return dx

    if planes and by_squares:
        launch("max_pool_2x2", 1, planes, x, y, positions)
    elif planes:
        launch("max_pool", out_width, planes * out_height, x, y, positions)
    return Result(y, (gradient,))


def _scatter(dy: Array, positions: Array, dx: Array) -> None:
    planes = prod(dx.shape[:2])
    areas = (uint32(prod(dx.shape[2:])), uint32(prod(dy.shape[2:])))
    arguments: tuple[Argument, ...] = (
        dy.buffer,
        positions.buffer,
        dx.buffer,
        np.uint64(planes),
        *areas,
    )
    launch_rows(dx.device, "pool/max_pool_scatter.cl", "max_pool_scatter", 1, planes, arguments)
