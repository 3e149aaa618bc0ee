# SPDX-License-Identifier: MIT
"""The sizes of one convolution and its directions: what every algorithm is given."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from math import prod

import numpy as np

from clprobe.tensor.array import Array, Shape
from clprobe.tensor.device import Argument
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.ops.arguments import arguments, uint32
from clprobe.tensor.ops.epilogue import Epilogue

Pair = tuple[int, int]


class Direction(Enum):
    """Which of the three arrays of a convolution is computed from the other two."""

    FORWARD = "forward"
    """(images, filters) to result."""
    INPUT_GRADIENT = "input_gradient"
    """(gradient of the result, filters) to gradient of the images."""
    WEIGHT_GRADIENT = "weight_gradient"
    """(gradient of the result, images) to gradient of the filters."""


Plan = Callable[[Array, Array, Epilogue], Array]
"""Computes one direction with kernels that are built; its operands are in Direction's order.

Neither operand nor result is without elements. The weight gradient ignores the epilogue.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Geometry:
    """The sizes of one convolution; pairs give the vertical value first."""

    images: int
    channels: int
    height: int
    width: int
    filters: int
    kernel_height: int
    kernel_width: int
    stride: Pair = (1, 1)
    padding: Pair = (0, 0)
    dilation: Pair = (1, 1)
    groups: int = 1

    @classmethod
    def of(  # noqa: PLR0913, PLR0917 - torch's own argument list
        cls,
        images: Shape,
        weight: Shape,
        stride: int | Pair = 1,
        padding: int | Pair = 0,
        dilation: int | Pair = 1,
        groups: int = 1,
    ) -> "Geometry":
        """Return the geometry of images (n, c, h, w) and filters (f, c / groups, kh, kw).

        **Raises** ShapeError.
        """
        if len(images) != 4 or len(weight) != 4 or images[1] != weight[1] * groups:
            grouped = f" in {groups} groups" if groups != 1 else ""
            raise ShapeError(f"Images {images} and filters {weight}{grouped} do not fit.")
        if groups < 1 or weight[0] % groups:
            raise ShapeError(f"{weight[0]} filters do not split into {groups} groups.")
        geometry = cls(
            **dict(zip(("images", "channels", "height", "width"), images, strict=True)),
            filters=weight[0],
            kernel_height=weight[2],
            kernel_width=weight[3],
            stride=pair(stride),
            padding=pair(padding),
            dilation=pair(dilation),
            groups=groups,
        )
        geometry._check()
        return geometry

    @classmethod
    def of_transposed(  # noqa: PLR0913, PLR0917 - torch's own argument list
        cls,
        out: Shape,
        weight: Shape,
        stride: int | Pair = 1,
        padding: int | Pair = 0,
        output_padding: int | Pair = 0,
        groups: int = 1,
        dilation: int | Pair = 1,
    ) -> "Geometry":
        """Return the geometry whose result has shape `out`; output_padding adds to its images.

        **Raises** ShapeError.
        """
        if len(out) != 4 or len(weight) != 4 or out[1] != weight[0]:
            raise ShapeError(f"Images {out} and filters {weight} do not fit a transposed one.")
        pairs = (pair(stride), pair(padding), pair(dilation), pair(output_padding))
        height, width = (
            (size - 1) * step - 2 * pad + spread * (kernel - 1) + extra + 1
            for size, kernel, step, pad, spread, extra in zip(
                out[2:], weight[2:], *pairs, strict=True
            )
        )
        images = (out[0], weight[1] * groups, height, width)
        geometry = cls.of(images, weight, *pairs[:3], groups)
        if geometry.output_shape != out:
            raise ShapeError(f"Output padding {output_padding} is not less than stride {stride}.")
        return geometry

    @property
    def kernel(self) -> Pair:
        """Return the size of the filters."""
        return self.kernel_height, self.kernel_width

    @property
    def outputs(self) -> Pair:
        """Return how many windows lie one below the other, and side by side."""
        return self.out_height, self.out_width

    @property
    def out_height(self) -> int:
        """Return how many windows lie one below the other."""
        return self._windows(0)

    @property
    def out_width(self) -> int:
        """Return how many windows lie side by side."""
        return self._windows(1)

    @property
    def window(self) -> int:
        """Return how many values one filter has."""
        return prod(self.weight_shape[1:])

    @property
    def channels_of_group(self) -> int:
        """Return how many channels a filter sees."""
        return self.channels // self.groups

    @property
    def filters_of_group(self) -> int:
        """Return how many filters share their channels."""
        return self.filters // self.groups

    @property
    def pixels(self) -> int:
        """Return how many windows one image has."""
        return prod(self.outputs)

    @property
    def windows(self) -> int:
        """Return how many windows all images have."""
        return self.images * self.pixels

    @property
    def input_shape(self) -> Shape:
        """Return the shape of the images."""
        return (self.images, self.channels, self.height, self.width)

    @property
    def output_shape(self) -> Shape:
        """Return the shape of the result."""
        return (self.images, self.filters, *self.outputs)

    @property
    def weight_shape(self) -> Shape:
        """Return the shape of the filters."""
        return (self.filters, self.channels_of_group, *self.kernel)

    @property
    def is_plain(self) -> bool:
        """Say whether filters see all channels and are neither strided nor dilated."""
        return {*self.stride, *self.dilation, self.groups} == {1}

    @property
    def is_plain_3x3(self) -> bool:
        """Say whether the filters are such, and 3x3."""
        return self.kernel == (3, 3) and self.is_plain

    def arguments(self) -> tuple[Argument, ...]:
        """Return the sizes as kernels/conv/geometry.cl declares them."""
        # The kernels also count pixels of one padded plane, and of a dilated filter, in 32 bits.
        uint32((self.height + 2 * self.padding[0]) * (self.width + 2 * self.padding[1]))
        uint32(max(self.stride) * max(self.outputs) + max(self.dilation) * max(self.kernel))
        sizes = (*self.input_shape[1:], *self.kernel, *self.outputs)
        steps = (self.stride[0], *self.padding, *self.dilation)
        return arguments(np.uint64(self.images), *sizes, *steps)

    def _windows(self, axis: int) -> int:
        reach = self.dilation[axis] * (self.kernel[axis] - 1) + 1
        size = (self.height, self.width)[axis] + 2 * self.padding[axis]
        return (size - reach) // self.stride[axis] + 1

    def _check(self) -> None:
        if min(self.stride) < 1 or min(self.dilation) < 1 or min(self.padding) < 0:
            raise ShapeError(
                f"A stride of {self.stride} with a padding of {self.padding} and a dilation of "
                f"{self.dilation} makes no convolution."
            )
        if not self.window or min(self.output_shape[2:]) < 1:
            raise ShapeError(
                f"Filters {self.weight_shape} dilated by {self.dilation} do not fit into images "
                f"{self.input_shape} padded by {self.padding}."
            )


def pair(value: int | Pair) -> Pair:
    """Return the same size for either axis where only one is given."""
    return (value, value) if isinstance(value, int) else value
