# SPDX-License-Identifier: MIT
"""The largest or smallest value along an axis, and where it stands."""

from math import prod

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.launching import launch_rows
from clprobe.tensor.ops.arguments import arguments, uint32

_FILE = "reduce/extreme.cl"
# A longer axis is shared out.
_MAX_PIECE = 1024


def extremes(x: Array, axis: int, *, smallest: bool = False) -> tuple[Array, Array]:
    """Return the largest or smallest values along an axis, and where each stands, as int32.

    Of equal ones it is the first, and NaN wins, as in torch.

    **Shapes** as x, without the axis.

    **Raises** ShapeError for an axis without entries.
    """
    outer, length, inner = prod(x.shape[:axis]), x.shape[axis], prod(x.shape[axis + 1 :])
    if not length:
        raise ShapeError(f"Nothing is largest along axis {axis} of {x.shape}.")
    uint32(length)  # places count that far
    shape = (*x.shape[:axis], *x.shape[axis + 1 :])
    piece = -(-length // -(-length // _MAX_PIECE))
    pieces = -(-length // piece)
    y, places = _both(x, (outer, pieces, inner))
    defines = {"SMALLEST": int(smallest)}
    if not y.size:
        return y.reshape(shape), places.reshape(shape)
    rows = outer * pieces
    sizes = map(np.uint64, (rows, length, inner, pieces, piece))
    values = arguments(x, y, places, *sizes)
    launch_rows(x.device, _FILE, "extreme", inner, rows, values, defines)
    if pieces > 1:
        found, at = y, places
        y, places = _both(x, (outer, inner))
        values = arguments(found, at, y, places, *map(np.uint64, (outer, pieces, inner)))
        launch_rows(x.device, _FILE, "extreme_of_pieces", inner, outer, values, defines)
    return y.reshape(shape), places.reshape(shape)


def _both(x: Array, shape: tuple[int, ...]) -> tuple[Array, Array]:
    return Array.empty(x.device, shape), Array.empty(x.device, shape, np.int32)
