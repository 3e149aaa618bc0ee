# SPDX-License-Identifier: MIT
"""Sums over any axes, in as many launches as the axes have separate runs."""

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.launching import largest_that_fits, launch_rows
from clprobe.tensor.ops.arguments import arguments
from clprobe.tensor.program import Kernel

# Sums that a CPU keeps in registers.
_CPU_COLUMNS_PER_ITEM = 64
_CPU_CHAINS = 4
_CPU_WORK_ITEMS = 1
_CPU_WIDTH = 16
_GPU_WORK_ITEMS = 256
# A shorter piece is not worth a second pass.
_MIN_VALUES_PER_PIECE = 4096
_PIECES_PER_COMPUTE_UNIT = 8
# Bounds the rounding error of the serial sums of sum_columns, and shares long columns out.
_MAX_COLUMN_PIECE = 512


def sum_axes(x: Array, axes: Sequence[int]) -> Array:
    """Return the sums over `axes`.

    **Shapes** as x, with 1 at every axis summed over.
    """
    y = x
    for first, last in _runs(sorted(axes)):
        shape = y.shape
        outer, length, inner = prod(shape[:first]), prod(shape[first:last]), prod(shape[last:])
        # A CPU adds up a few values, such as losses, as a column: one kernel less to build.
        few = x.device.limits.is_cpu and outer == 1 and length <= _MAX_COLUMN_PIECE
        summed = (
            sum_rows(y.reshape((outer, length)))
            if inner == 1 and not few
            else sum_columns(y.reshape((outer, length, inner)))
        )
        y = summed.reshape(shape[:first] + (1,) * (last - first) + shape[last:])
    return y


def sum_rows(x: Array) -> Array:
    """Return the sum of each row.

    **Shapes** x (rows, length); result (rows,).
    """
    rows, length = x.shape
    if length == 1:
        return x.reshape((rows,))
    if not x.size:
        return Array.full(x.device, (rows,), 0.0)
    limits = x.device.limits
    defines = {"WIDTH": _CPU_WIDTH, "CHAINS": _CPU_CHAINS} if limits.is_cpu else {}
    kernel, size = row_kernel("reduce/sum_rows.cl", "sum_rows", x, defines)
    wanted = -(-limits.compute_units * _PIECES_PER_COMPUTE_UNIT // rows)
    piece, pieces = cut(length, min(wanted, length // _MIN_VALUES_PER_PIECE))
    y = Array.empty(x.device, (rows, pieces))
    values = arguments(x, y, *map(np.uint64, (length, piece, pieces)))
    x.device.launch(kernel, (rows * pieces * size,), (size,), values)
    return sum_rows(y)


def sum_columns(x: Array) -> Array:
    """Return the sums along the middle axis.

    **Shapes** x (outer, length, inner); result (outer, inner).
    """
    outer, length, inner = x.shape
    if length == 1:
        return x.reshape((outer, inner))
    if not x.size:
        return Array.full(x.device, (outer, inner), 0.0)
    piece, pieces = cut(length, -(-length // _MAX_COLUMN_PIECE))
    y = Array.empty(x.device, (outer, pieces, inner))
    launch_rows(
        *(x.device, "reduce/sum_columns.cl", "sum_columns", inner, outer * pieces),
        arguments(x, y, *map(np.uint64, (outer, length, inner, piece, pieces))),
        cpu_columns=_CPU_COLUMNS_PER_ITEM,
    )
    return sum_columns(y)


def cut(length: int, wanted: int) -> tuple[int, int]:
    """Return how long pieces are if about `wanted` of them share a length, and how many result."""
    piece = -(-length // max(1, min(wanted, length)))
    return piece, -(-length // piece)


def row_width(x: Array) -> dict[str, int]:
    """Return how many columns a work-item takes at once; a row has so many at least."""
    widest = min(_CPU_WIDTH, x.shape[-1]) if x.device.limits.is_cpu else 1
    return {"WIDTH": 1 << max(0, widest.bit_length() - 1)}


def row_kernel(
    file: str, name: str, x: Array, defines: Mapping[str, int] | None = None
) -> tuple[Kernel, int]:
    """Return a kernel that gives each row of x a work-group, and the size of that work-group."""
    limits = x.device.limits
    preferred = _CPU_WORK_ITEMS if limits.is_cpu else _GPU_WORK_ITEMS
    useful = 1 << max(0, x.shape[-1] - 1).bit_length()
    most = min(preferred, useful)
    return largest_that_fits(
        *(x.device, file, name, most),
        lambda size: {**(defines or {}), "WORK_GROUP_SIZE": size},
        tuple((defines or {}).items()),
    )


def _runs(axes: Sequence[int]) -> list[tuple[int, int]]:
    """Return neighbouring axes as half-open ranges."""
    runs: list[tuple[int, int]] = []
    for axis in axes:
        if runs and runs[-1][1] == axis:
            runs[-1] = (runs[-1][0], axis + 1)
        else:
            runs.append((axis, axis + 1))
    return runs
