# SPDX-License-Identifier: MIT
"""What a matrix product or a convolution does to its sums before it stores them."""

from dataclasses import dataclass
from enum import IntEnum
from math import prod
from typing import Any

import numpy as np

from clprobe.tensor.array import Array, Shape
from clprobe.tensor.device import Argument
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.launching import largest_that_fits
from clprobe.tensor.ops.arguments import arguments

_WORK_ITEMS = 256
# With more parts, more work-items share those of one result.
_LANES = {5: 1, 32: 4}
_MOST_LANES = 16


class BiasAlong(IntEnum):
    """Which axis of the result a bias has a value for; the number is what kernels call BIAS."""

    COLUMNS = 1
    ROWS = 2


@dataclass(frozen=True, slots=True)
class Epilogue:
    """Adds a bias, then a residual, applies relu, rounds to half; each only if it is asked for."""

    bias: Array | None = None
    """One value for each column of a product, for each filter of a convolution."""
    relu: bool = False
    residual: Array | None = None
    """As many values as the result has, in its order."""
    bias_along: BiasAlong = BiasAlong.COLUMNS
    half: bool = False
    """Whether the result is stored in half."""

    @property
    def flags(self) -> tuple[int, bool, bool, bool]:
        """Return what kernels/common/epilogue.cl calls BIAS, RESIDUAL, RELU and RESULT_HALF."""
        bias = 0 if self.bias is None else int(self.bias_along)
        return bias, self.residual is not None, self.relu, self.half

    @property
    def defines(self) -> dict[str, int]:
        """Return the same for building a kernel; nothing for what is not asked."""
        named = zip(("BIAS", "RESIDUAL", "RELU", "RESULT_HALF"), self.flags, strict=True)
        return {name: int(value) for name, value in named if value}

    @property
    def row_defines(self) -> dict[str, int]:
        """Return the same where a bias has a value for each row, as convolutions have it."""
        return self.defines | ({} if self.bias is None else {"BIAS": int(BiasAlong.ROWS)})

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the type in which the result is stored."""
        return np.dtype(np.float16 if self.half else np.float32)

    def arguments(self, unused: Array) -> tuple[Argument, Argument]:
        """Return bias and residual for the kernel, `unused` in place of what is not asked."""
        return (self.bias or unused).buffer, (self.residual or unused).buffer

    def check(self, shape: Shape, bias_axis: int) -> None:
        """Fail unless the residual, and the bias along an axis, suit a result of this shape.

        **Raises** ShapeError.
        """
        if self.bias is not None and self.bias.shape != (shape[bias_axis],):
            raise ShapeError(f"A bias {self.bias.shape} does not fit a result of shape {shape}.")
        if self.residual is not None and self.residual.shape != shape:
            raise ShapeError(
                f"A residual {self.residual.shape} does not fit a result of shape {shape}."
            )


NO_EPILOGUE = Epilogue()


def sum_parts(
    parts: Array, result: Array, epilogue: Epilogue, *, bias_axis: int = 0, batches: int = 1
) -> None:
    """Set `result` to the sum of its parts, after the epilogue.

    **Shapes** parts (batches, any number, size of a batch), result (batches, ...) with a bias for
    each place along `bias_axis`.
    """
    device = result.device
    number = parts.size // result.size
    count = result.size // batches
    most_lanes = next((few for most, few in _LANES.items() if number < most), _MOST_LANES)

    def defines(size: int) -> dict[str, int]:
        lanes = min(most_lanes, size)
        return {"VALUES": size // lanes, "LANES": lanes, **epilogue.defines}

    kernel, size = largest_that_fits(
        *(device, "matmul/tiled_sum.cl", "sum_parts", _WORK_ITEMS, defines),
        (most_lanes, epilogue.flags),
    )
    lanes = min(most_lanes, size)
    values = size // lanes
    ranges = (-(-count // values) * values, lanes, batches), (values, lanes, 1)
    sizes = (np.uint64(count), number, result.shape[bias_axis])
    inner = np.uint64(prod(result.shape[bias_axis:][1:]))
    after = epilogue.arguments(unused=parts)
    device.launch(kernel, *ranges, arguments(parts, result, *sizes, inner, *after))
