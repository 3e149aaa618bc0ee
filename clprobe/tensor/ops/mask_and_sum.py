# SPDX-License-Identifier: MIT
"""Undoes relu and bias: the gradient before them, and the bias's, in one launch."""

from math import prod

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.device import Argument
from clprobe.tensor.launching import powers_of_two_down_from
from clprobe.tensor.ops.half import half_define
from clprobe.tensor.ops.reduce import sum_axes
from clprobe.tensor.program import Candidate, Kernel

_FILE = "reduce/mask_and_sum.cl"
_GPU_WORK_ITEMS = 256
_GPU_COLUMNS = 32
_CPU_LANES = 64
_CPU_VECTOR = 16
_WORK_GROUPS_PER_COMPUTE_UNIT = 4
# Bounds the rounding error of serial sums.
_MAX_SERIAL_ROWS = 512


def mask_and_sum(dy: Array, y: Array) -> tuple[Array, Array]:
    """Return dy where y is positive, zero elsewhere, and the sum of that over each channel.

    **Shapes** dy and y (images, channels, …); results as dy, and (channels,).
    """
    dz = Array.empty(dy.device, dy.shape)
    images, channels = dy.shape[:2]
    if not dy.size:
        return dz, Array.full(dy.device, (channels,), 0.0)
    if prod(dy.shape[2:]) > 1:
        return dz, _planes(dy, (y, dz))
    return dz, _columns(dy, y, dz, images, channels)


def sum_channels(dy: Array) -> Array:
    """Return the sum of dy over each channel.

    **Shapes** dy (images, channels, …), result (channels,).
    """
    if not dy.size:
        return Array.full(dy.device, dy.shape[1:2], 0.0)
    if prod(dy.shape[2:]) > 1:
        return _planes(dy, None)
    return sum_axes(dy.reshape(dy.shape[:2]), (0,)).reshape(dy.shape[1:2])


def _planes(dy: Array, masked: tuple[Array, Array] | None) -> Array:
    images, channels, pixels = *dy.shape[:2], prod(dy.shape[2:])
    limits = dy.device.limits
    wanted = -(-limits.compute_units * _WORK_GROUPS_PER_COMPUTE_UNIT // channels)
    piece, pieces = _pieces(images, wanted)
    sums = Array.empty(dy.device, (pieces, channels))
    flags = {"MASK": int(masked is not None), "LANES": _CPU_VECTOR if limits.is_cpu else 1}
    y, dz = masked or (dy, sums)
    kernel, sizes = _kernel(dy, "mask_and_sum_planes", flags | half_define("Y_HALF", y))
    scalars = (np.uint64(each) for each in (images, channels, pixels, piece))
    arguments: tuple[Argument, ...] = (dy.buffer, y.buffer, dz.buffer, sums.buffer, *scalars)
    dy.device.launch(kernel, (pieces * channels * sizes[0],), sizes[:1], arguments)
    return sum_axes(sums, (0,)).reshape((channels,))


def _columns(dy: Array, y: Array, dz: Array, images: int, channels: int) -> Array:
    limits = dy.device.limits
    per_item = _CPU_LANES if limits.is_cpu else 1
    kernel, sizes = _kernel(
        dy, "mask_and_sum_columns", {"COLUMNS_PER_ITEM": per_item} | half_define("Y_HALF", y)
    )
    piece, pieces = _pieces(images, -(-images // (_MAX_SERIAL_ROWS * sizes[1])))
    sums = Array.empty(dy.device, (pieces, channels))
    groups = -(-channels // (per_item * sizes[0]))
    scalars = (np.uint64(each) for each in (images, channels, piece))
    arguments: tuple[Argument, ...] = (dy.buffer, y.buffer, dz.buffer, sums.buffer, *scalars)
    dy.device.launch(kernel, (groups * sizes[0], pieces * sizes[1]), sizes, arguments)
    return sum_axes(sums, (0,)).reshape((channels,))


def _pieces(length: int, wanted: int) -> tuple[int, int]:
    """Return how long pieces are if about `wanted` of them share a length, and how many result."""
    piece = -(-length // max(1, min(wanted, length)))
    return piece, -(-length // piece)


def _kernel(dy: Array, name: str, flags: dict[str, int]) -> tuple[Kernel, tuple[int, int]]:
    """Return the kernel, and its work-group's sizes along channels (or pixels) and images."""
    device = dy.device
    planes = name == "mask_and_sum_planes"
    most = 1 if device.limits.is_cpu else _GPU_WORK_ITEMS

    def candidate(size: int) -> Candidate:
        columns = min(size, _GPU_COLUMNS, device.limits.max_work_item_sizes[0])
        rows = min(size // columns, device.limits.max_work_item_sizes[1])
        lanes = {"COLUMN_LANES": columns, "ROW_LANES": rows}
        return Candidate(
            file=_FILE,
            defines={**flags, **({"WORK_GROUP_SIZE": size} if planes else lanes)},
            work_group_size=size if planes else columns * rows,
            local_memory_bytes=4 * size * flags.get("COLUMNS_PER_ITEM", 1),
        )

    def choose() -> tuple[Kernel, tuple[int, int]]:
        candidates = [candidate(size) for size in powers_of_two_down_from(most)]
        kernel, chosen = device.programs.first_that_fits(name, candidates)
        lanes = chosen.defines.get("COLUMN_LANES", chosen.work_group_size)
        return kernel, (lanes, chosen.defines.get("ROW_LANES", 1))

    return device.programs.remember((name, *flags.items()), choose)
