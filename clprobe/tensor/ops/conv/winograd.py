# SPDX-License-Identifier: MIT
"""Convolution with 3x3 filters and a stride of 1, and its gradient for the images, by Winograd.

It multiplies 4 (or 9/4) times less than the definition. The price is rounding: a result is off by
more than the definition's, though by a factor that is known: see `error_factor`.
"""

from collections.abc import Mapping

from clprobe.tensor.array import Array
from clprobe.tensor.device import Argument, Device
from clprobe.tensor.launching import uint32
from clprobe.tensor.ops.conv.geometry import Geometry
from clprobe.tensor.ops.conv.plan import Direction, Plan
from clprobe.tensor.ops.conv.planes import pair
from clprobe.tensor.ops.epilogue import Epilogue
from clprobe.tensor.ops.half import half_define, to_float

_LANES = 16
_PARTS_PER_COMPUTE_UNIT = 4
_FILTER_WORK_ITEMS = 64


def prepare(
    device: Device, direction: Direction, geometry: Geometry, defines: Mapping[str, int]
) -> Plan | None:
    """Return the plan, None for other filters and strides and for images that are too wide."""
    padding = (geometry.padding[0], geometry.padding[1])
    shapes = (geometry.input_shape, geometry.output_shape)
    if direction is Direction.INPUT_GRADIENT:
        padding = (2 - padding[0], 2 - padding[1])
        shapes = (geometry.output_shape, geometry.input_shape)
    unit = geometry.stride == geometry.dilation == (1, 1) and geometry.groups == 1
    kernel = (geometry.kernel_height, geometry.kernel_width)
    if direction is Direction.WEIGHT_GRADIENT or not unit or kernel != (3, 3) or min(padding) < 0:
        return None
    height, width = (-(-size // defines["OUT"]) for size in shapes[1][2:])
    columns = _LANES * defines["VECTORS"]
    # Whole vectors of tiles are read, and one more tile.
    line = (-(-width // _LANES) * _LANES + 1) * defines["OUT"]
    if width > columns or max(line, shapes[0][3] + padding[1]) > defines["LINE"]:
        return None
    windows, outputs = (defines["OUT"] + 2) ** 2 * (columns + _LANES), defines["OUT"] ** 2 * columns
    if 4 * (defines["LINE"] + windows + outputs) > device.limits.local_memory_bytes:
        return None
    rows = geometry.images * height
    most = columns // width
    units = device.limits.compute_units
    # As many blocks for each compute unit, each as full as the others.
    blocks = -(-rows // most)
    blocks = -(-blocks // units) * units
    block_rows = -(-rows // blocks)
    blocks = -(-rows // block_rows)
    device.programs.kernel("conv/winograd.cl", "winograd", defines)

    def plan(x: Array, weight: Array, epilogue: Epilogue) -> Array:
        filters = _transform_filters(to_float(weight), geometry, direction, defines["OUT"])
        y = Array.empty(device, shapes[1], epilogue.dtype)
        parts = min(blocks, _PARTS_PER_COMPUTE_UNIT * units)
        channels = shapes[0][1] + defines["CHUNK"]
        scratch = Array.empty(device, (parts, filters.shape[0], channels, columns))
        arguments: tuple[Argument, ...] = (
            *(array.buffer for array in (x, filters, y, scratch)),
            *epilogue.arguments(unused=x),
            *(uint32(size) for size in (geometry.images, shapes[0][1], shapes[1][1])),
            *(pair(sizes) for sizes in (shapes[0][2:], shapes[1][2:], padding, (height, width))),
            uint32(block_rows),
        )
        built = device.programs.kernel(
            "conv/winograd.cl",
            "winograd",
            {**defines, **epilogue.row_defines, **half_define("X_HALF", x)},
        )
        device.launch(built, (parts,), (1,), arguments)
        return y

    return plan


def _transform_filters(weight: Array, geometry: Geometry, direction: Direction, out: int) -> Array:
    """Return the filters at the points.

    **Shapes** result ((out + 2)², rows, channels), those that the direction sums into and over.
    """
    rows, channels = geometry.filters, geometry.channels
    steps = (9 * channels, 9)
    flip = direction is Direction.INPUT_GRADIENT
    if flip:
        rows, channels, steps = channels, rows, (9, 9 * channels)
    filters = Array.empty(weight.device, ((out + 2) ** 2, rows, channels))
    defines = {"OUT": out, "FLIP": int(flip)}
    kernel = weight.device.programs.kernel("conv/winograd_filters.cl", "winograd_filters", defines)
    arguments: tuple[Argument, ...] = (
        *(weight.buffer, filters.buffer, uint32(rows), uint32(channels), pair(steps)),
    )
    weight.device.launch(kernel, (min(rows, _FILTER_WORK_ITEMS),), (1,), arguments)
    return filters
