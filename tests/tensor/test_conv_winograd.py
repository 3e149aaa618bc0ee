# SPDX-License-Identifier: MIT
"""Winograd's convolution against the definition, within a bound on its own rounding errors."""

from dataclasses import replace
from math import prod

import numpy as np
import oracles
import pytest
from oracles import UNIT, assert_close, normal

from clprobe.resources import kernels_path
from clprobe.tensor import Array, Device
from clprobe.tensor.ops.conv.choose import ALGORITHMS, Entry, load_entries
from clprobe.tensor.ops.conv.geometry import Direction, Geometry
from clprobe.tensor.ops.epilogue import NO_EPILOGUE, Epilogue

LADDER = load_entries(kernels_path() / "conv" / "variants.yaml")
ENTRIES = [entry for entry in LADDER if entry.algorithm == "winograd"]
WEIGHT_ENTRIES = [entry for entry in LADDER if entry.algorithm == "winograd_weights"]

# Lavin & Gray 2016, arXiv:1509.09308, equations 8 and 15: the inputs', filters' and outputs' maps.
MAPS = {
    2: (
        np.array([[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]]),
        np.array([[1, 0, 0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0, 0, 1]]),
        np.array([[1, 1, 1, 0], [0, 1, -1, -1]]),
    ),
    4: (
        np.array(
            [
                *([4, 0, -5, 0, 1, 0], [0, -4, -4, 1, 1, 0], [0, 4, -4, -1, 1, 0]),
                *([0, -2, -1, 2, 1, 0], [0, 2, -1, -2, 1, 0], [0, 4, 0, -5, 0, 1]),
            ]
        ),
        np.array(
            [
                *([1 / 4, 0, 0], [-1 / 6, -1 / 6, -1 / 6], [-1 / 6, 1 / 6, -1 / 6]),
                *([1 / 24, 1 / 12, 1 / 6], [1 / 24, -1 / 12, 1 / 6], [0, 0, 1]),
            ]
        ),
        np.array(
            [
                *([1, 1, 1, 1, 1, 0], [0, 1, -1, 2, -2, 0]),
                *([0, 1, 1, 4, 4, 0], [0, 1, -1, 8, -8, 1]),
            ]
        ),
    ),
}
# Roundings on the way of one term: at most 6 in each of the maps along two axes, and constants.
ROUNDINGS_OF_MAPS = 40
# Six rows of sixteen channels.
BYTES_OF_A_PIXEL = 6 * 16 * 4
# The bound for filters, as a multiple of that of the definition.
FACTOR_FOR_FILTERS = 8

# Images, filters, padding.
CASES = [
    ((1, 1, 3, 3), 1, (0, 0)),
    ((2, 3, 7, 9), 5, (1, 1)),
    ((1, 17, 6, 5), 7, (2, 0)),
    ((3, 2, 4, 4), 49, (1, 1)),
    ((1, 33, 14, 14), 13, (1, 1)),
    ((5, 2, 9, 30), 3, (1, 2)),
    ((2, 1, 40, 70), 2, (1, 1)),
    ((1, 1, 5, 127), 1, (0, 1)),
]
# Several vectors of channels, several blocks of tiles for each part, more padding than filters.
WEIGHT_CASES = [
    *CASES,
    ((2, 81, 7, 6), 33, (1, 1)),
    ((9, 3, 21, 30), 18, (1, 1)),
    ((1, 2, 1, 2), 3, (3, 4)),
]


def is_narrow_enough(entry: Entry, width: int) -> bool:
    return width <= entry.defines["OUT"] * 16 * entry.defines["VECTORS"]


def width_of_result(case: tuple) -> int:
    images, _, padding = case
    return images[3] + 2 * padding[1] - 2


# CPUs alone take this way, and each entry images up to a width.
forward = pytest.mark.made_where(
    lambda entry, case, limits: limits.is_cpu and is_narrow_enough(entry, width_of_result(case))
)
backward = pytest.mark.made_where(
    lambda entry, case, limits: limits.is_cpu and is_narrow_enough(entry, case[0][3])
)
for_filters = pytest.mark.made_where(
    lambda case, limits: (
        limits.is_cpu and width_of_result(case) + 5 <= limits.local_memory_bytes // BYTES_OF_A_PIXEL
    )
)


@forward
@pytest.mark.parametrize("epilogue", [False, True], ids=["plain", "epilogue"])
@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_winograd_computes_the_convolution(
    device: Device, generator: np.random.Generator, entry: Entry, case: tuple, epilogue: bool
) -> None:
    images, filters, padding = case
    x, weight = normal(generator, *images), normal(generator, filters, images[1], 3, 3)
    geometry = Geometry.of(x.shape, weight.shape, 1, padding)
    exact = oracles.conv2d(x, weight, 1, padding)
    bound = error_bound(x, weight, padding, entry.defines["OUT"])

    check(device, entry, (Direction.FORWARD, geometry), (x, weight), (exact, bound), epilogue)


@backward
@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_winograd_computes_the_gradient_for_the_images(
    device: Device, generator: np.random.Generator, entry: Entry, case: tuple
) -> None:
    images, filters, padding = case
    weight = normal(generator, filters, images[1], 3, 3)
    geometry = Geometry.of(images, weight.shape, 1, padding)
    dy = normal(generator, *geometry.output_shape)
    exact = oracles.conv2d_input_gradient(dy, weight, images, 1, padding)
    turned = weight.transpose(1, 0, 2, 3)[:, :, ::-1, ::-1]
    bound = error_bound(dy, turned, (2 - padding[0], 2 - padding[1]), entry.defines["OUT"])

    check(
        *(device, entry, (Direction.INPUT_GRADIENT, geometry), (dy, weight), (exact, bound)),
        epilogue=False,
    )


@pytest.mark.parametrize(("out", "factor"), [(2, 8), (4, 300)])
def test_the_bound_is_a_known_multiple_of_that_of_the_definition(
    generator: np.random.Generator, out: int, factor: float
) -> None:
    x, weight = normal(generator, 1, 64, 16, 16), normal(generator, 4, 64, 3, 3)
    magnitude = oracles.conv2d(np.abs(x), np.abs(weight), 1, 1)
    definition = oracles.rounding_bound(weight[0].size, magnitude)

    assert np.median(error_bound(x, weight, (1, 1), out) / definition) < factor


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
@pytest.mark.parametrize(
    "options",
    [{"stride": 2}, {"dilation": 2, "padding": 2}, {"groups": 2}, {"padding": 3}],
    ids=str,
)
def test_winograd_leaves_other_convolutions_alone(
    device: Device, entry: Entry, options: dict
) -> None:
    channels = 4 // options.get("groups", 1)
    geometry = Geometry.of((1, 4, 9, 9), (4, channels, 3, 3), **options)
    prepare = ALGORITHMS["winograd"]

    assert prepare(device, Direction.INPUT_GRADIENT, geometry, entry.defines) is None
    assert prepare(device, Direction.WEIGHT_GRADIENT, geometry, entry.defines) is None


@for_filters
@pytest.mark.parametrize("tiles", [1, 64])
@pytest.mark.parametrize("case", WEIGHT_CASES, ids=str)
@pytest.mark.parametrize("entry", WEIGHT_ENTRIES, ids=lambda entry: entry.name)
def test_winograd_computes_the_gradient_for_the_filters(
    device: Device, generator: np.random.Generator, entry: Entry, case: tuple, tiles: int
) -> None:
    images, filters, padding = case
    geometry = Geometry.of(images, (filters, images[1], 3, 3), 1, padding)
    x, dy = normal(generator, *images), normal(generator, *geometry.output_shape)
    exact = oracles.conv2d_weight_gradient(dy, x, geometry.weight_shape, 1, padding)
    bound = weight_error_bound(dy, x, padding)
    entry = replace(entry, defines={**entry.defines, "TILES": tiles})

    check(
        *(device, entry, (Direction.WEIGHT_GRADIENT, geometry), (dy, x), (exact, bound)),
        epilogue=False,
    )


@pytest.mark.parametrize("entry", WEIGHT_ENTRIES, ids=lambda entry: entry.name)
@pytest.mark.parametrize(
    "options",
    [{"stride": 2}, {"dilation": 2, "padding": 2}, {"groups": 2}, {"padding": (0, 200)}],
    ids=str,
)
def test_winograd_leaves_other_gradients_for_filters_alone(
    device: Device, entry: Entry, options: dict
) -> None:
    channels = 4 // options.get("groups", 1)
    geometry = Geometry.of((1, 4, 9, 9), (4, channels, 3, 3), **options)
    usual = Geometry.of((1, 4, 9, 9), (4, 4, 3, 3))
    prepare = ALGORITHMS["winograd_weights"]

    assert prepare(device, Direction.WEIGHT_GRADIENT, geometry, entry.defines) is None
    assert prepare(device, Direction.FORWARD, usual, entry.defines) is None


def test_the_bound_for_filters_is_a_known_multiple_of_that_of_the_definition(
    generator: np.random.Generator,
) -> None:
    x, dy = normal(generator, 4, 3, 28, 28), normal(generator, 4, 5, 28, 28)
    options = {"weight_shape": (5, 3, 3, 3), "stride": 1, "padding": 1}
    magnitude = oracles.conv2d_weight_gradient(np.abs(dy), np.abs(x), **options)
    definition = oracles.rounding_bound(4 * 28 * 28, magnitude)

    assert np.median(weight_error_bound(dy, x, (1, 1)) / definition) < FACTOR_FOR_FILTERS


def error_bound(x: np.ndarray, weight: np.ndarray, padding: tuple, out: int) -> np.ndarray:
    """Return how far each result may be off: all terms with their absolute values, times roundings.

    The maps are sums of products with constants, so Higham's bound for a sum holds for all of them
    together, with every matrix replaced by its absolute values.
    """
    _, filters, outputs = (np.abs(matrix) for matrix in MAPS[out])
    height, width = (size + 2 * pad - 2 for size, pad in zip(x.shape[2:], padding, strict=True))
    points = window_magnitudes(x, padding, out)
    tiles = points.shape[2:4]
    kernels = np.einsum("ai,fcij,bj->fcab", filters, np.abs(weight.astype(np.float64)), filters)
    sums = np.einsum("nchwab,fcab->nfhwab", points, kernels)
    terms = np.einsum("ia,nfhwab,jb->nfhiwj", outputs, sums, outputs)
    whole = terms.reshape(*terms.shape[:2], tiles[0] * out, tiles[1] * out)
    g = (x.shape[1] + ROUNDINGS_OF_MAPS) * UNIT
    return whole[:, :, :height, :width] * (g / (1 - g)) + oracles.TINY


def weight_error_bound(dy: np.ndarray, x: np.ndarray, padding: tuple) -> np.ndarray:
    """Return how far each gradient of a filter may be off, as error_bound does for results.

    The maps are those of F(4x4, 3x3) transposed, and terms are added up over the tiles.
    """
    _, filters, outputs = (np.abs(matrix) for matrix in MAPS[4])
    points = window_magnitudes(x, padding, 4)
    tiles = points.shape[2:4]
    edges = [(0, 4 * count - size) for count, size in zip(tiles, dy.shape[2:], strict=True)]
    padded = np.pad(np.abs(dy.astype(np.float64)), ((0, 0), (0, 0), *edges))
    parts = padded.reshape(*dy.shape[:2], tiles[0], 4, tiles[1], 4)
    gradients = np.einsum("ia,nfhiwj,jb->nfhwab", outputs, parts, outputs)
    sums = np.einsum("nfhwab,nchwab->fcab", gradients, points, optimize=True)
    terms = np.einsum("ai,fcab,bj->fcij", filters, sums, filters)
    g = (x.shape[0] * prod(tiles) + ROUNDINGS_OF_MAPS) * UNIT
    return terms * (g / (1 - g)) + oracles.TINY


def window_magnitudes(x: np.ndarray, padding: tuple, out: int) -> np.ndarray:
    """Return the windows' absolute values, taken to the points by the maps' absolute values."""
    inputs = np.abs(MAPS[out][0])
    sizes = [size + 2 * pad - 2 for size, pad in zip(x.shape[2:], padding, strict=True)]
    edges = [
        (pad, -(-size // out) * out - size + pad) for pad, size in zip(padding, sizes, strict=True)
    ]
    padded = np.pad(np.abs(x.astype(np.float64)), ((0, 0), (0, 0), *edges))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (out + 2, out + 2), axis=(2, 3))
    return np.einsum("ai,nchwij,bj->nchwab", inputs, windows[:, :, ::out, ::out], inputs)


def check(  # noqa: PLR0917 - what is run, on what, and what it should give
    device: Device,
    entry: Entry,
    what: tuple[Direction, Geometry],
    operands: tuple[np.ndarray, np.ndarray],
    expected: tuple[np.ndarray, np.ndarray],
    epilogue: bool,
) -> None:
    exact, bound = expected
    plan = ALGORITHMS[entry.algorithm](device, *what, entry.defines)
    assert plan is not None
    after = NO_EPILOGUE
    if epilogue:
        bias = np.arange(exact.shape[1], dtype=np.float32)
        residual = np.linspace(-9, 9, prod(exact.shape), dtype=np.float32).reshape(exact.shape)
        on_device = (Array.from_numpy(values, device) for values in (bias, residual))
        after = Epilogue(**dict(zip(("bias", "residual"), on_device, strict=True)))
        exact = exact + bias.reshape(-1, 1, 1) + residual
        bound = bound + 4 * UNIT * (np.abs(exact) + np.abs(residual))

    found = plan(*(Array.from_numpy(array, device) for array in operands), after).numpy()

    assert_close(found, exact, bound)
