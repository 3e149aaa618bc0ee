# SPDX-License-Identifier: MIT
"""Convolution and its gradients on a CPU, without unfolded windows."""

from collections.abc import Mapping
from math import prod

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.device import Device
from clprobe.tensor.ops.arguments import arguments
from clprobe.tensor.ops.conv.geometry import Direction, Geometry, Plan
from clprobe.tensor.ops.conv.planes import (
    Budget,
    Planes,
    int_table,
    split_into_blocks,
    tap_offsets,
)
from clprobe.tensor.ops.conv.taps import forward_taps, taps_of
from clprobe.tensor.ops.epilogue import Epilogue
from clprobe.tensor.ops.half import half_define, to_float

_LANES = 16
_PACKING_WORK_ITEMS = 64

# Of the gradient for the filters: more parts share the work out better, and each takes sums of its
# own.
_PARTS_PER_COMPUTE_UNIT = 4
_MAX_FLOATS_OF_PARTS = 1 << 20
_SUMMING_WORK_ITEMS = 64


def prepare(
    device: Device, direction: Direction, geometry: Geometry, defines: Mapping[str, int]
) -> Plan | None:
    """Return the plan, None where not even one row's planes fit into local memory."""
    if direction is Direction.WEIGHT_GRADIENT:
        return None
    forward = direction is Direction.FORWARD
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
    for taps in taps_of(direction, geometry):
        planes = split_into_blocks(device, taps, channels, budget)
        if planes is None:
            return None
        sums.append(planes)
    device.programs.kernel("conv/direct.cl", "direct", defines)

    def plan(x: Array, weight: Array, epilogue: Epilogue) -> Array:
        y = Array.empty(device, shapes[1 if forward else 0], epilogue.dtype)
        weight = to_float(weight)
        for planes in sums:
            packed = _pack_filters(weight, geometry, direction, planes, defines["ROWS"])
            flags = {**defines, **epilogue.row_defines, **half_define("X_HALF", x)}
            kernel = device.programs.kernel("conv/direct.cl", "direct", flags)
            values = arguments(
                *(x, packed, planes.offsets, planes.origins, y, *epilogue.arguments(unused=x)),
                *(geometry.groups, channels, filters, x.shape[2:], *planes.arguments),
                *(y.shape[2:], planes.taps.spread, planes.taps.first),
            )
            blocks = geometry.images * geometry.groups * planes.blocks
            device.launch(kernel, (blocks,), (1,), values)
        return y

    return plan


def _pack_filters(
    weight: Array, geometry: Geometry, direction: Direction, planes: Planes, rows: int
) -> Array:
    """Return the filters in the order in which a tile of `rows` of them is computed.

    **Shapes** result (groups, blocks of rows, channels of a group, taps, rows).
    """
    device = weight.device
    of_row, of_channel = geometry.filters_of_group, geometry.channels_of_group
    area = prod(geometry.kernel)
    steps = [of_channel * area, area, of_row * of_channel * area, 0]
    if direction is Direction.INPUT_GRADIENT:
        of_row, of_channel = of_channel, of_row
        steps[:2] = steps[1::-1]
    blocks, taps = -(-of_row // rows), max(1, len(planes.taps.kernel))
    packed = Array.empty(device, (geometry.groups, blocks, of_channel, taps, rows))
    kernel = device.programs.kernel("conv/pack_filters.cl", "pack_filters", {"ROWS": rows})
    sizes = (geometry.groups, of_row, of_channel, taps)
    values = arguments(weight, planes.kernel, packed, *sizes, np.array(steps, np.uint32))
    work_items = min(geometry.groups * blocks * of_channel, _PACKING_WORK_ITEMS)
    device.launch(kernel, (work_items,), (1,), values)
    return packed


def prepare_weights(
    device: Device, direction: Direction, geometry: Geometry, defines: Mapping[str, int]
) -> Plan | None:
    """Return the plan, None where not even one row's planes fit into local memory."""
    if direction is not Direction.WEIGHT_GRADIENT:
        return None
    columns = _LANES * defines["VECTORS"]
    scratch = min(defines["SCRATCH"], device.limits.local_memory_bytes // 4)
    defines = {**defines, "SCRATCH": scratch}
    channels = geometry.channels_of_group
    budget = Budget(
        floats=scratch - _LANES,
        floats_per_output=columns,
        columns=1,
        images=geometry.images * geometry.groups,
        filters=geometry.filters_of_group,
    )
    planes = split_into_blocks(device, forward_taps(geometry), channels, budget)
    if planes is None:
        return None
    places = _places(device, planes, channels, defines["ROWS"])
    device.programs.kernel("conv/direct_weights.cl", "direct_weights", defines)

    def plan(dy: Array, x: Array, _epilogue: Epilogue) -> Array:
        sums = _sum_parts((to_float(dy), x, places), geometry, planes, defines)
        weight = Array.empty(device, geometry.weight_shape)
        kernel = device.programs.kernel("conv/sum_weights.cl", "sum_weights", {"COLUMNS": columns})
        sizes = (sums.shape[0], geometry.groups, geometry.filters_of_group, geometry.window)
        device.launch(kernel, (_SUMMING_WORK_ITEMS,), (1,), arguments(sums, weight, *sizes))
        return weight

    return plan


def _places(device: Device, planes: Planes, channels: int, rows: int) -> Array:
    """Return where in the planes each value of a filter meets the first output."""
    offsets = tap_offsets(planes.taps, planes.plane)
    step = len(planes.taps.origins) * planes.plane[0] * planes.plane[1]
    places = [channel * step + at for channel in range(channels) for at in offsets]
    return int_table(device, places + places[-1:] * (-len(places) % rows))


def _sum_parts(
    operands: tuple[Array, Array, Array],
    geometry: Geometry,
    planes: Planes,
    defines: Mapping[str, int],
) -> Array:
    """Return what each work-item adds up."""
    dy, x, places = operands
    device, groups = dy.device, geometry.groups
    columns = _LANES * defines["VECTORS"]
    shape = (groups, -(-geometry.filters_of_group // columns), geometry.window, columns)
    units = device.limits.compute_units
    most = max(units, min(_PARTS_PER_COMPUTE_UNIT * units, _MAX_FLOATS_OF_PARTS // prod(shape)))
    parts = min(geometry.images * planes.blocks, -(-most // groups))
    sums = Array.empty(device, (parts, *shape))
    defines = {**defines, **half_define("X_HALF", x)}
    kernel = device.programs.kernel("conv/direct_weights.cl", "direct_weights", defines)
    values = arguments(
        *(dy, x, places, planes.origins, sums),
        *(groups, geometry.channels_of_group, geometry.filters_of_group, geometry.images),
        *(x.shape[2:], dy.shape[2:], *planes.arguments),
    )
    device.launch(kernel, (parts, groups), (1, 1), values)
    return sums
