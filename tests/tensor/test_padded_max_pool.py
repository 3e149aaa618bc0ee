# SPDX-License-Identifier: MIT
"""Max-pooling of images with a border of -infinity."""

import numpy as np
import pytest
from gradcheck import check_gradients
from oracles import apart, assert_close
from oracles import max_pool2d as exact_max_pool2d

from clprobe.tensor import Device, ShapeError, Tensor, max_pool2d

# Shape, size, stride, padding.
CASES = [
    ((1, 1, 1, 1), 2, 1, 1),
    ((2, 3, 5, 7), 2, 2, 1),
    ((1, 2, 7, 8), 3, 2, 1),
    ((2, 1, 9, 5), 4, 3, 2),
    ((1, 3, 33, 31), 3, 1, 1),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_maxima_match_numpy_and_their_gradients_finite_differences(
    device: Device, generator: np.random.Generator, case: tuple
) -> None:
    shape, size, stride, padding = case
    # All below zero, so that a border of zeros would win.
    x = apart(generator, *shape) - 1000

    found = max_pool2d(Tensor.from_numpy(x, device), size, stride, padding).numpy()

    edges = ((0, 0), (0, 0), (padding, padding), (padding, padding))
    padded = np.pad(x, edges, constant_values=-np.inf)
    assert_close(found, exact_max_pool2d(padded, size, stride), 0)
    if x.size < 1000:
        near_zero = apart(generator, *shape)
        wrong = check_gradients(
            lambda t: max_pool2d(t, size, stride, padding), [near_zero], device, generator
        )
        assert wrong == []


def test_values_of_minus_infinity_give_their_gradient_to_a_pixel_of_the_image(
    device: Device,
) -> None:
    values = np.full((1, 1, 2, 2), -np.inf, np.float32)
    x = Tensor.from_numpy(values, device, requires_grad=True)

    max_pool2d(x, 3, 1, 1).sum().backward()

    assert x.grad is not None
    assert x.grad.numpy().sum() == 4


def test_nan_wins_in_every_window_that_holds_it(device: Device) -> None:
    x = np.arange(9, dtype=np.float32).reshape(1, 1, 3, 3)
    x[0, 0, 0, 0] = np.nan

    found = max_pool2d(Tensor.from_numpy(x, device), 2, 1, 1).numpy()

    assert np.isnan(found[0, 0]).tolist() == [
        [True, True, False, False],
        [True, True, False, False],
        [False] * 4,
        [False] * 4,
    ]


def test_a_padding_of_more_than_half_a_window_is_refused(device: Device) -> None:
    with pytest.raises(ShapeError, match="at most half a window"):
        max_pool2d(Tensor.from_numpy(np.ones((1, 1, 4, 4), np.float32), device), 3, 1, 2)
