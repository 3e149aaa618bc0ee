# SPDX-License-Identifier: MIT
"""Two-dimensional convolution as a matrix product over unfolded windows, and its gradients."""

from dataclasses import dataclass

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.device import Argument
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.ops.launching import launch_rows, uint32
from clprobe.tensor.ops.matmul import matmul_forward
from clprobe.tensor.ops.reduce import sum_axes
from clprobe.tensor.tape import Result

# A row of most images, and as many sums as a CPU keeps in registers.
_CPU_COLUMNS_PER_ITEM = 64


@dataclass(frozen=True, slots=True)
class Geometry:
    """The sizes of one convolution."""

    images: int
    channels: int
    height: int
    width: int
    kernel_height: int
    kernel_width: int
    out_height: int
    out_width: int
    stride: int
    padding: int

    @property
    def window(self) -> int:
        """Return how many values one window holds, over all channels."""
        return self.channels * self.kernel_height * self.kernel_width

    @property
    def pixels(self) -> int:
        """Return how many windows one image has."""
        return self.out_height * self.out_width

    def arguments(self) -> tuple[Argument, ...]:
        """Return the sizes as the kernels declare them."""
        sizes = (self.channels, self.height, self.width, self.kernel_height, self.kernel_width)
        rest = (self.out_height, self.out_width, self.padding)
        uint32(self.stride)
        # The kernels also count pixels of one padded plane in 32 bits.
        uint32((self.height + 2 * self.padding) * (self.width + 2 * self.padding))
        return np.uint64(self.images), *(uint32(size) for size in sizes + rest)


def conv2d(x: Array, weight: Array, stride: int = 1, padding: int = 0) -> Result:
    """Return the cross-correlation of images and filters; a bias is an addition.

    **Shapes** x (images, channels, height, width), weight (filters, channels, kernel_height,
    kernel_width), result (images, filters, out_height, out_width).

    **Raises** ShapeError.
    """
    geometry = _geometry(x, weight, stride, padding)
    return Result(
        conv2d_forward(x, weight, geometry),
        (
            lambda dy: conv2d_input_gradient(dy, weight, geometry),
            lambda dy: conv2d_weight_gradient(dy, x, geometry),
        ),
    )


def conv2d_forward(x: Array, weight: Array, geometry: Geometry) -> Array:
    """Return the convolution, without a tape."""
    filters = weight.shape[0]
    columns = im2col(x, geometry)
    product = matmul_forward(weight.reshape((filters, geometry.window)), columns)
    return product.reshape((geometry.images, filters, geometry.out_height, geometry.out_width))


def conv2d_input_gradient(dy: Array, weight: Array, geometry: Geometry) -> Array:
    """Return the gradient for the images."""
    filters = weight.shape[0]
    columns = matmul_forward(
        weight.reshape((filters, geometry.window)),
        dy.reshape((geometry.images, filters, geometry.pixels)),
        transpose_a=True,
    )
    return col2im(columns, geometry)


def conv2d_weight_gradient(dy: Array, x: Array, geometry: Geometry) -> Array:
    """Return the gradient for the filters: one product per image, then their sum."""
    filters = dy.shape[1]
    products = matmul_forward(
        dy.reshape((geometry.images, filters, geometry.pixels)),
        im2col(x, geometry),
        transpose_b=True,
    )
    kernel_shape = (geometry.channels, geometry.kernel_height, geometry.kernel_width)
    return sum_axes(products, (0,)).reshape((filters, *kernel_shape))


def im2col(x: Array, geometry: Geometry) -> Array:
    """Return the windows as columns.

    **Shapes** result (images, channels·kernel_height·kernel_width, out_height·out_width).
    """
    columns = Array.empty(x.device, (geometry.images, geometry.window, geometry.pixels))
    _launch("im2col", x, columns, geometry)
    return columns


def col2im(columns: Array, geometry: Geometry) -> Array:
    """Return images in which every pixel is the sum of its copies in `columns`."""
    planes = (geometry.images, geometry.channels)
    x = Array.empty(columns.device, (*planes, geometry.height, geometry.width))
    _launch("col2im", columns, x, geometry)
    return x


def _launch(name: str, source: Array, target: Array, geometry: Geometry) -> None:
    if not target.size:
        return
    columns = geometry.out_width if name == "im2col" else geometry.width
    launch_rows(
        source.device,
        f"conv/{name}.cl",
        name,
        columns,
        target.size // columns,
        (source.buffer, target.buffer, *geometry.arguments()),
        defines={"STRIDE": geometry.stride},
        cpu_columns=_CPU_COLUMNS_PER_ITEM,
    )


def _geometry(x: Array, weight: Array, stride: int, padding: int) -> Geometry:
    if len(x.shape) != 4 or len(weight.shape) != 4 or x.shape[1] != weight.shape[1]:
        raise ShapeError(f"Images {x.shape} and filters {weight.shape} do not fit a convolution.")
    if stride < 1 or padding < 0:
        raise ShapeError(f"A stride of {stride} with a padding of {padding} makes no convolution.")
    images, channels, height, width = x.shape
    kernel_height, kernel_width = weight.shape[2:]
    rows = height + 2 * padding - kernel_height
    columns = width + 2 * padding - kernel_width
    if rows < 0 or columns < 0 or not kernel_height or not kernel_width:
        raise ShapeError(
            f"Filters {weight.shape} do not fit into images {x.shape} padded by {padding}."
        )
    return Geometry(
        *(images, channels, height, width, kernel_height, kernel_width),
        *(rows // stride + 1, columns // stride + 1, stride, padding),
    )
