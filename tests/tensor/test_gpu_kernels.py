# SPDX-License-Identifier: MIT
"""Convolutions as GPUs compute them, on every device, against NumPy in double precision."""

import numpy as np
import oracles
import pytest
from oracles import assert_close, normal, rounding_bound

from clprobe.tensor import Array, Device
from clprobe.tensor.ops.conv import depthwise, few_channels, gpu_winograd, implicit_gemm
from clprobe.tensor.ops.conv.geometry import Direction, Geometry, Plan
from clprobe.tensor.ops.epilogue import NO_EPILOGUE, Epilogue

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
DEPTHWISE = {
    "padded": ((2, 5, 5), (9, 8), (3, 3), {"padding": (1, 1), "groups": 5}),
    "strided": ((3, 4, 4), (11, 10), (5, 5), {"stride": (2, 2), "padding": (2, 2), "groups": 4}),
    "two filters each": ((2, 3, 6), (7, 9), (3, 3), {"padding": (1, 1), "groups": 3}),
    "uneven": ((2, 2, 2), (12, 7), (3, 2), {"stride": (3, 1), "padding": (0, 1), "groups": 2}),
    "stride beyond the filter": ((1, 2, 2), (7, 9), (1, 1), {"stride": (2, 2), "groups": 2}),
    "many places": ((4, 2, 2), (20, 33), (3, 3), {"padding": (1, 1), "groups": 2}),
}
ONE_CHANNEL = {"ROWS": 4, "LOCAL": 16, "WORK_GROUPS": 4}
UNIT = {
    "wider padding": ((1, 4, 3), (6, 9), (3, 3), {"padding": (2, 2)}),
    "no padding": ((2, 2, 5), (7, 6), (3, 3), {}),
    "wide strides": ((1, 3, 4), (13, 17), (5, 5), {"stride": (3, 4), "padding": (2, 1)}),
    "first layer": ((2, 3, 7), (13, 15), (7, 7), {"stride": (2, 2), "padding": (3, 3)}),
    "5x5": ((2, 3, 5), (9, 6), (5, 5), {"padding": (2, 2)}),
    "5x5 with other paddings": ((1, 4, 3), (8, 7), (5, 5), {"padding": (4, 0)}),
}
# The maps of F(4x4, 3x3) and F(2x2, 5x5): of windows, of filters and of sums, Lavin & Gray 2016.
WINDOW = np.array(
    [
        [4, 0, -5, 0, 1, 0],
        [0, -4, -4, 1, 1, 0],
        [0, 4, -4, -1, 1, 0],
        [0, -2, -1, 2, 1, 0],
        [0, 2, -1, -2, 1, 0],
        [0, 4, 0, -5, 0, 1],
    ]
)
FILTERS = {
    3: np.array([[6, 0, 0], [-4, -4, -4], [-4, 4, -4], [1, 2, 4], [1, -2, 4], [0, 0, 24]]) / 24.0,
    5: np.array([
        [6, 0, 0, 0, 0], [-4, -4, -4, -4, -4], [-4, 4, -4, 4, -4],
        [1, 2, 4, 8, 16], [1, -2, 4, -8, 16], [0, 0, 0, 0, 24],
    ]) / 24.0,
}  # fmt: skip
SUMS = {
    3: np.array(
        [[1, 1, 1, 1, 1, 0], [0, 1, -1, 2, -2, 0], [0, 1, 1, 4, 4, 0], [0, 1, -1, 8, -8, 1]]
    ),
    5: np.array([[1, 1, 1, 1, 1, 0], [0, 1, -1, 2, -2, 1]]),
}
# Roundings of a value on its way through three maps in two dimensions each.
MAPS = 3 * 2 * 7
WORK_GROUPS = {"whole": 0, "split": 64}
# Each tile, and sums in parts from one buffer and from two; all pairs take half as long again.
TILES_AND_SPLITS = [
    *(("8x32", "whole"), ("8x32", "split"), ("16x8 in one buffer", "split")),
    ("4x64 of few rows", "whole"),
]


def tile(name: str, work_groups: int) -> dict[str, int]:
    return {**dict(zip(NAMES, TILES[name], strict=True)), "WORK_GROUPS": work_groups}


@pytest.mark.parametrize(("tiles", "split"), TILES_AND_SPLITS)
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
    geometry = geometry_of(*GEOMETRIES[case])
    plan = implicit_gemm.prepare(device, direction, geometry, tile(tiles, WORK_GROUPS[split]))

    arrays, found = run(device, generator, direction, geometry, plan)

    exact, magnitude, terms = reference(direction, geometry, arrays)
    assert_close(found, exact, rounding_bound(terms, magnitude))


@pytest.mark.parametrize(
    "case",
    ["padded", "whole vectors", "wider padding", "no padding", "5x5", "5x5 with other paddings"],
)
@pytest.mark.parametrize("direction", Direction, ids=lambda direction: direction.value)
def test_winograd_on_a_gpu_stays_within_its_bound(
    device: Device, generator: np.random.Generator, direction: Direction, case: str
) -> None:
    geometry = geometry_of(*{**GEOMETRIES, **UNIT}[case])
    plan = gpu_winograd.prepare(device, direction, geometry, {})

    arrays, found = run(device, generator, direction, geometry, plan)

    exact, _, terms = reference(direction, geometry, arrays)
    magnitude = winograd_magnitude(direction, geometry, arrays)
    assert_close(found, exact, rounding_bound(terms + MAPS, magnitude))


@pytest.mark.parametrize(
    "case", ["padded", "strided", "stride beyond the filter", "first layer", "wide strides"]
)
def test_gradients_of_few_channels_match_numpy(
    device: Device, generator: np.random.Generator, case: str
) -> None:
    geometry = geometry_of(*{**GEOMETRIES, **UNIT}[case])
    defines = {"BLOCK": 2, "FILTERS": 3, "LOCAL": 16}
    plan = few_channels.prepare(device, Direction.INPUT_GRADIENT, geometry, defines)

    arrays, found = run(device, generator, Direction.INPUT_GRADIENT, geometry, plan)

    exact, magnitude, terms = reference(Direction.INPUT_GRADIENT, geometry, arrays)
    assert_close(found, exact, rounding_bound(terms, magnitude))


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("case", DEPTHWISE)
def test_filters_of_one_channel_match_numpy(
    device: Device, generator: np.random.Generator, direction: Direction, case: str
) -> None:
    geometry = geometry_of(*DEPTHWISE[case])
    plan = depthwise.prepare(device, direction, geometry, ONE_CHANNEL)

    arrays, found = run(device, generator, direction, geometry, plan)

    exact, magnitude, terms = reference(direction, geometry, arrays)
    assert_close(found, exact, rounding_bound(terms, magnitude))


def test_filters_of_one_channel_are_left_where_they_do_not_suit(device: Device) -> None:
    for case in ("padded", "grouped", "dilated"):
        geometry = geometry_of(*GEOMETRIES[case])
        assert depthwise.prepare(device, Direction.FORWARD, geometry, ONE_CHANNEL) is None


@pytest.mark.parametrize("direction", [Direction.FORWARD, Direction.INPUT_GRADIENT])
def test_an_epilogue_follows_filters_of_one_channel(
    device: Device, generator: np.random.Generator, direction: Direction
) -> None:
    geometry = geometry_of(*DEPTHWISE["strided"])
    plan = depthwise.prepare(device, direction, geometry, ONE_CHANNEL)
    shape = geometry.output_shape if direction is Direction.FORWARD else geometry.input_shape
    bias, residual = normal(generator, shape[1]), normal(generator, *shape)
    epilogue = Epilogue(
        bias=Array.from_numpy(bias, device),
        relu=True,
        residual=Array.from_numpy(residual, device),
    )

    arrays, found = run(device, generator, direction, geometry, plan, epilogue)

    exact, magnitude, terms = reference(direction, geometry, arrays)
    added = bias[:, None, None] + residual.astype(np.float64)
    bound = rounding_bound(terms + 2, magnitude + np.abs(added) + 1)
    assert_close(found, np.maximum(exact + added, 0), bound)


@pytest.mark.parametrize("algorithm", ["implicit", "split", "winograd", "few channels"])
@pytest.mark.parametrize("direction", [Direction.FORWARD, Direction.INPUT_GRADIENT])
def test_an_epilogue_follows_a_convolution_on_a_gpu(
    device: Device, generator: np.random.Generator, direction: Direction, algorithm: str
) -> None:
    geometry = geometry_of(*GEOMETRIES["padded"])
    prepare, defines = {
        "implicit": (implicit_gemm.prepare, tile("8x32", 0)),
        "split": (implicit_gemm.prepare, tile("16x8 in one buffer", 64)),
        "winograd": (gpu_winograd.prepare, {}),
        "few channels": (few_channels.prepare, {"BLOCK": 4, "FILTERS": 8, "LOCAL": 32}),
    }[algorithm]
    plan = prepare(device, direction, geometry, defines)
    if plan is None:
        pytest.skip(f"{algorithm} does not do {direction.value}")
    shape = geometry.output_shape if direction is Direction.FORWARD else geometry.input_shape
    bias, residual = normal(generator, shape[1]), normal(generator, *shape)
    epilogue = Epilogue(
        bias=Array.from_numpy(bias, device),
        relu=True,
        residual=Array.from_numpy(residual, device),
    )

    arrays, found = run(device, generator, direction, geometry, plan, epilogue)

    exact, _, terms = reference(direction, geometry, arrays)
    magnitude = winograd_magnitude(direction, geometry, arrays)
    added = bias[:, None, None] + residual.astype(np.float64)
    bound = rounding_bound(terms + MAPS + 2, magnitude + np.abs(added) + 1)
    assert_close(found, np.maximum(exact + added, 0), bound)


def geometry_of(
    sizes: tuple[int, int, int], size: tuple[int, int], kernel: tuple[int, int], rest: dict
) -> Geometry:
    images, channels, filters = sizes
    weight = (filters, channels // rest.get("groups", 1), *kernel)
    return Geometry.of((images, channels, *size), weight, **rest)


def run(  # noqa: PLR0917 - what a plan needs
    device: Device,
    generator: np.random.Generator,
    direction: Direction,
    geometry: Geometry,
    plan: Plan | None,
    epilogue: Epilogue = NO_EPILOGUE,
) -> tuple[tuple, np.ndarray]:
    """Return dy, x and weight as drawn, and what the plan makes of two of them."""
    shapes = (geometry.output_shape, geometry.input_shape, geometry.weight_shape)
    dy, x, weight = (normal(generator, *shape) for shape in shapes)
    operands = {
        Direction.FORWARD: (x, weight),
        Direction.INPUT_GRADIENT: (dy, weight),
        Direction.WEIGHT_GRADIENT: (dy, x),
    }[direction]
    assert plan is not None
    found = plan(*(Array.from_numpy(value, device) for value in operands), epilogue).numpy()
    return (dy, x, weight), found


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


def winograd_magnitude(direction: Direction, geometry: Geometry, arrays: tuple) -> np.ndarray:
    """Return the sums of the absolute values that F(4x4, 3x3) or F(2x2, 5x5) adds up."""
    dy, x, weight = (np.abs(array).astype(np.float64) for array in arrays)
    taps, out = geometry.kernel_height, 7 - geometry.kernel_height
    window, filters, sums = (np.abs(one) for one in (WINDOW, FILTERS[taps], SUMS[taps]))
    padding = geometry.padding
    shape = geometry.output_shape
    if direction is Direction.INPUT_GRADIENT:
        x, weight = dy, weight.transpose(1, 0, 2, 3)[:, :, ::-1, ::-1]
        padding = (taps - 1 - padding[0], taps - 1 - padding[1])
        shape = geometry.input_shape
    tiles = [-(-size // out) for size in shape[2:]]
    edges = [
        (pad, out * count + taps - 1 - size - pad)
        for pad, count, size in zip(padding, tiles, x.shape[2:], strict=True)
    ]
    padded = np.pad(x, ((0, 0), (0, 0), *((low, max(high, 0)) for low, high in edges)))
    squares = np.lib.stride_tricks.sliding_window_view(padded, (6, 6), axis=(2, 3))
    squares = squares[:, :, ::out, ::out][:, :, : tiles[0], : tiles[1]]
    points = np.einsum("pi,nchwij,qj->nchwpq", window, squares, window)
    if direction is Direction.WEIGHT_GRADIENT:
        high = [(0, out * count - size) for count, size in zip(tiles, dy.shape[2:], strict=True)]
        parts = np.pad(dy, ((0, 0), (0, 0), *high)).reshape(
            *dy.shape[:2], tiles[0], out, tiles[1], out
        )
        factors = np.einsum("ip,nfhiwj,jq->nfhwpq", sums, parts, sums)
        totals = np.einsum("nfhwpq,nchwpq->fcpq", factors, points)
        return np.einsum("pi,fcpq,qj->fcij", filters, totals, filters)
    factors = np.einsum("pi,fcij,qj->fcpq", filters, weight, filters)
    totals = np.einsum("fcpq,nchwpq->nfhwpq", factors, points)
    tiled = np.einsum("ip,nfhwpq,jq->nfhiwj", sums, totals, sums)
    whole = tiled.reshape(*shape[:2], out * tiles[0], out * tiles[1])
    return whole[:, :, : shape[2], : shape[3]]
