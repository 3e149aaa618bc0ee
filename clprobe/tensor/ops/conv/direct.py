# SPDX-License-Identifier: MIT
"""Convolution and its gradient for the images on a CPU, without unfolded windows."""

from collections.abc import Mapping

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.device import Argument, Device
from clprobe.tensor.launching import uint32
from clprobe.tensor.ops.conv.geometry import Geometry
from clprobe.tensor.ops.conv.plan import Direction, Plan
from clprobe.tensor.ops.conv.planes import Budget, Planes, pair, split_into_blocks
from clprobe.tensor.ops.conv.taps import forward_taps, input_gradient_taps
from clprobe.tensor.ops.epilogue import Epilogue
from clprobe.tensor.ops.half import half_define, to_float

_LANES = 16
_PACKING_WORK_ITEMS = 64


def prepare(
    device: Device, direction: Direction, geometry: Geometry, defines: Mapping[str, int]
) -> Plan | None:
    """Return the plan, None where not even one row's planes fit into local memory."""
    if direction is Direction.WEIGHT_GRADIENT:
        return None
    forward = direction is Direction.FORWARD
    all_taps = (forward_taps(geometry),) if forward else tuple(input_gradient_taps(geometry))
    shapes = (geometry.input_shape, geometry.output_shape)
    channels, filters = (shape[1] // geometry.groups for shape in shapes[:: 1 if forward else -1])
    columns = _LANES * defines["VECTORS"]
    scratch = min(defines["SCRATCH"], device.limits.local_memory_bytes // 4)
    defines = {**defines, "SCRATCH": scratch}
    budget = Budget(
        floats=scratch - columns,
        floats_per_output=0,
        columns=columns,
        images=geometry.images * geometry.groups,
        filters=filters,
    )
    sums: list[Planes] = []
    for taps in all_taps:
        planes = split_into_blocks(device, taps, channels, budget)
        if planes is None:
            return None
        sums.append(planes)
    device.programs.kernel("conv/direct.cl", "direct", defines)

    def plan(x: Array, weight: Array, epilogue: Epilogue) -> Array:
        y = Array.empty(device, shapes[1 if forward else 0], epilogue.dtype)
        weight = to_float(weight)
        for planes in sums:
            packed = pack_filters(weight, geometry, direction, planes, defines["ROWS"])
            _launch(planes, (x, packed, y), geometry, epilogue, defines)
        return y

    return plan


def pack_filters(
    weight: Array, geometry: Geometry, direction: Direction, planes: Planes, rows: int
) -> Array:
    """Return the filters in the order in which a tile of `rows` of them is computed.

    **Shapes** result (groups, blocks of rows, channels of a group, taps, rows).
    """
    device = weight.device
    of_row, of_channel = geometry.filters // geometry.groups, geometry.channels // geometry.groups
    area = geometry.kernel_height * geometry.kernel_width
    steps = [of_channel * area, area, of_row * of_channel * area, 0]
    if direction is Direction.INPUT_GRADIENT:
        of_row, of_channel = of_channel, of_row
        steps[:2] = steps[1::-1]
    blocks, taps = -(-of_row // rows), max(1, len(planes.taps.kernel))
    packed = Array.empty(device, (geometry.groups, blocks, of_channel, taps, rows))
    kernel = device.programs.kernel("conv/pack_filters.cl", "pack_filters", {"ROWS": rows})
    sizes = (uint32(size) for size in (geometry.groups, of_row, of_channel, taps))
    arguments: tuple[Argument, ...] = (weight.buffer, planes.kernel.buffer, packed.buffer, *sizes)
    lines = geometry.groups * blocks * of_channel
    work_items = min(lines, _PACKING_WORK_ITEMS)
    device.launch(kernel, (work_items,), (1,), (*arguments, np.array(steps, np.uint32)))
    return packed


def _launch(
    planes: Planes,
    arrays: tuple[Array, Array, Array],
    geometry: Geometry,
    epilogue: Epilogue,
    defines: Mapping[str, int],
) -> None:
    x, packed, y = arrays
    groups = geometry.groups
    kernel = y.device.programs.kernel(
        "conv/direct.cl",
        "direct",
        {**defines, **epilogue.row_defines, **half_define("X_HALF", x)},
    )
    sizes = (groups, x.shape[1] // groups, y.shape[1] // groups)
    arguments: tuple[Argument, ...] = (
        *(array.buffer for array in (x, packed, planes.offsets, planes.origins, y)),
        *epilogue.arguments(unused=x),
        *(uint32(size) for size in sizes),
        pair(x.shape[2:]),
        *planes.arguments,
        *(pair(sizes) for sizes in (y.shape[2:], planes.taps.spread, planes.taps.first)),
    )
    y.device.launch(kernel, (geometry.images * groups * planes.blocks,), (1,), arguments)
