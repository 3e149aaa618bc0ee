# SPDX-License-Identifier: MIT
"""Convolution and max-pooling against NumPy."""

import numpy as np
import oracles
import pytest
from gradcheck import check_gradients
from oracles import apart, assert_close, normal, rounding_bound

from clprobe.tensor import Device, ShapeError, Tensor, conv2d, conv_transpose2d, max_pool2d, nn

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


# Images, filters, kernel; options.
OPTIONS = [
    ((2, 4, 7, 6), 6, (3, 2), {"groups": 2, "padding": (1, 0)}),
    ((2, 3, 6, 5), 6, (3, 3), {"groups": 3, "padding": 1, "stride": (1, 2)}),
    ((1, 2, 9, 11), 3, (3, 3), {"dilation": (2, 3), "padding": (2, 1)}),
]


@pytest.mark.parametrize("convolution", OPTIONS, ids=str)
def test_groups_and_dilation_match_numpy_and_their_gradients_finite_differences(
    device: Device, generator: np.random.Generator, convolution: tuple
) -> None:
    images, filters, kernel, options = convolution
    x = normal(generator, *images)
    weight = normal(generator, filters, images[1] // options.get("groups", 1), *kernel)

    def convolve(*tensors: Tensor) -> Tensor:
        return conv2d(*tensors, **options)

    found = convolve(*(Tensor.from_numpy(value, device) for value in (x, weight))).numpy()

    magnitude = oracles.conv2d(np.abs(x), np.abs(weight), **options)
    bound = rounding_bound(weight[0].size, magnitude)
    assert_close(found, oracles.conv2d(x, weight, **options), bound)
    assert check_gradients(convolve, [x, weight], device, generator) == []


# Images, filters, kernel; options; height and width of the result.
TRANSPOSED = [
    ((2, 3, 4, 5), 2, (3, 3), {"stride": 2, "padding": 1, "output_padding": 1}, (8, 10)),
    ((1, 4, 3, 3), 6, (2, 3), {"groups": 2}, (4, 5)),
    ((1, 2, 5, 4), 3, (2, 2), {"stride": (3, 2), "dilation": (1, 2)}, (14, 9)),
]


@pytest.mark.parametrize("convolution", TRANSPOSED, ids=str)
def test_a_transposed_convolution_is_the_gradient_of_one(
    device: Device, generator: np.random.Generator, convolution: tuple
) -> None:
    images, filters, kernel, options, size = convolution
    x, bias = normal(generator, *images), normal(generator, filters)
    weight = normal(generator, images[1], filters // options.get("groups", 1), *kernel)

    def convolve(*tensors: Tensor) -> Tensor:
        return conv_transpose2d(*tensors, **options)

    found = convolve(*(Tensor.from_numpy(value, device) for value in (x, weight, bias))).numpy()

    rest = {name: value for name, value in options.items() if name != "output_padding"}
    shape = (images[0], filters, *size)
    shaped = bias.reshape(-1, 1, 1)
    exact = oracles.conv2d_input_gradient(x, weight, shape, **rest) + shaped
    absolute = (np.abs(value) for value in (x, weight))
    magnitude = oracles.conv2d_input_gradient(*absolute, shape, **rest) + np.abs(shaped)
    assert_close(found, exact, rounding_bound(weight[:, 0].size + 1, magnitude))
    assert check_gradients(convolve, [x, weight, bias], device, generator) == []


def test_an_output_padding_as_large_as_the_stride_is_refused(device: Device) -> None:
    x = Tensor.from_numpy(np.ones((1, 1, 2, 2), np.float32), device)

    with pytest.raises(ShapeError, match="Output padding 2"):
        conv_transpose2d(x, x, stride=2, output_padding=2)


def test_filters_that_do_not_split_into_groups_are_refused(device: Device) -> None:
    x = Tensor.from_numpy(np.ones((1, 4, 2, 2), np.float32), device)
    weight = Tensor.from_numpy(np.ones((3, 2, 1, 1), np.float32), device)

    with pytest.raises(ShapeError, match="3 filters do not split into 2 groups"):
        conv2d(x, weight, groups=2)


def test_layers_have_torchs_shapes(device: Device, generator: np.random.Generator) -> None:
    given = {"device": device, "generator": generator}
    x = Tensor.from_numpy(normal(generator, 2, 4, 9, 7), device)

    down = nn.Conv2d(4, 6, (3, 2), stride=2, padding=1, dilation=(1, 2), groups=2, **given)
    up = nn.ConvTranspose2d(6, 4, 3, stride=2, padding=1, output_padding=(0, 1), groups=2, **given)

    assert down.weight.shape == (6, 2, 3, 2)
    assert up.weight.shape == (6, 2, 3, 3)
    assert down(x).shape == (2, 6, 5, 4)
    assert up(down(x)).shape == (2, 4, 9, 8)


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
