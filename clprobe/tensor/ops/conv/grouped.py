# SPDX-License-Identifier: MIT
"""Convolution straight from its definition, for grouped filters and as a last resort."""

from collections.abc import Mapping
from math import prod

from clprobe.tensor.array import Array
from clprobe.tensor.device import Device
from clprobe.tensor.launching import launch_rows, uint32
from clprobe.tensor.ops.conv.geometry import Geometry
from clprobe.tensor.ops.conv.plan import Direction, Plan
from clprobe.tensor.ops.epilogue import Epilogue
from clprobe.tensor.ops.reduce import sum_axes

_CPU_COLUMNS_PER_ITEM = 64
_CPU_LANES = 16
_WORK_ITEMS_PER_COMPUTE_UNIT = {True: 16, False: 1024}
_MAX_PIECES = 512


def prepare(
    device: Device, direction: Direction, geometry: Geometry, _defines: Mapping[str, int]
) -> Plan:
    """Return the plan; there is one for every geometry."""
    if direction is Direction.WEIGHT_GRADIENT:
        return lambda dy, x, _: _weight_gradient(dy, x, geometry)
    forward = direction is Direction.FORWARD
    shape = geometry.output_shape if forward else geometry.input_shape
    name = "conv_grouped" if forward else "conv_grouped_input_gradient"

    def plan(source: Array, weight: Array, epilogue: Epilogue) -> Array:
        result = Array.empty(device, shape)
        defines = {"STRIDE_X": geometry.stride[1], **epilogue.row_defines}
        launch_rows(
            *(device, "conv/grouped.cl", name, shape[3], prod(shape[:3])),
            (
                *(array.buffer for array in (source, weight, result)),
                *geometry.arguments(),
                *(uint32(size) for size in (geometry.filters, geometry.groups)),
                *epilogue.arguments(unused=source),
            ),
            defines=defines,
            cpu_columns=_CPU_COLUMNS_PER_ITEM,
        )
        return result

    return plan


def _weight_gradient(dy: Array, x: Array, geometry: Geometry) -> Array:
    values = prod(geometry.weight_shape)
    limits = dy.device.limits
    wanted = _WORK_ITEMS_PER_COMPUTE_UNIT[limits.is_cpu] * limits.compute_units
    rows = geometry.images * geometry.out_height
    pieces = max(1, min(_MAX_PIECES, rows, wanted // values))
    sums = Array.empty(dy.device, (pieces, *geometry.weight_shape))
    defines = {"STRIDE_X": geometry.stride[1], "LANES": _CPU_LANES if limits.is_cpu else 1}
    launch_rows(
        *(dy.device, "conv/grouped_weights.cl", "conv_grouped_weights", values, pieces),
        (
            *(array.buffer for array in (dy, x, sums)),
            *geometry.arguments(),
            *(uint32(size) for size in (geometry.filters, geometry.groups, pieces)),
        ),
        defines=defines,
        cpu_columns=1,
    )
    return sum_axes(sums, (0,)).reshape(geometry.weight_shape)
