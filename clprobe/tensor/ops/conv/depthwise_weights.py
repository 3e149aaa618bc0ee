# SPDX-License-Identifier: MIT
"""The gradient for filters that share few channels, with a stride of 1 on a CPU."""

from collections.abc import Mapping

from clprobe.tensor.array import Array
from clprobe.tensor.device import Argument, Device
from clprobe.tensor.launching import uint32
from clprobe.tensor.ops.conv.geometry import Geometry
from clprobe.tensor.ops.conv.plan import Direction, Plan
from clprobe.tensor.ops.epilogue import Epilogue

_LANES = 16
# Each value of a filter has a vector of sums.
_MAX_TAPS = 25
_WORK_ITEMS_PER_COMPUTE_UNIT = 4


def prepare(
    device: Device, direction: Direction, geometry: Geometry, defines: Mapping[str, int]
) -> Plan | None:
    """Return the plan, None for large filters, other strides and planes that are too large."""
    taps = geometry.kernel_height * geometry.kernel_width
    if direction is not Direction.WEIGHT_GRADIENT or geometry.stride != (1, 1) or taps > _MAX_TAPS:
        return None
    scratch = min(defines["SCRATCH"], device.limits.local_memory_bytes // 4)
    if _floats(geometry) > scratch:
        return None
    kernel = device.programs.kernel(
        *("conv/depthwise_weights.cl", "depthwise_weights"),
        {
            "SCRATCH": scratch,
            "KERNEL_HEIGHT": geometry.kernel_height,
            "KERNEL_WIDTH": geometry.kernel_width,
        },
    )
    pairs = geometry.filters * (geometry.channels // geometry.groups)
    items = min(pairs, _WORK_ITEMS_PER_COMPUTE_UNIT * device.limits.compute_units)

    def plan(dy: Array, x: Array, _epilogue: Epilogue) -> Array:
        weight = Array.empty(device, geometry.weight_shape)
        arguments: tuple[Argument, ...] = (
            *(array.buffer for array in (dy, x, weight)),
            *geometry.arguments(),
            *(uint32(size) for size in (geometry.filters, geometry.groups)),
        )
        device.launch(kernel, (items,), (1,), arguments)
        return weight

    return plan


def _floats(geometry: Geometry) -> int:
    """Return what both planes take, with what whole vectors read past their ends."""
    line = geometry.width + 2 * geometry.padding[1]
    reach = geometry.dilation[1] * (geometry.kernel_width - 1)
    image = (geometry.height + 2 * geometry.padding[0]) * line
    return geometry.out_height * line + image + reach + 2 * _LANES
