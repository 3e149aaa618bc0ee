# SPDX-License-Identifier: MIT
"""Sums and means over any axes, against NumPy."""

import numpy as np
import pytest
from gradcheck import check_gradients
from oracles import assert_close, normal, rounding_bound

from clprobe.tensor import Device, ShapeError, Tensor

CASES = [
    ((), None),
    ((1,), None),
    ((31,), 0),
    ((32,), None),
    ((33,), -1),
    ((100_003,), None),
    ((33, 31), 0),
    ((33, 31), 1),
    ((2000, 3), 0),
    ((3, 130), 0),
    ((2, 9000), 1),
    ((4, 5, 6), (0, 2)),
    ((4, 5, 6), 1),
    ((3, 4, 2, 5), (0, 2, 3)),
]
EMPTY = [((0,), None), ((0, 3), 0), ((0, 3), 1), ((3, 0), 1), ((3, 0), 0)]


@pytest.mark.parametrize(("shape", "axes"), CASES + EMPTY, ids=str)
def test_sums_match_numpy(
    device: Device, generator: np.random.Generator, shape: tuple, axes: int | tuple | None
) -> None:
    x = normal(generator, *shape)

    found = Tensor.from_numpy(x, device).sum(axes).numpy()

    exact = np.asarray(x.astype(np.float64).sum(axes))
    assert_close(found, exact, rounding_bound(x.size, np.asarray(np.abs(x).sum(axes))))


@pytest.mark.parametrize(("shape", "axes"), CASES, ids=str)
def test_means_match_numpy(
    device: Device, generator: np.random.Generator, shape: tuple, axes: int | tuple | None
) -> None:
    x = normal(generator, *shape)

    found = Tensor.from_numpy(x, device).mean(axes).numpy()

    exact = np.asarray(x.astype(np.float64).mean(axes))
    assert_close(found, exact, rounding_bound(x.size + 2, np.asarray(np.abs(x).mean(axes))))


def test_the_mean_of_nothing_is_nan(device: Device) -> None:
    assert np.isnan(Tensor.from_numpy(np.ones((0,), np.float32), device).mean().numpy())


@pytest.mark.parametrize("name", ["sum", "mean"])
@pytest.mark.parametrize("axes", [None, 0, 1, (0, 2)], ids=str)
def test_gradients_are_spread_over_the_axes(
    device: Device, generator: np.random.Generator, name: str, axes: int | tuple | None
) -> None:
    x = normal(generator, 3, 4, 5)

    assert check_gradients(lambda t: getattr(t, name)(axes), [x], device, generator) == []


def test_an_axis_that_is_not_there_is_named(device: Device) -> None:
    with pytest.raises(ShapeError, match="Axes 2"):
        Tensor.from_numpy(np.ones((2, 2), np.float32), device).sum(2)
