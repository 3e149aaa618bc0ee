# SPDX-License-Identifier: MIT
"""Convolutions as GPUs compute them, on every device, against NumPy in double precision."""

import numpy as np
import oracles
import pytest
from oracles import assert_close, normal, rounding_bound

from clprobe.tensor import Array, Device
from clprobe.tensor.ops.conv import implicit_gemm
from clprobe.tensor.ops.conv.geometry import Geometry
from clprobe.tensor.ops.conv.plan import Direction
from clprobe.tensor.ops.epilogue import NO_EPILOGUE

# Small tiles, so that small arrays have several; one and two buffers, all ways to lie.
TILES = {
    "8x32": (8, 32, 8, 4, 4, 2, 4, 2),
    "16x8 in one buffer": (16, 8, 4, 8, 4, 1, 2, 1),
    "4x64 of few rows": (4, 64, 8, 4, 8, 1, 8, 2),
}
NAMES = (
    *("TILE_ROWS", "TILE_COLUMNS", "TILE_DEPTH", "ITEM_ROWS", "ITEM_COLUMNS"),
    *("LANES_DOWN", "LANES_ACROSS", "BUFFERS"),
)
# images, channels, filters, height and width, kernel, then stride, padding, dilation, groups
GEOMETRIES = {
    "padded": ((2, 3, 5), (9, 8), (3, 3), {"padding": (1, 1)}),
    "whole vectors": ((2, 8, 12), (6, 6), (3, 3), {"padding": (1, 1)}),
    "pointwise": ((3, 5, 9), (4, 4), (1, 1), {}),
    "strided": ((2, 3, 4), (11, 10), (5, 3), {"stride": (2, 3), "padding": (2, 0)}),
    "stride beyond the filter": ((1, 2, 3), (7, 9), (1, 2), {"stride": (3, 3)}),
    "dilated": ((2, 2, 3), (9, 10), (3, 2), {"padding": (2, 1), "dilation": (2, 3)}),
    "grouped": ((1, 32, 48), (5, 6), (3, 3), {"groups": 2, "padding": (1, 1)}),
}
WORK_GROUPS = {"whole": 0, "split": 64}


def tile(name: str, work_groups: int) -> dict[str, int]:
    return {**dict(zip(NAMES, TILES[name], strict=True)), "WORK_GROUPS": work_groups}


@pytest.mark.parametrize("split", WORK_GROUPS)
@pytest.mark.parametrize("tiles", TILES)
@pytest.mark.parametrize("case", GEOMETRIES)
@pytest.mark.parametrize("direction", Direction, ids=lambda direction: direction.value)
def test_implicit_products_match_numpy(  # noqa: PLR0917 - one per way to vary
    device: Device,
    generator: np.random.Generator,
    direction: Direction,
    case: str,
    tiles: str,
    split: str,
) -> None:
    (images, channels, filters), size, kernel, rest = GEOMETRIES[case]
    geometry = Geometry.of(
        (images, channels, *size), (filters, channels // rest.get("groups", 1), *kernel), **rest
    )
    arrays = {
        Direction.FORWARD: normal(generator, *geometry.output_shape),
        Direction.INPUT_GRADIENT: normal(generator, *geometry.input_shape),
        Direction.WEIGHT_GRADIENT: normal(generator, *geometry.weight_shape),
    }
    dy, x, weight = arrays.values()
    operands = {
        Direction.FORWARD: (x, weight),
        Direction.INPUT_GRADIENT: (dy, weight),
        Direction.WEIGHT_GRADIENT: (dy, x),
    }[direction]
    plan = implicit_gemm.prepare(device, direction, geometry, tile(tiles, WORK_GROUPS[split]))

    assert plan is not None
    found = plan(*(Array.from_numpy(value, device) for value in operands), NO_EPILOGUE).numpy()

    exact, magnitude, terms = reference(direction, geometry, (dy, x, weight))
    assert_close(found, exact, rounding_bound(terms, magnitude))


def reference(direction: Direction, geometry: Geometry, arrays: tuple) -> tuple:
    """Return the exact result, the sum of the terms' magnitudes, and how many terms at most."""
    dy, x, weight = arrays
    options = (geometry.stride, geometry.padding, geometry.dilation, geometry.groups)
    match direction:
        case Direction.FORWARD:
            function, operands, terms = oracles.conv2d, (x, weight), geometry.window
        case Direction.INPUT_GRADIENT:
            terms = weight[:, 0].size
            function, operands = oracles.conv2d_input_gradient, (dy, weight)
            options = (x.shape, *options)
        case Direction.WEIGHT_GRADIENT:
            terms = geometry.images * geometry.pixels
            function, operands = oracles.conv2d_weight_gradient, (dy, x)
            options = (weight.shape, *options)
    return function(*operands, *options), function(*map(np.abs, operands), *options), terms
