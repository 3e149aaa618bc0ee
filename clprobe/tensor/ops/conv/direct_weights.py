# SPDX-License-Identifier: MIT
"""The gradient for the filters on a CPU, without unfolded windows."""

from collections.abc import Mapping

from clprobe.tensor.array import Array
from clprobe.tensor.device import Argument, Device
from clprobe.tensor.launching import uint32
from clprobe.tensor.ops.conv.geometry import Geometry
from clprobe.tensor.ops.conv.plan import Direction, Plan
from clprobe.tensor.ops.conv.planes import (
    Budget,
    Planes,
    int_table,
    pair,
    split_into_blocks,
    tap_offsets,
)
from clprobe.tensor.ops.conv.taps import forward_taps
from clprobe.tensor.ops.epilogue import Epilogue
from clprobe.tensor.ops.half import half_define, to_float

_LANES = 16
# More parts share the work out better, and each takes sums of its own.
_PARTS_PER_COMPUTE_UNIT = 4
_MAX_FLOATS_OF_PARTS = 1 << 20
_SUMMING_WORK_ITEMS = 64


def prepare(
    device: Device, direction: Direction, geometry: Geometry, defines: Mapping[str, int]
) -> Plan | None:
    """Return the plan, None where not even one row's planes fit into local memory."""
    if direction is not Direction.WEIGHT_GRADIENT:
        return None
    channels, filters = (
        count // geometry.groups for count in (geometry.channels, geometry.filters)
    )
    columns = _LANES * defines["VECTORS"]
    scratch = min(defines["SCRATCH"], device.limits.local_memory_bytes // 4)
    defines = {**defines, "SCRATCH": scratch}
    budget = Budget(
        floats=scratch - _LANES,
        floats_per_output=columns,
        columns=1,
        images=geometry.images * geometry.groups,
        filters=filters,
    )
    planes = split_into_blocks(device, forward_taps(geometry), channels, budget)
    if planes is None:
        return None
    places = _places(device, planes, channels, defines["ROWS"])
    device.programs.kernel("conv/direct_weights.cl", "direct_weights", defines)

    def plan(dy: Array, x: Array, _epilogue: Epilogue) -> Array:
        sums = _sum_parts((to_float(dy), x, places), geometry, planes, defines)
        return _sum_weights(sums, geometry, columns)

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
    channels, filters = geometry.channels // groups, geometry.filters // groups
    shape = (groups, -(-filters // columns), geometry.window, columns)
    floats = shape[0] * shape[1] * shape[2] * shape[3]
    units = device.limits.compute_units
    most = max(units, min(_PARTS_PER_COMPUTE_UNIT * units, _MAX_FLOATS_OF_PARTS // floats))
    parts = min(geometry.images * planes.blocks, -(-most // groups))
    sums = Array.empty(device, (parts, *shape))
    defines = {**defines, **half_define("X_HALF", x)}
    kernel = device.programs.kernel("conv/direct_weights.cl", "direct_weights", defines)
    arguments: tuple[Argument, ...] = (
        *(array.buffer for array in (dy, x, places, planes.origins, sums)),
        *(uint32(size) for size in (groups, channels, filters, geometry.images)),
        *(pair(x.shape[2:]), pair(dy.shape[2:])),
        *planes.arguments,
    )
    device.launch(kernel, (parts, groups), (1, 1), arguments)
    return sums


def _sum_weights(sums: Array, geometry: Geometry, columns: int) -> Array:
    weight = Array.empty(sums.device, geometry.weight_shape)
    defines = {"COLUMNS": columns}
    kernel = sums.device.programs.kernel("conv/sum_weights.cl", "sum_weights", defines)
    filters = geometry.filters // geometry.groups
    sizes = (sums.shape[0], geometry.groups, filters, geometry.window)
    arguments: tuple[Argument, ...] = (
        sums.buffer,
        weight.buffer,
        *(uint32(size) for size in sizes),
    )
    sums.device.launch(kernel, (_SUMMING_WORK_ITEMS,), (1,), arguments)
    return weight
