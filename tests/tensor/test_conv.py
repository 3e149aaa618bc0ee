# SPDX-License-Identifier: MIT
"""Convolution and max-pooling against NumPy."""

import numpy as np
import oracles
import pytest
from oracles import apart, assert_close, normal, rounding_bound

from clprobe.tensor import Device, ShapeError, Tensor, conv2d, max_pool2d
from clprobe.tensor.gradcheck import check_gradients

# Images, channels, height, width; filters, size; stride, padding.
CONVOLUTIONS = [
    ((1, 1, 1, 1), (1, 1), 1, 0),
    ((2, 3, 7, 5), (4, 3), 1, 1),
    ((2, 3, 8, 9), (5, 3), 2, 1),
    ((1, 2, 9, 8), (3, 2), 3, 0),
    ((3, 1, 5, 5), (2, 5), 1, 2),
    ((1, 2, 4, 4), (3, 1), 2, 0),
    ((1, 33, 6, 7), (31, 3), 1, 1),
    ((2, 1, 3, 3), (1, 1), 1, 2),
    ((1, 1, 3, 70), (2, 3), 1, 1),
    ((1, 1, 2, 133), (1, 2), 2, 1),
]


@pytest.mark.parametrize("convolution", CONVOLUTIONS, ids=str)
def test_convolution_matches_numpy_and_its_gradients_finite_differences(
    device: Device, generator: np.random.Generator, convolution: tuple
) -> None:
    images, filters, stride, padding = convolution
    x = normal(generator, *images)
    weight = normal(generator, filters[0], images[1], filters[1], filters[1])
    bias = normal(generator, filters[0])

    def convolve(*tensors: Tensor) -> Tensor:
        return conv2d(*tensors, stride=stride, padding=padding)

    found = convolve(*(Tensor.from_numpy(value, device) for value in (x, weight, bias))).numpy()

    shaped = bias.reshape(-1, 1, 1)
    exact = oracles.conv2d(x, weight, stride, padding) + shaped
    magnitude = oracles.conv2d(np.abs(x), np.abs(weight), stride, padding) + np.abs(shaped)
    assert_close(found, exact, rounding_bound(weight[0].size + 1, magnitude))
    assert check_gradients(convolve, [x, weight, bias], device, generator) == []


def test_no_images_give_no_images_and_a_zero_gradient(device: Device) -> None:
    x = Tensor.from_numpy(np.ones((0, 2, 4, 4), np.float32), device, requires_grad=True)
    weight = Tensor.from_numpy(np.ones((3, 2, 3, 3), np.float32), device, requires_grad=True)

    y = max_pool2d(conv2d(x, weight), 2)
    y.sum().backward()

    assert y.shape == (0, 3, 1, 1)
    assert weight.grad is not None
    assert not weight.grad.numpy().any()


def test_filters_larger_than_the_image_are_refused(device: Device) -> None:
    x = Tensor.from_numpy(np.ones((1, 1, 2, 2), np.float32), device)
    weight = Tensor.from_numpy(np.ones((1, 1, 3, 3), np.float32), device)

    with pytest.raises(ShapeError, match=r"padded by \(0, 0\)"):
        conv2d(x, weight)


@pytest.mark.parametrize(
    ("shape", "size", "stride"),
    [
        ((1, 1, 1, 1), 1, 1),
        ((2, 3, 4, 6), 2, 2),
        ((2, 3, 5, 7), 2, 2),
        ((1, 2, 7, 8), 3, 2),
        ((1, 1, 9, 9), 2, 3),
        ((1, 2, 33, 31), 3, 1),
    ],
    ids=str,
)
def test_max_pooling_matches_numpy_and_its_gradient_finite_differences(
    device: Device, generator: np.random.Generator, shape: tuple, size: int, stride: int
) -> None:
    x = apart(generator, *shape)

    found = max_pool2d(Tensor.from_numpy(x, device), size, stride).numpy()

    assert_close(found, oracles.max_pool2d(x, size, stride), 0)
    # In a large image every finite difference moves hundreds of terms, and float32 runs out.
    if x.size < 1000:
        assert check_gradients(lambda t: max_pool2d(t, size, stride), [x], device, generator) == []


def test_equal_maxima_give_the_gradient_to_the_first(device: Device) -> None:
    x = Tensor.from_numpy(np.zeros((1, 1, 2, 2), np.float32), device, requires_grad=True)

    max_pool2d(x, 2).sum().backward()

    assert x.grad is not None
    assert x.grad.numpy().ravel().tolist() == [1, 0, 0, 0]


def test_max_pooling_lets_nan_through(device: Device) -> None:
    x = np.array([[[[1, np.nan], [2, 3]]]], np.float32)

    assert np.isnan(max_pool2d(Tensor.from_numpy(x, device), 2).numpy()).all()


def test_windows_larger_than_the_image_are_refused(device: Device) -> None:
    with pytest.raises(ShapeError, match=r"Windows of \(3, 3\)"):
        max_pool2d(Tensor.from_numpy(np.ones((1, 1, 2, 5), np.float32), device), 3)
