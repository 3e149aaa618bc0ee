# SPDX-License-Identifier: MIT
"""Winograd's convolution against the definition, within a bound on its own rounding errors."""

from math import prod

import numpy as np
import oracles
import pytest
from oracles import UNIT, assert_close, normal

from clprobe.resources import kernels_path
from clprobe.tensor import Array, Device
from clprobe.tensor.ops.conv.choose import ALGORITHMS, Entry, load_entries
from clprobe.tensor.ops.conv.geometry import Geometry
from clprobe.tensor.ops.conv.plan import Direction
from clprobe.tensor.ops.epilogue import NO_EPILOGUE, Epilogue

LADDER = load_entries(kernels_path() / "conv" / "variants.yaml")
ENTRIES = [entry for entry in LADDER if entry.algorithm == "winograd"]

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


def error_bound(x: np.ndarray, weight: np.ndarray, padding: tuple, out: int) -> np.ndarray:
    """Return how far each result may be off: all terms with their absolute values, times roundings.

    The maps are sums of products with constants, so Higham's bound for a sum holds for all of them
    together, with every matrix replaced by its absolute values.
    """
    inputs, filters, outputs = (np.abs(matrix) for matrix in MAPS[out])
    height, width = (size + 2 * pad - 2 for size, pad in zip(x.shape[2:], padding, strict=True))
    tiles = -(-height // out), -(-width // out)
    edges = [
        (pad, count * out + 2 - size - pad)
        for pad, count, size in zip(padding, tiles, x.shape[2:], strict=True)
    ]
    padded = np.pad(np.abs(x.astype(np.float64)), ((0, 0), (0, 0), *edges))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (out + 2, out + 2), axis=(2, 3))
    windows = windows[:, :, ::out, ::out]
    points = np.einsum("ai,nchwij,bj->nchwab", inputs, windows, inputs)
    kernels = np.einsum("ai,fcij,bj->fcab", filters, np.abs(weight.astype(np.float64)), filters)
    sums = np.einsum("nchwab,fcab->nfhwab", points, kernels)
    terms = np.einsum("ia,nfhwab,jb->nfhiwj", outputs, sums, outputs)
    whole = terms.reshape(*terms.shape[:2], tiles[0] * out, tiles[1] * out)
    g = (x.shape[1] + ROUNDINGS_OF_MAPS) * UNIT
    return whole[:, :, :height, :width] * (g / (1 - g)) + oracles.TINY


def check(  # noqa: PLR0917 - what is run, on what, and what it should give
    device: Device,
    entry: Entry,
    what: tuple[Direction, Geometry],
    operands: tuple[np.ndarray, np.ndarray],
    expected: tuple[np.ndarray, np.ndarray],
    epilogue: bool,
) -> None:
    if not device.limits.is_cpu:
        pytest.skip(f"{entry.name} is for CPUs")
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
