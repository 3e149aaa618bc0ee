# SPDX-License-Identifier: MIT
"""Average-pooling over windows, and its gradient."""

from dataclasses import dataclass
from math import prod

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.device import Argument
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.launching import launch_rows
from clprobe.tensor.ops.arguments import uint32
from clprobe.tensor.tape import Result

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The windows of a pooling, each pair being rows and columns."""

    size: Pair
    stride: Pair
    padding: Pair = (0, 0)
    count_padding: bool = True
    """Whether the zeros around the image count in an average, as they do in torch."""

    def output(self, image: Pair) -> Pair:
        """Return how many windows there are along each axis.

        **Raises** ShapeError.
        """
        sizes = zip(image, self.size, self.stride, self.padding, strict=True)
        counts = [
            (length + 2 * padding - size) // stride + 1
            if size >= 1 and stride >= 1 and 0 <= 2 * padding <= size
            else 0
            for length, size, stride, padding in sizes
        ]
        if min(counts) < 1 or min(image) < 1:
            raise ShapeError(
                f"Windows of {self.size} with stride {self.stride} and padding {self.padding}, "
                f"which is at most half a window, do not fit images of {image}."
            )
        return counts[0], counts[1]


def avg_pool2d(x: Array, window: Window) -> Result:
    """Return the average of every window.

    **Shapes** x (images, channels, height, width); result has (height + 2·padding - size) // stride
    + 1 rows, and columns likewise.

    **Raises** ShapeError.
    """
    if len(x.shape) != 4:
        raise ShapeError(f"Pooling takes images with channels, not {x.shape}.")
    height, width = x.shape[2:]
    out_height, out_width = window.output((height, width))
    planes = prod(x.shape[:2])
    # Kernels count the pixels of a padded plane in 32 bits.
    uint32((height + window.size[0]) * (width + window.size[1]))
    lengths = (height, width, out_height, out_width)
    sizes: tuple[Argument, ...] = (np.uint64(planes), *(uint32(length) for length in lengths))

    def launch(name: str, columns: int, rows: int, source: Array, target: Array) -> None:
        arguments: tuple[Argument, ...] = (source.buffer, target.buffer, *sizes)
        launch_rows(x.device, "pool/avg_pool.cl", name, columns, rows, arguments, _defines(window))

    def gradient(dy: Array) -> Array:
        dx = Array.empty(x.device, x.shape)
        if planes:
            launch("avg_pool_gradient", width, planes * height, dy, dx)
        return dx

    y = Array.empty(x.device, (*x.shape[:2], out_height, out_width))
    if planes:
        launch("avg_pool", out_width, planes * out_height, x, y)
    return Result(y, (gradient,))


def _defines(window: Window) -> dict[str, int]:
    pairs = {"SIZE": window.size, "STRIDE": window.stride, "PADDING": window.padding}
    named = {
        f"{name}_{axis}": pair["YX".index(axis)] for name, pair in pairs.items() for axis in "YX"
    }
    return {**named, "COUNT_PADDING": int(window.count_padding)}
