# SPDX-License-Identifier: MIT
"""Mean, variance and gradient sums of every channel of a batch, cut into pieces to share out."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.device import Device
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.launching import largest_that_fits, launch_rows, launch_values
from clprobe.tensor.ops.arguments import arguments

_GPU_WORK_ITEMS = 256
_CPU_LANES = 16
_CPU_COLUMNS_PER_ITEM = 64
# Fewer values for one work-item are not worth a further piece.
_MIN_VALUES_PER_ITEM = 16
_WORK_GROUPS_PER_COMPUTE_UNIT = 8
# Bounds the rounding error of serial sums.
_MAX_ROWS_PER_PIECE = 512


@dataclass(frozen=True, slots=True)
class Channels:
    """A batch as (images, channels, pixels)."""

    images: int
    channels: int
    pixels: int

    @classmethod
    def of(cls, x: Array) -> "Channels":
        """Return how x is cut into channels: along its second axis.

        **Raises** ShapeError.
        """
        if len(x.shape) < 2:
            raise ShapeError(f"Values with channels have two axes or more, not {x.shape}.")
        return cls(x.shape[0], x.shape[1], prod(x.shape[2:]))

    @property
    def values(self) -> int:
        """Return how many values each channel has."""
        return self.images * self.pixels


def statistics(
    x: Array, channels: Channels, running: tuple[Array, Array], rates: tuple[float, float]
) -> tuple[Array, Array]:
    """Return mean and 1 / sqrt(variance + epsilon) of each channel; move the running ones.

    `rates` are how far the running mean and variance move, and epsilon.
    """
    if channels.pixels == 1:
        pieces = _sum_columns("column_statistics", (x,), 3, channels.images, channels.channels)
    else:
        pieces = _sum_planes("plane_statistics", (x,), 3, channels)
    mean = Array.empty(x.device, (channels.channels,))
    scale = Array.empty(x.device, (channels.channels,))
    for each in running:
        each.changing_buffer()  # computes what has yet to read the present values
    scalars = tuple(np.float32(rate) for rate in rates)
    _merge("merge_statistics", pieces, (mean, scale, *running), scalars)
    return mean, scale


def gradient_sums(
    x: Array, dy: Array, moments: tuple[Array, Array], channels: Channels
) -> tuple[Array, Array]:
    """Return for each channel the sums of dy and of dy · (x - mean) · scale."""
    if channels.pixels == 1:
        flat = (channels.images, channels.channels)
        return column_gradient_sums(x.reshape(flat), dy.reshape(flat), moments)
    if not x.size:
        return _zeros(x, channels.channels)
    return _merged_sums(_sum_planes("plane_gradient_sums", (x, dy, *moments), 2, channels))


def column_gradient_sums(
    x: Array, dy: Array, moments: tuple[Array, Array], *, of_rows: bool = False
) -> tuple[Array, Array]:
    """Return for each column the sums of dy and of dy · (x - mean) · scale.

    **Shapes** x and dy (rows, columns), moments, which are mean and scale, (columns,) or, if they
    are those of rows, (rows,).
    """
    rows, columns = x.shape
    if not x.size:
        return _zeros(x, columns)
    defines = {"STATISTICS_PER_ROW": int(of_rows)}
    arrays = (x, dy, *moments)
    return _merged_sums(_sum_columns("column_gradient_sums", arrays, 2, rows, columns, defines))


def _sum_columns(  # noqa: PLR0913, PLR0917 - kernel, sizes and kinds each need a name
    name: str,
    arrays: tuple[Array, ...],
    kinds: int,
    rows: int,
    columns: int,
    defines: Mapping[str, int] | None = None,
) -> Array:
    device = arrays[0].device
    wanted = max(
        -(-rows // _MAX_ROWS_PER_PIECE),
        -(-device.limits.compute_units * _WORK_GROUPS_PER_COMPUTE_UNIT * _items(device) // columns),
    )
    piece = max(1, min(rows, max(_MIN_VALUES_PER_ITEM, -(-rows // wanted))))
    pieces = Array.empty(device, (kinds, -(-rows // piece), columns))
    launch_rows(
        *(device, "norm/columns.cl", name, columns, pieces.shape[1]),
        arguments(*arrays, pieces, *map(np.uint64, (rows, columns, piece))),
        defines,
        cpu_columns=_CPU_COLUMNS_PER_ITEM,
    )
    return pieces


def _sum_planes(name: str, arrays: tuple[Array, ...], kinds: int, channels: Channels) -> Array:
    device = arrays[0].device
    images, pixels = _piece(channels, device)
    count = -(-channels.images // images) * -(-channels.pixels // pixels)
    pieces = Array.empty(device, (kinds, count, channels.channels))
    lanes = _CPU_LANES if device.limits.is_cpu else 1
    across = 1 << max(0, -(-pixels // lanes) - 1).bit_length()
    kernel, size = largest_that_fits(
        *(device, "norm/planes.cl", name, _items(device)),
        lambda size: {"WORK_GROUP_SIZE": size, "ITEMS_ACROSS": min(size, across), "LANES": lanes},
        across,
    )
    sizes = (channels.images, channels.channels, channels.pixels, images, pixels)
    values = arguments(*arrays, pieces, *map(np.uint64, sizes))
    device.launch(kernel, (count * channels.channels * size,), (size,), values)
    return pieces


def _piece(channels: Channels, device: Device) -> tuple[int, int]:
    """Return how many images, and how many pixels of each, make a piece."""
    groups = device.limits.compute_units * _WORK_GROUPS_PER_COMPUTE_UNIT
    lanes = _CPU_LANES if device.limits.is_cpu else 1
    least = _items(device) * lanes * _MIN_VALUES_PER_ITEM
    most = _items(device) * lanes * _MAX_ROWS_PER_PIECE
    pieces = min(-(-groups // channels.channels), -(-channels.values // least))
    pieces = max(pieces, -(-channels.values // most))
    cuts = -(-pieces // channels.images)
    return -(-channels.images // pieces), -(-channels.pixels // cuts)


def _merged_sums(pieces: Array) -> tuple[Array, Array]:
    shape = (pieces.shape[2],)
    first, second = Array.empty(pieces.device, shape), Array.empty(pieces.device, shape)
    _merge("merge_sums", pieces, (first, second), ())
    return first, second


def _merge(
    name: str, pieces: Array, results: tuple[Array, ...], scalars: tuple[np.float32, ...]
) -> None:
    _, count, channels = pieces.shape
    values = arguments(pieces, *results, *map(np.uint64, (count, channels)), *scalars)
    launch_values(pieces.device, "norm/merge.cl", name, channels, values)


def _items(device: Device) -> int:
    return 1 if device.limits.is_cpu else _GPU_WORK_ITEMS


def _zeros(x: Array, count: int) -> tuple[Array, Array]:
    return Array.full(x.device, (count,), 0.0), Array.full(x.device, (count,), 0.0)
