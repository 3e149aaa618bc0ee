# SPDX-License-Identifier: MIT
"""Softmax and its logarithm against NumPy in double precision."""

from collections.abc import Callable

import numpy as np
import pytest
from gradcheck import check_gradients
from oracles import UNIT, assert_close, normal

from clprobe.tensor import Device, ShapeError, Tensor, nn
from clprobe.tensor.functions import log_softmax, softmax

SHAPES = [(1,), (3, 1), (4, 10), (31, 33), (2, 3, 32), (5, 1000), (2, 16)]
FUNCTIONS = pytest.mark.parametrize("function", [softmax, log_softmax])
# exp and log may be off by 3 units in the last place, division by 2.5 (OpenCL 1.2, table 7.4's
# full profile), each of which is two UNITs.
_OPERATIONS = 6 + 6 + 5


def exact_of(function: Callable, x: np.ndarray) -> np.ndarray:
    shifted = x.astype(np.float64) - x.max(-1, keepdims=True)
    logarithm = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    return np.exp(logarithm) if function is softmax else logarithm


def bound_of(function: Callable, x: np.ndarray) -> np.ndarray:
    """Return the bound: rounding x - max moves exp by as much, relatively, as its size says."""
    shifted = np.abs(x.astype(np.float64) - x.max(-1, keepdims=True))
    relative = (x.shape[-1] + _OPERATIONS + 2 * shifted.max(-1, keepdims=True)) * UNIT
    exact = exact_of(function, x)
    if function is softmax:
        return relative * exact + 2.0**-126
    return relative + 4 * UNIT * (np.abs(exact) + shifted)


@FUNCTIONS
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_values_match_numpy(
    device: Device, generator: np.random.Generator, function: Callable, shape: tuple
) -> None:
    x = 3 * normal(generator, *shape)

    found = function(Tensor.from_numpy(x, device)).numpy()

    assert_close(found, exact_of(function, x), bound_of(function, x))


@FUNCTIONS
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_gradients_match_the_formula(
    device: Device, generator: np.random.Generator, function: Callable, shape: tuple
) -> None:
    x, dy = 3 * normal(generator, *shape), normal(generator, *shape)
    tensor = Tensor.from_numpy(x, device, requires_grad=True)

    (function(tensor) * Tensor.from_numpy(dy, device)).sum().backward()

    exact = exact_of(function, x)
    y = exact_of(softmax, x)
    if function is softmax:
        dx = y * (dy - (dy * y).sum(-1, keepdims=True))
        magnitude = y * (np.abs(dy) + np.abs(dy * y).sum(-1, keepdims=True))
    else:
        dx = dy - y * dy.sum(-1, keepdims=True, dtype=np.float64)
        magnitude = np.abs(dy) + y * np.abs(dy).sum(-1, keepdims=True)
    # What y is off by, relatively, and the sum over the row.
    spread = np.abs(x.astype(np.float64) - x.max(-1, keepdims=True)).max() + np.abs(exact).max()
    bound = (2 * shape[-1] + 3 * _OPERATIONS + 6 * spread) * UNIT * magnitude + 2.0**-126
    assert tensor.grad is not None
    assert_close(tensor.grad.numpy(), dx, bound)


@FUNCTIONS
def test_gradients_match_finite_differences(
    device: Device, generator: np.random.Generator, function: Callable
) -> None:
    assert check_gradients(function, [normal(generator, 5, 7)], device, generator) == []


def test_large_values_neither_overflow_nor_vanish(device: Device) -> None:
    x = Tensor.from_numpy(np.array([[1e4, -1e4, 1e4], [-1e30, -1e30, -1e30]], np.float32), device)

    np.testing.assert_allclose(softmax(x).numpy(), [[0.5, 0, 0.5], [1 / 3] * 3], rtol=1e-6)
    logarithms = log_softmax(x).numpy()
    half = -np.log(2)
    np.testing.assert_allclose(logarithms[0], [half, half - 2e4, half], rtol=1e-6)


def test_nan_stays_in_its_row(device: Device) -> None:
    x = Tensor.from_numpy(np.array([[1, np.nan, 2], [1, 2, 3]], np.float32), device)

    found = nn.Softmax()(x).numpy()

    assert np.isnan(found[0]).all()
    assert not np.isnan(found[1]).any()


@FUNCTIONS
@pytest.mark.parametrize("shape", [(0, 3), (3, 0)], ids=str)
def test_nothing_gives_nothing(device: Device, function: Callable, shape: tuple) -> None:
    assert function(Tensor.from_numpy(np.ones(shape, np.float32), device)).shape == shape


@FUNCTIONS
def test_a_single_number_has_no_axis(device: Device, function: Callable) -> None:
    with pytest.raises(ShapeError, match="no axis"):
        function(Tensor.from_numpy(np.ones((), np.float32), device))
