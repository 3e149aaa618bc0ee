# SPDX-License-Identifier: MIT
"""Bias, relu and pooling inside the launches around them, and the optimisers, against torch."""

from collections.abc import Callable

import numpy as np
import pytest
from gradcheck import check_gradients
from oracles import assert_close, normal, rounding_bound

from clprobe.tensor import Array, Device, Tensor, conv2d, linear, max_pool2d, nn, optim
from clprobe.tensor.ops.mask_and_sum import mask_and_sum, sum_channels


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("rows", "inputs", "outputs"), [(5, 7, 3), (33, 4, 65), (1, 1, 1)])
def test_linear_with_relu_is_linear_then_relu(  # noqa: PLR0917
    device: Device,
    generator: np.random.Generator,
    bias: bool,
    rows: int,
    inputs: int,
    outputs: int,
) -> None:
    shapes = [(rows, inputs), (outputs, inputs), *([(outputs,)] if bias else [])]
    values = [normal(generator, *shape) for shape in shapes]

    def run(fused: bool) -> list[np.ndarray]:
        tensors = [Tensor.from_numpy(value, device, True) for value in values]
        y = linear(*tensors, relu=True) if fused else linear(*tensors).relu()
        (y * y).sum().backward()
        return [y.numpy(), *(tensor.grad.numpy() for tensor in tensors if tensor.grad is not None)]

    for found, expected in zip(run(True), run(False), strict=True):
        size = 4 * rows * inputs * (1 + np.abs(expected).max())
        assert_close(found, expected.astype(np.float64), rounding_bound(inputs + rows, size))


def test_gradients_of_a_convolution_with_bias_and_relu(
    device: Device, generator: np.random.Generator
) -> None:
    # Positive throughout, for finite differences do not cross the kink.
    values = [generator.uniform(0.5, 1, shape) for shape in ((2, 2, 5, 4), (3, 2, 3, 3), (3,))]

    def layer(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return conv2d(x, weight, bias, padding=1, relu=True)

    arguments = [value.astype(np.float32) for value in values]
    assert check_gradients(layer, arguments, device, generator) == []


@pytest.mark.parametrize(
    "shape",
    [(3, 5, 784), (1, 1, 1), (9, 3, 7, 5), (600, 70), (5, 33), (2, 300), (0, 4, 3), (7, 2, 16)],
    ids=str,
)
def test_the_gradient_before_relu_and_its_sums_match_numpy(
    device: Device, generator: np.random.Generator, shape: tuple
) -> None:
    dy, y = normal(generator, *shape), normal(generator, *shape)
    expected = np.where(y > 0, dy, 0)
    axes = (0, *range(2, len(shape)))

    dz, sums = mask_and_sum(Array.from_numpy(dy, device), Array.from_numpy(y, device))
    plain = sum_channels(Array.from_numpy(dy, device))

    assert (dz.numpy() == expected).all()
    terms = dy.size // shape[1]
    magnitude = np.abs(dy).sum(axes)
    assert_close(
        sums.numpy(), expected.sum(axes, dtype=np.float64), rounding_bound(terms, magnitude)
    )
    assert_close(plain.numpy(), dy.sum(axes, dtype=np.float64), rounding_bound(terms, magnitude))


@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize(
    "shape",
    [(2, 3, 4, 6), (3, 2, 7, 9), (1, 1, 2, 2), (5, 4, 28, 28), (2, 2, 40, 70), (1, 3, 34, 32)],
    ids=str,
)
def test_pooling_in_squares_and_its_gradient_match_numpy(
    device: Device, generator: np.random.Generator, shape: tuple, relu: bool
) -> None:
    # Few different values, so that maxima are tied and the first one has to be found.
    x = generator.integers(-2, 3, shape).astype(np.float32)
    rows, columns = shape[2] // 2, shape[3] // 2
    squares = x[:, :, : 2 * rows, : 2 * columns].reshape(*shape[:2], rows, 2, columns, 2)
    squares = squares.transpose(0, 1, 2, 4, 3, 5).reshape(*shape[:2], rows, columns, 4)
    largest = np.maximum(squares.max(-1), 0) if relu else squares.max(-1)
    dy = normal(generator, *largest.shape)
    passed = dy * (largest > 0) if relu else dy
    gradient = np.zeros(squares.shape, np.float32)
    np.put_along_axis(gradient, squares.argmax(-1)[..., None], passed[..., None], -1)
    gradient = gradient.reshape(*shape[:2], rows, columns, 2, 2).transpose(0, 1, 2, 4, 3, 5)
    expected = np.zeros(shape, np.float32)
    expected[:, :, : 2 * rows, : 2 * columns] = gradient.reshape(*shape[:2], 2 * rows, 2 * columns)

    tensor = Tensor.from_numpy(x, device, requires_grad=True)
    y = max_pool2d(tensor, 2, relu=relu)
    (y * Tensor.from_numpy(dy, device)).sum().backward()

    assert (y.numpy() == largest).all()
    assert tensor.grad is not None
    assert (tensor.grad.numpy() == expected).all()


def test_a_network_launches_bias_relu_and_pooling_with_its_layers(device: Device) -> None:
    given = {"device": device, "generator": np.random.default_rng(2)}
    net = nn.Sequential(nn.Linear(4, 6, **given), nn.ReLU(), nn.Linear(6, 2, **given))
    x = Tensor.from_numpy(np.ones((3, 4), np.float32), device)

    with device.record_events() as recorded:
        net(x)

    assert [each.name for each in recorded if each.name == "relu" or "add" in each.name] == []


@pytest.mark.parametrize(
    ("ours", "theirs", "settings"),
    [
        ("SGD", "SGD", {"momentum": 0.9, "weight_decay": 0.1}),
        ("SGD", "SGD", {"momentum": 0.9, "nesterov": True}),
        ("Adam", "Adam", {}),
        ("Adam", "Adam", {"weight_decay": 0.1}),
        ("AdamW", "AdamW", {"weight_decay": 0.1}),
    ],
)
def test_optimisers_follow_torchs_formulas(
    device: Device, generator: np.random.Generator, ours: str, theirs: str, settings: dict
) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    starts = [normal(generator, *shape) for shape in ((3, 5), (40_000,), (1,))]
    parameters = [Tensor.from_numpy(start, device, True) for start in starts]
    twins = [torch.tensor(start, requires_grad=True) for start in starts]
    optimiser = getattr(optim, ours)(parameters, 0.05, **settings)
    reference = getattr(torch.optim, theirs)(twins, lr=0.05, **settings)

    for _ in range(5):
        for each in (optimiser, reference):
            each.zero_grad()
        for parameter in (*parameters, *twins):
            (parameter * parameter).sum().backward()
        for each in (optimiser, reference):
            each.step()

    for parameter, twin in zip(parameters, twins, strict=True):
        np.testing.assert_allclose(parameter.numpy(), twin.detach().numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("optimiser", [optim.SGD, optim.Adam, optim.AdamW])
def test_an_optimiser_launches_once_however_many_parameters_there_are(
    device: Device, optimiser: Callable[..., optim.Optimiser]
) -> None:
    parameters = [Tensor.from_numpy(np.ones(n, np.float32), device, True) for n in range(1, 30)]
    chosen = optimiser(parameters, 0.1)
    for parameter in parameters[1:]:
        parameter.sum().backward()
    chosen.step()

    with device.record_events() as recorded:
        chosen.step()

    assert len(recorded) == 1
    assert parameters[0].numpy().tolist() == [1]
    assert all((parameter.numpy() < 1).all() for parameter in parameters[1:])
