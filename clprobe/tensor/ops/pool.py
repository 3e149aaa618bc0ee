# SPDX-License-Identifier: MIT
"""Pooling over windows, by their maximum or their average, and its gradients."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from clprobe.tensor.array import Array, Shape
from clprobe.tensor.device import Device
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.launching import launch_rows
from clprobe.tensor.ops.arguments import arguments, uint32
from clprobe.tensor.ops.half import half_define
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
    round_up: bool = False
    """Whether a last window may reach beyond the image, as ceil_mode has it in torch."""

    def output(self, shape: Shape) -> tuple[int, int, int, int]:
        """Return the result's shape for images of a shape.

        It has (height + 2·padding - size) // stride + 1 rows, or one more where windows may reach
        beyond the image, and that one begins inside it.

        **Raises** ShapeError.
        """
        if len(shape) != 4:
            raise ShapeError(f"Pooling takes images with channels, not {shape}.")
        image = shape[2:]
        sizes = zip(image, self.size, self.stride, self.padding, strict=True)
        counts = [
            self._count(length, size, stride, padding)
            if size >= 1 and stride >= 1 and 0 <= 2 * padding <= size
            else 0
            for length, size, stride, padding in sizes
        ]
        if min(counts) < 1 or min(image) < 1:
            raise ShapeError(
                f"Windows of {self.size} with stride {self.stride} and padding {self.padding}, "
                f"which is at most half a window, do not fit images of {image}."
            )
        return shape[0], shape[1], counts[0], counts[1]

    def _count(self, length: int, size: int, stride: int, padding: int) -> int:
        count, left = divmod(length + 2 * padding - size, stride)
        begins_inside = (count + 1) * stride < length + padding
        return count + (2 if self.round_up and left and begins_inside else 1)


def avg_pool2d(x: Array, window: Window) -> Result:
    """Return the average of every window.

    **Shapes** x (images, channels, height, width), result as `window.output` says.

    **Raises** ShapeError.
    """
    y = Array.empty(x.device, window.output(x.shape))
    _average("avg_pool", (y.shape[3], y.shape[2]), x.shape, window, (x, y))
    return Result(y, (lambda dy: avg_pool2d_gradient(dy, x.shape, window),))


def avg_pool2d_gradient(dy: Array, shape: Shape, window: Window) -> Array:
    """Return the gradient of averages of windows, for images of a shape."""
    dx = Array.empty(dy.device, shape)
    _average("avg_pool_gradient", (shape[3], shape[2]), shape, window, (dy, dx))
    return dx


def _average(
    name: str, items: Pair, shape: Shape, window: Window, arrays: tuple[Array, Array]
) -> None:
    height, width = shape[2:]
    # Kernels count the pixels of a padded plane in 32 bits.
    uint32((height + window.size[0]) * (width + window.size[1]))
    pairs = {"SIZE": window.size, "STRIDE": window.stride, "PADDING": window.padding}
    defines = {
        f"{name}_{axis}": pair["YX".index(axis)] for name, pair in pairs.items() for axis in "YX"
    }
    defines["COUNT_PADDING"] = int(window.count_padding)
    _launcher(arrays[0].device, shape, window.output(shape), defines)(name, *items, *arrays)


def max_pool2d(x: Array, size: int, stride: int, padding: int = 0, *, relu: bool = False) -> Result:
    """Return the maximum of every window of the padded image; at least 0 if `relu`.

    Halves give halves, whose gradient is float.

    **Shapes** x (images, channels, height, width), result as `Window.output` says.

    **Raises** ShapeError.
    """
    y, positions = max_pool2d_forward(x, size, stride, padding, relu=relu)
    sizes = (size, stride, padding)
    return Result(y, (lambda dy: max_pool2d_gradient(dy, positions, x.shape, *sizes, relu=relu),))


def max_pool2d_forward(  # noqa: PLR0913 - torch's own argument list
    x: Array,
    size: int,
    stride: int,
    padding: int = 0,
    *,
    relu: bool = False,
    round_up: bool = False,
) -> tuple[Array, Array]:
    """Return the maxima and where in its plane each was found, -1 where relu made it 0.

    **Raises** ShapeError.
    """
    window = _square(size, stride, padding)
    whole = window.output(x.shape)
    shape = replace(window, round_up=True).output(x.shape) if round_up else whole
    # The largest of some halves is one of them.
    y = Array.empty(x.device, shape, x.dtype)
    positions = Array.empty(x.device, y.shape, np.int32)
    uint32(prod(x.shape[2:]))  # positions count that far
    defines = _defines(size, stride, padding, relu=relu) | half_define("X_HALF", x)
    if shape != whole:
        defines["BEYOND"] = 1
    launch = _launcher(x.device, x.shape, shape, defines)
    if shape == whole and _by_squares(x.device, size, stride, padding):
        launch("max_pool_2x2", 1, 1, x, y, positions)
    else:
        launch("max_pool", y.shape[3], y.shape[2], x, y, positions)
    return y, positions


def max_pool2d_gradient(  # noqa: PLR0913, PLR0917 - torch's own argument list
    dy: Array,
    positions: Array,
    shape: Shape,
    size: int,
    stride: int,
    padding: int,
    *,
    relu: bool = False,
) -> Array:
    """Return the gradient of maxima that were found at `positions`, for images of a shape."""
    device, (height, width) = dy.device, shape[2:]
    dx = Array.empty(device, shape)
    # Built as the forward kernel is, so that both come from one program.
    launch = _launcher(device, shape, dy.shape, _defines(size, stride, padding, relu=relu))
    if _by_squares(device, size, stride, padding) and height % 2 == width % 2 == 0:
        launch("max_pool_2x2_gradient", 1, 1, dy, positions, dx)
    elif device.limits.is_cpu and dx.size:
        _scatter(dy, positions, dx)
    else:
        launch("max_pool_gradient", width, height, dy, positions, dx)
    return dx


def _defines(size: int, stride: int, padding: int, *, relu: bool) -> dict[str, int]:
    return {"SIZE": size, "STRIDE": stride, "PADDING": padding, "RELU": int(relu)}


def _square(size: int, stride: int, padding: int) -> Window:
    return Window(size=(size, size), stride=(stride, stride), padding=(padding, padding))


def _by_squares(device: Device, size: int, stride: int, padding: int) -> bool:
    return device.limits.is_cpu and (size, stride, padding) == (2, 2, 0)


def _launcher(
    device: Device, shape: Shape, output: Shape, defines: Mapping[str, int]
) -> Callable[..., None]:
    """Return what launches a kernel, by name, for columns and rows of each plane of arrays."""
    planes = prod(shape[:2])
    sizes = arguments(np.uint64(planes), *shape[2:], *output[2:])

    def launch(name: str, columns: int, rows: int, *arrays: Array) -> None:
        if planes:
            file = f"pool/{name.removesuffix('_gradient')}.cl"
            values = arguments(*arrays, *sizes)
            launch_rows(device, file, name, columns, planes * rows, values, defines)

    return launch


def _scatter(dy: Array, positions: Array, dx: Array) -> None:
    planes = prod(dx.shape[:2])
    areas = (prod(dx.shape[2:]), prod(dy.shape[2:]))
    values = arguments(dy, positions, dx, np.uint64(planes), *areas)
    launch_rows(dx.device, "pool/max_pool_scatter.cl", "max_pool_scatter", 1, planes, values)
