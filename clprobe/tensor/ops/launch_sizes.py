# SPDX-License-Identifier: MIT
"""ND-ranges that cover a number of work-items within the limits of device and kernel."""

from collections.abc import Iterator

import numpy as np

from clprobe.tensor.errors import ShapeError
from clprobe.tensor.limits import Limits
from clprobe.tensor.program import Kernel

# A work-group costs PoCL about as much as several hundred additions, so few large ones; a GPU
# keeps more of them in flight when they are smaller.
_CPU_WORK_ITEMS = 1024
_GPU_WORK_ITEMS = 256
_NARROW = 16
# Some devices take no more work-groups than this along the second and third dimension.
_MAX_WORK_GROUPS_ABOVE_FIRST = 32768

NdRange = tuple[tuple[int, ...], tuple[int, ...]]


def one_dimension(kernel: Kernel, limits: Limits, count: int) -> NdRange:
    """Return global and local size for at least `count` work-items."""
    local = _floor_power_of_two(min(preferred_work_items(limits, kernel), _first(limits)))
    return (round_up(count, local),), (local,)


def two_dimensions(kernel: Kernel, limits: Limits, columns: int, rows: int) -> NdRange:
    """Return sizes for all columns, and for all rows or so many that the kernel loops over them.

    Only two local shapes occur, for PoCL compiles each one anew.
    """
    size = preferred_work_items(limits, kernel)
    width = min(_NARROW if columns <= _NARROW * 2 else size, _first(limits))
    width = _floor_power_of_two(min(width, size))
    height = _floor_power_of_two(min(size // width, limits.max_work_item_sizes[1]))
    groups = work_groups_above_first(round_up(rows, height) // height)
    return (round_up(columns, width), groups * height), (width, height)


def work_groups_above_first(wanted: int) -> int:
    """Return how many work-groups to launch along a later dimension; the kernel loops over more."""
    return min(wanted, _MAX_WORK_GROUPS_ABOVE_FIRST)


def uint32(size: int) -> np.uint32:
    """Return a kernel argument that leaves room for index arithmetic in 32 bits.

    **Raises** ShapeError.
    """
    if size >= 1 << 31:
        raise ShapeError(f"A size of {size} is beyond the {1 << 31} that kernels count to.")
    argument: np.uint32 = np.uint32(size)
    return argument


def powers_of_two_down_from(size: int) -> Iterator[int]:
    """Yield the powers of two from the largest one up to `size`, down to 1."""
    size = _floor_power_of_two(size)
    while size:
        yield size
        size //= 2


def preferred_work_items(limits: Limits, kernel: Kernel | None = None) -> int:
    """Return how many work-items a work-group without local memory should have."""
    preferred = _CPU_WORK_ITEMS if limits.is_cpu else _GPU_WORK_ITEMS
    return min(preferred, limits.max_work_group_size if kernel is None else kernel.work_group_limit)


def round_up(count: int, multiple: int) -> int:
    """Return the smallest multiple that is not below `count`."""
    return -(-count // multiple) * multiple


def _first(limits: Limits) -> int:
    return limits.max_work_item_sizes[0]


def _floor_power_of_two(size: int) -> int:
    return 1 << (size.bit_length() - 1) if size > 0 else 0
