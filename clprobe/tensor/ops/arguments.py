# SPDX-License-Identifier: MIT
"""What kernels take: the memory of arrays, sizes as uint, and several sizes as one vector."""

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.device import Argument
from clprobe.tensor.errors import ShapeError


def arguments(*values: Array | Argument | int | tuple[int, ...]) -> tuple[Argument, ...]:
    """Return buffers for arrays, uint for sizes, uint2 for pairs; the rest as it is.

    **Raises** ShapeError for a size beyond what kernels count to.
    """
    return tuple(_argument(value) for value in values)


def uint32(size: int) -> np.uint32:
    """Return a kernel argument that leaves room for index arithmetic in 32 bits.

    **Raises** ShapeError.
    """
    if size >= 1 << 31:
        raise ShapeError(f"A size of {size} is beyond the {1 << 31} that kernels count to.")
    argument: np.uint32 = np.uint32(size)
    return argument


def _argument(value: Array | Argument | int | tuple[int, ...]) -> Argument:
    if isinstance(value, Array):
        return value.buffer
    if isinstance(value, int):
        return uint32(value)
    if isinstance(value, tuple):
        return np.array([uint32(size) for size in value], np.uint32)
    return value
