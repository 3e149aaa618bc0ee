# SPDX-License-Identifier: MIT
"""Blocks of rows of images for kernels/conv/planes.cl: their sizes, and where taps lie in them."""

from dataclasses import dataclass

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.device import Argument, Device
from clprobe.tensor.ops.arguments import arguments
from clprobe.tensor.ops.conv.geometry import Pair
from clprobe.tensor.ops.conv.taps import Taps

_BLOCKS_PER_COMPUTE_UNIT = 4
# Copying a value into a plane takes as long as so many multiplications.
_COPY_COST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a block of rows has to fit into, and what its outputs cost."""

    floats: int
    """Local memory."""
    floats_per_output: int
    """Local memory that each output takes besides the planes."""
    columns: int
    """Outputs are computed so many at a time, whether needed or not."""
    images: int
    """Blocks that exist of every row: images times groups."""
    filters: int
    """Filters that share the planes."""


@dataclass(frozen=True, slots=True)
class Planes:
    """A sum over shifted planes, in blocks of rows, with its tables on the device."""

    taps: Taps
    block_rows: int
    plane: Pair
    kernel: Array
    offsets: Array
    origins: Array

    @property
    def blocks(self) -> int:
        """Return how many blocks an image has."""
        return -(-self.taps.outputs[0] // self.block_rows)

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Return tap_count to blocks as the kernels declare them."""
        taps = self.taps
        block = (self.block_rows, taps.outputs[1])
        counts = (len(taps.kernel), len(taps.origins))
        return arguments(*counts, taps.step, self.plane, block, self.blocks)


def split_into_blocks(device: Device, taps: Taps, channels: int, budget: Budget) -> Planes | None:
    """Return the blocks that cost least, None where not even a row's planes fit."""
    down, across = taps.reach
    outputs, width = taps.outputs[0], taps.outputs[1] + across
    line = channels * len(taps.origins) * width

    def floats(rows: int) -> int:
        return line * (rows + down) + rows * taps.outputs[1] * budget.floats_per_output

    def cost(rows: int) -> float:
        tiles = -(-((rows - 1) * width + taps.outputs[1]) // budget.columns)
        terms = max(1, channels * len(taps.kernel)) * budget.filters
        copies = _COPY_COST * line * (rows + down)
        return -(-outputs // rows) * (tiles * budget.columns * terms + copies)

    wanted = device.limits.compute_units * _BLOCKS_PER_COMPUTE_UNIT
    most = max(1, outputs * budget.images // wanted)
    fitting = [rows for rows in range(min(most, outputs), 0, -1) if floats(rows) <= budget.floats]
    if not fitting:
        return None
    best = min(fitting, key=cost)
    # Blocks share the rows evenly.
    rows = -(-outputs // -(-outputs // best))
    plane = (rows + down, width)
    return Planes(
        *(taps, rows, plane),
        kernel=int_table(device, taps.kernel),
        offsets=int_table(device, tap_offsets(taps, plane)),
        origins=int_table(device, taps.origins),
    )


def tap_offsets(taps: Taps, plane: Pair) -> list[int]:
    """Return where in a channel's planes each tap finds the first output's value."""
    return [
        (phase * plane[0] + y) * plane[1] + x
        for phase, (y, x) in zip(taps.phase, taps.shift, strict=True)
    ]


def int_table(device: Device, values: object) -> Array:
    """Return whole numbers on the device; a table without any has one that nobody reads."""
    numbers = np.array(values, np.int32).ravel()
    return Array.from_numpy(numbers if numbers.size else np.zeros(1, np.int32), device)
