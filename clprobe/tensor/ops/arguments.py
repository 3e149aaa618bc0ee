# SPDX-License-Identifier: MIT
"""What kernels take: the memory of arrays, sizes as uint, and several sizes as one vector."""

from functools import lru_cache

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.device import Argument
from clprobe.tensor.errors import ShapeError

# Sizes come again with every step, and NumPy takes longer to make one than to look it up.
_KEPT = 4096


def arguments(*values: Array | Argument | int | tuple[int, ...]) -> tuple[Argument, ...]:
    """Return buffers for arrays, uint for sizes, uint2 for pairs; the rest as it is.

    **Raises** ShapeError for a size beyond what kernels count to.
    """
    found: list[Argument] = []
    for value in values:
        if isinstance(value, Array):
            found.append(value.buffer)
        elif isinstance(value, (int, np.int64)):
            found.append(uint32(value))
        elif isinstance(value, tuple):
            found.append(_vector(value))
        else:
            found.append(value)
    return tuple(found)


@lru_cache(_KEPT)
def uint32(size: int | np.int64) -> np.uint32:
    """Return a kernel argument that leaves room for index arithmetic in 32 bits.

    **Raises** ShapeError.
    """
    if size >= 1 << 31:
        raise ShapeError(f"A size of {size} is beyond the {1 << 31} that kernels count to.")
    argument: np.uint32 = np.uint32(size)
    return argument


@lru_cache(_KEPT)
def _vector(sizes: tuple[int, ...]) -> Argument:
    return np.array([uint32(size) for size in sizes], np.uint32)
