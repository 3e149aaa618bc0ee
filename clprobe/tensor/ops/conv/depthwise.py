# SPDX-License-Identifier: MIT
"""Convolution of filters that see one channel each, and its gradients, on a GPU."""

from collections.abc import Mapping
from math import prod

from clprobe.tensor.array import Array
from clprobe.tensor.device import Device
from clprobe.tensor.launching import powers_of_two_down_from, work_groups_above_first
from clprobe.tensor.ops.arguments import arguments, uint32
from clprobe.tensor.ops.conv.geometry import Direction, Geometry, Plan
from clprobe.tensor.ops.epilogue import NO_EPILOGUE, Epilogue, sum_parts
from clprobe.tensor.program import Candidate, Kernel

_FILE = "conv/gpu_depthwise.cl"
# Every tap is code of its own, and a work-item keeps a value for each.
_MOST_TAPS = 25
_MOST_PIXELS_OF_A_BLOCK = 4
_WORK_ITEMS = 128
# A work-item of the gradient for filters adds up at least so many places.
_PLACES = 4


def prepare(
    device: Device, direction: Direction, geometry: Geometry, defines: Mapping[str, int]
) -> Plan | None:
    """Return the plan, None for filters of several channels and for large or dilated ones."""
    kernel = geometry.kernel
    plain = geometry.dilation == (1, 1) and prod(geometry.stride) <= _MOST_PIXELS_OF_A_BLOCK
    few = prod(kernel) <= _MOST_TAPS
    if geometry.channels_of_group != 1 or geometry.groups == 1 or not plain or not few:
        return None
    if any(pad >= size for pad, size in zip(geometry.padding, kernel, strict=True)):
        return None
    names = ("KERNEL_HEIGHT", "KERNEL_WIDTH", "STRIDE_Y", "STRIDE_X", "PADDING_Y", "PADDING_X")
    values = (*kernel, *geometry.stride, *geometry.padding)
    shape = dict(zip(names, values, strict=True)) | {"MULTIPLIER": geometry.filters_of_group}
    if direction is Direction.WEIGHT_GRADIENT:
        return _weight_gradient(device, geometry, {**defines, **shape})
    return _images(device, direction, geometry, {**defines, **shape})


def _images(
    device: Device, direction: Direction, geometry: Geometry, defines: Mapping[str, int]
) -> Plan:
    """Return the plan of the convolution or of its gradient for the images."""
    forward = direction is Direction.FORWARD
    shapes = (geometry.input_shape, geometry.output_shape)
    source, target = shapes if forward else shapes[::-1]
    blocks = (
        geometry.outputs
        if forward
        else tuple(-(-size // step) for size, step in zip(target[2:], geometry.stride, strict=True))
    )
    planes = prod(target[:2])
    items = int(uint32(planes * -(-blocks[0] // defines["ROWS"]) * blocks[1]))
    sizes = arguments(planes, target[1], source[2:], target[2:], *(() if forward else (blocks,)))

    def built(epilogue: Epilogue) -> Kernel:
        flags = {**defines, **epilogue.row_defines}
        return device.programs.kernel(_FILE, direction.value, flags)

    built(NO_EPILOGUE)

    def plan(first: Array, weight: Array, epilogue: Epilogue) -> Array:
        result = Array.empty(device, target)
        kernel = built(epilogue)
        local = next(powers_of_two_down_from(min(_WORK_ITEMS, kernel.work_group_limit)))
        values = arguments(first, weight, result, *epilogue.arguments(unused=first), *sizes)
        device.launch(kernel, (-(-items // local) * local,), (local,), values)
        return result

    return plan


def _weight_gradient(device: Device, geometry: Geometry, defines: Mapping[str, int]) -> Plan:
    local, taps = defines["LOCAL"], prod(geometry.kernel)
    places = geometry.images * -(-geometry.out_height // defines["ROWS"]) * geometry.out_width
    uint32(places + local * work_groups_above_first(places))
    wanted = -(-defines["WORK_GROUPS"] * device.limits.compute_units // geometry.filters)
    parts = work_groups_above_first(max(1, min(wanted, places // (local * _PLACES))))
    candidate = Candidate(
        file=_FILE,
        defines=defines,
        work_group_size=local,
        local_memory_bytes=(local + 1) * taps * 4,
    )
    kernel, _ = device.programs.first_that_fits("weight_gradient", (candidate,))
    sizes = (geometry.images, geometry.filters, geometry.input_shape[2:], geometry.outputs)

    def plan(dy: Array, x: Array, _epilogue: Epilogue) -> Array:
        dw = Array.empty(device, geometry.weight_shape)
        target = dw if parts == 1 else Array.empty(device, (parts, *geometry.weight_shape))
        ranges = (local * geometry.filters, parts), (local, 1)
        device.launch(kernel, *ranges, arguments(dy, x, target, *sizes))
        if parts > 1:
            sum_parts(target, dw, NO_EPILOGUE)
        return dw

    return plan
