# SPDX-License-Identifier: MIT
"""Which values of images and filters the sums of an implicit product read: tables for kernels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.device import Device
from clprobe.tensor.ops.conv.geometry import Direction, Geometry
from clprobe.tensor.ops.conv.taps import Taps

OUTSIDE = -(1 << 30)
"""A read so far outside that every image is smaller; its value is zero."""


@dataclass(frozen=True, slots=True)
class Sum:
    """Where a sum's tiles, depths and results begin, as gpu_implicit_gemm.cl reads it."""

    tile: int
    first_depth: int
    depth: int
    taps: Taps

    @property
    def row(self) -> tuple[int, ...]:
        """Return a row of the kernel's table."""
        return self.tile, self.first_depth, self.depth, *self.taps.outputs, *self.taps.first, 0


def sums_of(
    device: Device,
    all_taps: Sequence[Taps],
    geometry: Geometry,
    direction: Direction,
    tunables: Mapping[str, int],
) -> tuple[Array, list[Sum], int]:
    """Return the steps of all sums, the sums, the deepest first, and how many tiles they have."""
    of_sums = [(taps, steps_of(taps, geometry, direction, tunables)) for taps in all_taps]
    of_sums.sort(key=lambda each: -len(each[1]))
    forward = direction is Direction.FORWARD
    rows = geometry.filters_of_group if forward else geometry.channels_of_group
    sums, tiles, depth = [], 0, 0
    for taps, steps in of_sums:
        sums.append(Sum(tiles, depth, len(steps), taps))
        tiles += tiles_of(rows, geometry.images * prod(taps.outputs), tunables)
        depth += len(steps)
    all_steps = np.concatenate([steps for _, steps in of_sums])
    return Array.from_numpy(all_steps, device), sums, tiles


def steps_of(
    taps: Taps, geometry: Geometry, direction: Direction, tunables: Mapping[str, int]
) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Return for each channel and tap where it reads in the images, and in the filters.

    **Shapes** (depth, 4), as gpu_implicit_gemm.cl and gpu_pack.cl say; depth is in whole tiles.
    """
    forward = direction is not Direction.INPUT_GRADIENT
    height, width = geometry.input_shape[2:] if forward else geometry.output_shape[2:]
    channels = geometry.channels_of_group if forward else geometry.filters_of_group
    down, across = (
        [
            taps.origins[phase][axis] + shift[axis] * taps.step[axis]
            for phase, shift in zip(taps.phase, taps.shift, strict=True)
        ]
        for axis in (0, 1)
    )
    area = prod(geometry.kernel)
    of_channel = np.arange(channels)[:, None]
    steps = np.empty((channels, len(taps.kernel), 4), np.int32)
    steps[..., 1], steps[..., 2] = down, across
    steps[..., 0] = (of_channel * height + steps[..., 1]) * width + steps[..., 2]
    steps[..., 3] = of_channel * (area if forward else geometry.window) + np.array(
        taps.kernel, np.int32
    )
    flat = steps.reshape(-1, 4)
    missing = -len(flat) % tunables["TILE_DEPTH"] or (0 if len(flat) else tunables["TILE_DEPTH"])
    padding = np.tile(np.array([0, OUTSIDE, 0, 0], np.int32), (missing, 1))
    return np.concatenate((flat, padding))


def tiles_of(rows: int, columns: int, tunables: Mapping[str, int]) -> int:
    """Return how many tiles a matrix has."""
    return -(-rows // tunables["TILE_ROWS"]) * -(-columns // tunables["TILE_COLUMNS"])
