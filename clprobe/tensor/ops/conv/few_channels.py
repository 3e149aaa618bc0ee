# SPDX-License-Identifier: MIT
"""The gradient for images of few channels on a GPU, such as that of a network's first layer."""

from collections.abc import Mapping

from clprobe.tensor.array import Array
from clprobe.tensor.device import Device
from clprobe.tensor.ops.arguments import arguments, uint32
from clprobe.tensor.ops.conv.geometry import Direction, Geometry, Plan
from clprobe.tensor.ops.epilogue import Epilogue
from clprobe.tensor.program import Candidate, Kernel

_FILE = "conv/gpu_few_channels.cl"
_MOST_CHANNELS = 4
# Every tap is code of its own.
_MOST_TAPS = 64
# What a work-item sums stays in registers, on Intel's GPUs too.
_MOST_SUMS = 48


def prepare(
    device: Device, direction: Direction, geometry: Geometry, defines: Mapping[str, int]
) -> Plan | None:
    """Return the plan, None for other directions, many channels and for dilated filters."""
    kernel = geometry.kernel
    plain = geometry.dilation == (1, 1) and geometry.groups == 1
    if direction is not Direction.INPUT_GRADIENT or not plain:
        return None
    sums = geometry.channels * geometry.stride[0] * geometry.stride[1]
    block = min(defines["BLOCK"], _MOST_SUMS // sums)
    if geometry.channels > _MOST_CHANNELS or not block:
        return None
    taps = kernel[0] * kernel[1]
    if taps > _MOST_TAPS or any(p >= k for p, k in zip(geometry.padding, kernel, strict=True)):
        return None
    names = ("KERNEL_HEIGHT", "KERNEL_WIDTH", "STRIDE_Y", "STRIDE_X", "PADDING_Y", "PADDING_X")
    values = (*kernel, *geometry.stride, *geometry.padding)
    shape = dict(zip(names, values, strict=True)) | {"CHANNELS": geometry.channels, "BLOCK": block}

    def built(flags: Mapping[str, int]) -> Kernel:
        candidate = Candidate(
            file=_FILE,
            defines={**defines, **shape, **flags},
            work_group_size=defines["LOCAL"],
            local_memory_bytes=16 * taps * defines["FILTERS"],
        )
        return device.programs.first_that_fits("few_channels", (candidate,))[0]

    built({})
    down = -(-geometry.height // geometry.stride[0])
    across = -(-geometry.width // (geometry.stride[1] * block))
    items = int(uint32(geometry.images * down * across))
    local = defines["LOCAL"]
    pairs = (geometry.output_shape[2:], geometry.input_shape[2:], (down, across))
    sizes = arguments(geometry.images, geometry.filters, *pairs)

    def plan(dy: Array, weight: Array, epilogue: Epilogue) -> Array:
        dx = Array.empty(device, geometry.input_shape)
        values = arguments(dy, weight, dx, *epilogue.arguments(unused=dy), *sizes)
        ranges = (-(-items // local) * local,), (local,)
        device.launch(built(epilogue.row_defines), *ranges, values)
        return dx

    return plan
