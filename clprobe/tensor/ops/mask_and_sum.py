# SPDX-License-Identifier: MIT
"""Undoes relu and bias: the gradient before them, and the bias's, in one launch."""

from collections.abc import Sequence
from math import prod

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.device import Device
from clprobe.tensor.launching import largest_that_fits, powers_of_two_down_from
from clprobe.tensor.ops.arguments import arguments
from clprobe.tensor.ops.elementwise import apply
from clprobe.tensor.ops.epilogue import Epilogue
from clprobe.tensor.ops.half import half_define
from clprobe.tensor.ops.reduce import cut, sum_axes
from clprobe.tensor.program import Candidate, Kernel
from clprobe.tensor.tape import Gradient, Result, once

_FILE = "reduce/mask_and_sum.cl"
_GPU_WORK_ITEMS = 256
_GPU_COLUMNS = 32
_CPU_LANES = 64
_CPU_VECTOR = 16
_WORK_GROUPS_PER_COMPUTE_UNIT = 4
# Bounds the rounding error of serial sums.
_MAX_SERIAL_ROWS = 512


def with_epilogue(y: Array, epilogue: Epilogue, gradients: Sequence[Gradient]) -> Result:
    """Return y with its gradients, the bias's last; `gradients` take that of the bare sum."""
    if epilogue.bias is None and not epilogue.relu:
        return Result(y, tuple(gradients))
    if epilogue.bias is None:
        masked = once(lambda dy: apply("relu_gradient", dy, y))
        return Result(y, tuple(_after(masked, gradient) for gradient in gradients))
    if not epilogue.relu:
        return Result(y, (*gradients, sum_channels))
    both = once(lambda dy: mask_and_sum(dy, y))
    rest = tuple(_after(lambda dy: both(dy)[0], gradient) for gradient in gradients)
    return Result(y, (*rest, lambda dy: both(dy)[1]))


def mask_and_sum(dy: Array, y: Array) -> tuple[Array, Array]:
    """Return dy where y is positive, zero elsewhere, and the sum of that over each channel.

    **Shapes** dy and y (images, channels, …); results as dy, and (channels,).
    """
    dz = Array.empty(dy.device, dy.shape)
    if not dy.size:
        return dz, Array.full(dy.device, dy.shape[1:2], 0.0)
    if prod(dy.shape[2:]) > 1:
        return dz, _planes(dy, (y, dz))
    return dz, _columns(dy, y, dz)


def sum_channels(dy: Array) -> Array:
    """Return the sum of dy over each channel.

    **Shapes** dy (images, channels, …), result (channels,).
    """
    if not dy.size:
        return Array.full(dy.device, dy.shape[1:2], 0.0)
    if prod(dy.shape[2:]) > 1:
        return _planes(dy, None)
    return sum_axes(dy.reshape(dy.shape[:2]), (0,)).reshape(dy.shape[1:2])


def _after(first: Gradient, then: Gradient) -> Gradient:
    return lambda dy: then(first(dy))


def _planes(dy: Array, masked: tuple[Array, Array] | None) -> Array:
    device = dy.device
    images, channels, pixels = *dy.shape[:2], prod(dy.shape[2:])
    limits = device.limits
    wanted = -(-limits.compute_units * _WORK_GROUPS_PER_COMPUTE_UNIT // channels)
    piece, pieces = cut(images, wanted)
    sums = Array.empty(device, (pieces, channels))
    y, dz = masked or (dy, sums)
    flags = {"MASK": int(masked is not None), "LANES": _CPU_VECTOR if limits.is_cpu else 1}
    flags |= half_define("Y_HALF", y)
    kernel, size = largest_that_fits(
        *(device, _FILE, "mask_and_sum_planes", 1 if limits.is_cpu else _GPU_WORK_ITEMS),
        lambda size: {**flags, "WORK_GROUP_SIZE": size},
        tuple(flags.items()),
    )
    values = arguments(dy, y, dz, sums, *map(np.uint64, (images, channels, pixels, piece)))
    device.launch(kernel, (pieces * channels * size,), (size,), values)
    return sum_axes(sums, (0,)).reshape((channels,))


def _columns(dy: Array, y: Array, dz: Array) -> Array:
    images, channels = dy.shape[:2]
    per_item = _CPU_LANES if dy.device.limits.is_cpu else 1
    flags = {"COLUMNS_PER_ITEM": per_item} | half_define("Y_HALF", y)
    kernel, sizes = dy.device.programs.remember(
        ("mask_and_sum_columns", *flags.items()), lambda: _column_kernel(dy.device, flags)
    )
    piece, pieces = cut(images, -(-images // (_MAX_SERIAL_ROWS * sizes[1])))
    sums = Array.empty(dy.device, (pieces, channels))
    groups = -(-channels // (per_item * sizes[0]))
    values = arguments(dy, y, dz, sums, *map(np.uint64, (images, channels, piece)))
    dy.device.launch(kernel, (groups * sizes[0], pieces * sizes[1]), sizes, values)
    return sum_axes(sums, (0,)).reshape((channels,))


def _column_kernel(device: Device, flags: dict[str, int]) -> tuple[Kernel, tuple[int, int]]:
    """Return the kernel, and its work-group's sizes along channels and images."""

    def candidate(size: int) -> Candidate:
        columns = min(size, _GPU_COLUMNS, device.limits.max_work_item_sizes[0])
        rows = min(size // columns, device.limits.max_work_item_sizes[1])
        return Candidate(
            file=_FILE,
            defines={**flags, "COLUMN_LANES": columns, "ROW_LANES": rows},
            work_group_size=columns * rows,
            local_memory_bytes=4 * size * flags["COLUMNS_PER_ITEM"],
        )

    most = 1 if device.limits.is_cpu else _GPU_WORK_ITEMS
    candidates = [candidate(size) for size in powers_of_two_down_from(most)]
    kernel, chosen = device.programs.first_that_fits("mask_and_sum_columns", candidates)
    return kernel, (chosen.defines["COLUMN_LANES"], chosen.defines["ROW_LANES"])
