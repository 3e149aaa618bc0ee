# SPDX-License-Identifier: MIT
"""Convolution straight from its definition, for grouped filters and as a last resort.

Filters that share few channels have a faster gradient on a CPU, with a stride of 1.
"""

from collections.abc import Mapping
from math import prod

from clprobe.tensor.array import Array
from clprobe.tensor.device import Device
from clprobe.tensor.launching import launch_rows
from clprobe.tensor.ops.arguments import arguments
from clprobe.tensor.ops.conv.geometry import Direction, Geometry, Plan
from clprobe.tensor.ops.epilogue import Epilogue
from clprobe.tensor.ops.reduce import sum_axes

_CPU_COLUMNS_PER_ITEM = 64
_CPU_LANES = 16
_WORK_ITEMS_PER_COMPUTE_UNIT = {True: 16, False: 1024}
_MAX_PIECES = 512
# Of the gradient for filters that share few channels, where each value has a vector of sums.
_MAX_TAPS = 25
_PAIRS_PER_COMPUTE_UNIT = 4


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
        launch_rows(
            *(device, "conv/grouped.cl", name, shape[3], prod(shape[:3])),
            arguments(
                *(source, weight, result, *geometry.arguments()),
                *(geometry.filters, geometry.groups, *epilogue.arguments(unused=source)),
            ),
            defines={"STRIDE_X": geometry.stride[1], **epilogue.row_defines},
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
    sizes = (*geometry.arguments(), geometry.filters, geometry.groups, pieces)
    launch_rows(
        *(dy.device, "conv/grouped_weights.cl", "conv_grouped_weights", values, pieces),
        arguments(dy, x, sums, *sizes),
        defines={"STRIDE_X": geometry.stride[1], "LANES": _CPU_LANES if limits.is_cpu else 1},
        cpu_columns=1,
    )
    return sum_axes(sums, (0,)).reshape(geometry.weight_shape)


def prepare_depthwise_weights(
    device: Device, direction: Direction, geometry: Geometry, defines: Mapping[str, int]
) -> Plan | None:
    """Return the plan, None for large filters, other strides and planes that are too large."""
    few_taps = prod(geometry.kernel) <= _MAX_TAPS
    if direction is not Direction.WEIGHT_GRADIENT or geometry.stride != (1, 1) or not few_taps:
        return None
    scratch = min(defines["SCRATCH"], device.limits.local_memory_bytes // 4)
    if _floats_of_planes(geometry) > scratch:
        return None
    sizes = {"KERNEL_HEIGHT": geometry.kernel_height, "KERNEL_WIDTH": geometry.kernel_width}
    kernel = device.programs.kernel(
        *("conv/depthwise_weights.cl", "depthwise_weights", {"SCRATCH": scratch, **sizes})
    )
    pairs = geometry.filters * geometry.channels_of_group
    items = min(pairs, _PAIRS_PER_COMPUTE_UNIT * device.limits.compute_units)

    def plan(dy: Array, x: Array, _epilogue: Epilogue) -> Array:
        weight = Array.empty(device, geometry.weight_shape)
        sizes = (*geometry.arguments(), geometry.filters, geometry.groups)
        device.launch(kernel, (items,), (1,), arguments(dy, x, weight, *sizes))
        return weight

    return plan


def _floats_of_planes(geometry: Geometry) -> int:
    """Return what both planes take, with what whole vectors read past their ends."""
    line = geometry.width + 2 * geometry.padding[1]
    reach = geometry.dilation[1] * (geometry.kernel_width - 1)
    image = (geometry.height + 2 * geometry.padding[0]) * line
    return geometry.out_height * line + image + reach + 2 * _CPU_LANES
