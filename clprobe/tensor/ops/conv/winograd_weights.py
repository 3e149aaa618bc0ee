# SPDX-License-Identifier: MIT
"""The gradient for 3x3 filters with a stride of 1 by Winograd on a CPU."""

from collections.abc import Mapping
from dataclasses import dataclass

from clprobe.tensor.array import Array
from clprobe.tensor.device import Argument, Device
from clprobe.tensor.launching import uint32
from clprobe.tensor.ops.conv.geometry import Geometry, Pair
from clprobe.tensor.ops.conv.plan import Direction, Plan
from clprobe.tensor.ops.conv.planes import pair
from clprobe.tensor.ops.epilogue import Epilogue

_LANES = 16
_OUT = 4
_POINTS = (_OUT + 2) ** 2
# Of local memory for each pixel of a line.
_BYTES = (_OUT + 2) * _LANES * 4
_SUMMING_WORK_ITEMS = 64
# Each part takes sums of its own.
_MAX_FLOATS_OF_PARTS = 1 << 25


def prepare(
    device: Device, direction: Direction, geometry: Geometry, defines: Mapping[str, int]
) -> Plan | None:
    """Return the plan, None for other filters and strides and for images that are too wide."""
    unit = geometry.stride == geometry.dilation == (1, 1) and geometry.groups == 1
    kernel = (geometry.kernel_height, geometry.kernel_width)
    line = _OUT * _ceil_div(geometry.out_width, _OUT) + 2
    if direction is not Direction.WEIGHT_GRADIENT or not unit or kernel != (3, 3):
        return None
    defines = {**defines, "LINE": min(defines["LINE"], device.limits.local_memory_bytes // _BYTES)}
    if line > defines["LINE"]:
        return None
    parts = _Parts.of(device, geometry, defines["TILES"])
    device.programs.kernel("conv/winograd_weights.cl", "winograd_weights", defines)

    def plan(dy: Array, x: Array, _epilogue: Epilogue) -> Array:
        sums = _sum_parts(dy, x, geometry, parts, defines)
        weight = Array.empty(device, geometry.weight_shape)
        kernel = device.programs.kernel(
            "conv/winograd_weight_sums.cl", "winograd_weight_sums", {"VECTORS": defines["VECTORS"]}
        )
        arguments: tuple[Argument, ...] = (
            *(sums.buffer, weight.buffer),
            *(uint32(size) for size in (parts.count, geometry.filters, geometry.channels)),
        )
        device.launch(kernel, (_SUMMING_WORK_ITEMS,), (1,), arguments)
        return weight

    return plan


@dataclass(frozen=True, slots=True)
class _Parts:
    """How the work is shared out: rows of tiles first, then vectors of filters."""

    tiles: Pair
    """Rows and columns of tiles of an image."""
    block_rows: int
    """Rows of tiles that are taken to the points at once."""
    rows: int
    """Rows of tiles of a part."""
    count: int
    share: int
    """Vectors of filters of a work-item."""

    @classmethod
    def of(cls, device: Device, geometry: Geometry, most_tiles: int) -> "_Parts":
        tiles = (_ceil_div(geometry.out_height, _OUT), _ceil_div(geometry.out_width, _OUT))
        all_rows = geometry.images * tiles[0]
        blocks = _ceil_div(all_rows, max(1, most_tiles // tiles[1]))
        floats = _POINTS * geometry.filters * geometry.channels
        units = device.limits.compute_units
        parts = min(blocks, units, max(1, _MAX_FLOATS_OF_PARTS // floats))
        # As many blocks for each part, each as full as the others.
        block_rows = _ceil_div(all_rows, _ceil_div(blocks, parts) * parts)
        rows = _ceil_div(_ceil_div(all_rows, parts), block_rows) * block_rows
        count = _ceil_div(all_rows, rows)
        vectors = _ceil_div(geometry.filters, _LANES)
        return cls(tiles, block_rows, rows, count, _ceil_div(vectors, max(1, units // count)))


def _sum_parts(
    dy: Array, x: Array, geometry: Geometry, parts: _Parts, defines: Mapping[str, int]
) -> Array:
    """Return what each part adds up at the points."""
    device = dy.device
    vectors, filter_vectors = (
        _ceil_div(size, _LANES) for size in (geometry.channels, geometry.filters)
    )
    splits = _ceil_div(filter_vectors, parts.share)
    blocks = _ceil_div(vectors, defines["VECTORS"])
    tiles = parts.block_rows * parts.tiles[1]
    scratch = Array.empty(
        device, (parts.count * splits, _POINTS, vectors + parts.share, tiles, _LANES)
    )
    shape = (parts.count, _POINTS, blocks, filter_vectors * _LANES, _LANES * defines["VECTORS"])
    sums = Array.empty(device, shape)
    arguments: tuple[Argument, ...] = (
        *(array.buffer for array in (dy, x, scratch, sums)),
        *(uint32(size) for size in (geometry.images, geometry.channels, geometry.filters)),
        *(pair(sizes) for sizes in (x.shape[2:], dy.shape[2:], geometry.padding, parts.tiles)),
        *(uint32(size) for size in (parts.block_rows, parts.rows, parts.share)),
    )
    kernel = device.programs.kernel("conv/winograd_weights.cl", "winograd_weights", defines)
    device.launch(kernel, (parts.count, splits), (1, 1), arguments)
    return sums


def _ceil_div(count: int, size: int) -> int:
    return -(-count // size)
