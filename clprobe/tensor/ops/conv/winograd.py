# SPDX-License-Identifier: MIT
"""Convolution with 3x3 filters and a stride of 1, and its gradients, by Winograd on a CPU.

It multiplies 4 (or 9/4) times less than the definition. The price is rounding: a result is off by
more than the definition's, though by a factor that is known.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from clprobe.tensor.array import Array
from clprobe.tensor.device import Device
from clprobe.tensor.ops.arguments import arguments
from clprobe.tensor.ops.conv.geometry import Direction, Geometry, Pair, Plan
from clprobe.tensor.ops.epilogue import Epilogue
from clprobe.tensor.ops.half import half_define, to_float

_LANES = 16
_PARTS_PER_COMPUTE_UNIT = 4
_FILTER_WORK_ITEMS = 64

# Of the gradient for the filters:
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
    padding = geometry.padding
    shapes = (geometry.input_shape, geometry.output_shape)
    if direction is Direction.INPUT_GRADIENT:
        padding = (2 - padding[0], 2 - padding[1])
        shapes = (geometry.output_shape, geometry.input_shape)
    if direction is Direction.WEIGHT_GRADIENT or not geometry.is_plain_3x3 or min(padding) < 0:
        return None
    height, width = (_ceil_div(size, defines["OUT"]) for size in shapes[1][2:])
    columns = _LANES * defines["VECTORS"]
    # Whole vectors of tiles are read, and one more tile.
    line = (_ceil_div(width, _LANES) * _LANES + 1) * defines["OUT"]
    if width > columns or max(line, shapes[0][3] + padding[1]) > defines["LINE"]:
        return None
    windows, outputs = (defines["OUT"] + 2) ** 2 * (columns + _LANES), defines["OUT"] ** 2 * columns
    if 4 * (defines["LINE"] + windows + outputs) > device.limits.local_memory_bytes:
        return None
    rows = geometry.images * height
    units = device.limits.compute_units
    # As many blocks for each compute unit, each as full as the others.
    blocks = _ceil_div(_ceil_div(rows, columns // width), units) * units
    block_rows = _ceil_div(rows, blocks)
    parts = min(_ceil_div(rows, block_rows), _PARTS_PER_COMPUTE_UNIT * units)
    device.programs.kernel("conv/winograd.cl", "winograd", defines)

    def plan(x: Array, weight: Array, epilogue: Epilogue) -> Array:
        filters = _transform_filters(to_float(weight), geometry, direction, defines["OUT"])
        y = Array.empty(device, shapes[1], epilogue.dtype)
        channels = shapes[0][1] + defines["CHUNK"]
        scratch = Array.empty(device, (parts, filters.shape[0], channels, columns))
        values = arguments(
            *(x, filters, y, scratch, *epilogue.arguments(unused=x)),
            *(geometry.images, shapes[0][1], shapes[1][1]),
            *(shapes[0][2:], shapes[1][2:], padding, (height, width), block_rows),
        )
        flags = {**defines, **epilogue.row_defines, **half_define("X_HALF", x)}
        kernel = device.programs.kernel("conv/winograd.cl", "winograd", flags)
        device.launch(kernel, (parts,), (1,), values)
        return y

    return plan


def _transform_filters(weight: Array, geometry: Geometry, direction: Direction, out: int) -> Array:
    """Return the filters at the points.

    **Shapes** result ((out + 2)², rows, channels), those that the direction sums into and over.
    """
    flip = direction is Direction.INPUT_GRADIENT
    rows, channels, steps = filter_order(geometry, flip=flip)
    filters = Array.empty(weight.device, ((out + 2) ** 2, rows, channels))
    defines = {"OUT": out, "FLIP": int(flip)}
    kernel = weight.device.programs.kernel("conv/winograd_filters.cl", "winograd_filters", defines)
    values = arguments(weight, filters, rows, channels, steps)
    weight.device.launch(kernel, (min(rows, _FILTER_WORK_ITEMS),), (1,), values)
    return filters


def filter_order(geometry: Geometry, *, flip: bool) -> tuple[int, int, Pair]:
    """Return rows and channels, and how far apart they lie in the filters, for the sums.

    Rows are filters; with `flip`, for the gradient for the images, they are channels.
    """
    rows, channels, area = geometry.filters, geometry.channels, prod(geometry.kernel)
    steps = (area * channels, area)
    return (channels, rows, (area, steps[0])) if flip else (rows, channels, steps)


def prepare_weights(
    device: Device, direction: Direction, geometry: Geometry, defines: Mapping[str, int]
) -> Plan | None:
    """Return the plan, None for other filters and strides and for images that are too wide."""
    if direction is not Direction.WEIGHT_GRADIENT or not geometry.is_plain_3x3:
        return None
    defines = {**defines, "LINE": min(defines["LINE"], device.limits.local_memory_bytes // _BYTES)}
    if _OUT * _ceil_div(geometry.out_width, _OUT) + 2 > defines["LINE"]:
        return None
    parts = _Parts.of(device, geometry, defines["TILES"])
    device.programs.kernel("conv/winograd_weights.cl", "winograd_weights", defines)

    def plan(dy: Array, x: Array, _epilogue: Epilogue) -> Array:
        sums = _sum_parts(dy, x, geometry, parts, defines)
        weight = Array.empty(device, geometry.weight_shape)
        name, flags = "winograd_weight_sums", {"VECTORS": defines["VECTORS"]}
        kernel = device.programs.kernel(f"conv/{name}.cl", name, flags)
        values = arguments(sums, weight, parts.count, geometry.filters, geometry.channels)
        device.launch(kernel, (_SUMMING_WORK_ITEMS,), (1,), values)
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
    values = arguments(
        *(dy, x, scratch, sums, geometry.images, geometry.channels, geometry.filters),
        *(x.shape[2:], dy.shape[2:], geometry.padding, parts.tiles),
        *(parts.block_rows, parts.rows, parts.share),
    )
    kernel = device.programs.kernel("conv/winograd_weights.cl", "winograd_weights", defines)
    device.launch(kernel, (parts.count, splits), (1, 1), values)
    return sums


def _ceil_div(count: int, size: int) -> int:
    return -(-count // size)
