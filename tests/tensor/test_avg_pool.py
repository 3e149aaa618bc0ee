# SPDX-License-Identifier: MIT
"""Average-pooling against NumPy, and against torch where it is installed."""

import numpy as np
import pytest
from gradcheck import check_gradients
from oracles import assert_close, normal, rounding_bound

from clprobe.tensor import Device, ShapeError, Tensor, nn
from clprobe.tensor.functions import avg_pool2d, global_avg_pool2d

# Shape, size, stride, padding.
CASES = [
    ((1, 1, 1, 1), 1, 1, 0),
    ((2, 3, 4, 6), 2, 2, 0),
    ((2, 3, 5, 7), 2, 2, 1),
    ((1, 2, 7, 8), (3, 2), (2, 1), (1, 0)),
    ((2, 1, 33, 31), (5, 4), (1, 3), (2, 2)),
    ((2, 2, 9, 9), 2, 3, 1),
    ((1, 3, 3, 70), 3, 1, 1),
    ((1, 1, 2, 2), 4, 1, 2),
]


def pair(value: int | tuple[int, int]) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else value


def averages(
    x: np.ndarray, size: tuple, stride: tuple, padding: tuple, count_padding: bool
) -> np.ndarray:
    """Return the averages in double precision, window by window."""
    edges = ((0, 0), (0, 0), *((pad, pad) for pad in padding))

    def sums(values: np.ndarray) -> np.ndarray:
        padded = np.pad(values.astype(np.float64), edges)
        windows = np.lib.stride_tricks.sliding_window_view(padded, size, axis=(2, 3))
        return windows[:, :, :: stride[0], :: stride[1]].sum((4, 5))

    return sums(x) / (size[0] * size[1] if count_padding else sums(np.ones(x.shape)))


@pytest.mark.parametrize("count_padding", [True, False], ids=["counting padding", "not"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_averages_match_numpy_and_their_gradients_finite_differences(
    device: Device, generator: np.random.Generator, case: tuple, count_padding: bool
) -> None:
    shape, *window = case
    x = normal(generator, *shape)

    def pooled(tensor: Tensor) -> Tensor:
        return avg_pool2d(tensor, *window, count_padding=count_padding)

    size, stride, padding = (pair(value) for value in window)
    exact = averages(x, size, stride, padding, count_padding)
    magnitude = averages(np.abs(x), size, stride, padding, count_padding)
    bound = rounding_bound(size[0] * size[1] + 4, magnitude)
    assert_close(pooled(Tensor.from_numpy(x, device)).numpy(), exact, bound)
    if x.size < 1000:
        assert check_gradients(pooled, [x], device, generator) == []


@pytest.mark.parametrize("count_padding", [True, False], ids=["counting padding", "not"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_averages_and_gradients_match_torch(
    device: Device, generator: np.random.Generator, case: tuple, count_padding: bool
) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    shape, *window = case
    x = normal(generator, *shape)
    tensor = Tensor.from_numpy(x, device, requires_grad=True)
    twin = torch.tensor(x.astype(np.float64), requires_grad=True)

    own = avg_pool2d(tensor, *window, count_padding=count_padding)
    other = torch.nn.functional.avg_pool2d(twin, *window, count_include_pad=count_padding)
    dy = normal(generator, *own.shape)
    (own * Tensor.from_numpy(dy, device)).sum().backward()
    other.backward(torch.from_numpy(dy.astype(np.float64)))

    assert own.shape == tuple(other.shape)
    assert tensor.grad is not None
    np.testing.assert_allclose(own.numpy(), other.detach().numpy(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(tensor.grad.numpy(), twin.grad.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [(2, 3, 1, 1), (2, 33, 7, 7), (3, 1, 31, 65)], ids=str)
def test_a_global_average_is_the_mean_of_each_channel(
    device: Device, generator: np.random.Generator, shape: tuple
) -> None:
    x = normal(generator, *shape)

    found = nn.GlobalAvgPool2d()(Tensor.from_numpy(x, device)).numpy()

    exact = x.mean((2, 3), dtype=np.float64, keepdims=True)
    bound = rounding_bound(shape[2] * shape[3] + 2, np.abs(x).mean((2, 3), keepdims=True))
    assert_close(found, exact, bound)
    if x.size < 1000:
        assert check_gradients(global_avg_pool2d, [x], device, generator) == []


def test_no_images_give_no_averages(device: Device) -> None:
    x = Tensor.from_numpy(np.ones((0, 2, 4, 4), np.float32), device, requires_grad=True)

    y = avg_pool2d(x, 2)
    y.sum().backward()

    assert y.shape == (0, 2, 2, 2)
    assert x.grad is not None
    assert x.grad.shape == x.shape


@pytest.mark.parametrize(
    ("size", "stride", "padding"), [(3, 1, 0), (2, 0, 0), (2, 1, 2), (0, 1, 0), (2, 1, -1)]
)
def test_windows_that_do_not_fit_are_refused(
    device: Device, size: int, stride: int, padding: int
) -> None:
    x = Tensor.from_numpy(np.ones((1, 1, 2, 5), np.float32), device)

    with pytest.raises(ShapeError, match="do not fit"):
        avg_pool2d(x, size, stride, padding)
    with pytest.raises(ShapeError, match="images with channels"):
        avg_pool2d(x.reshape(2, 5), 2)
