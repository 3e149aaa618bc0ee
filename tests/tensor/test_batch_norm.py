# SPDX-License-Identifier: MIT
"""Batch-norm against NumPy in double precision, and against torch where it is installed."""

import numpy as np
import pytest
from gradcheck import check_gradients
from norm_oracles import normalise
from oracles import assert_close, normal, rounding_bound

from clprobe.tensor import Array, Device, ShapeError, Tensor, nn
from clprobe.tensor.functions import Running, batch_norm

SHAPES = [
    (4, 3),
    (33, 31),
    (128, 100),
    (1200, 5),
    (2, 5, 7),
    (3, 4, 5, 6),
    (2, 1, 1, 2),
    (1, 2, 3, 1),
    (16, 33, 7, 7),
    (3, 2, 130, 131),
    (70, 3, 2, 2),
]


def fresh(device: Device, channels: int) -> Running:
    return Running(Array.full(device, (channels,), 0.0), Array.full(device, (channels,), 1.0))


def on(device: Device, *values: np.ndarray) -> list[Tensor]:
    return [Tensor.from_numpy(value, device, requires_grad=True) for value in values]


def gradient_of(tensor: Tensor) -> np.ndarray:
    assert tensor.grad is not None
    return tensor.grad.numpy()


def shaped(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return one value per channel so that it broadcasts against values of `shape`."""
    return values.reshape(1, -1, *(1,) * (len(shape) - 2))


@pytest.mark.parametrize("training", [True, False], ids=["training", "evaluation"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_values_and_gradients_match_numpy(
    device: Device, generator: np.random.Generator, shape: tuple, training: bool
) -> None:
    x, dy = 2 * normal(generator, *shape) + 3, normal(generator, *shape)
    weight, bias, mean = (normal(generator, shape[1]) for _ in range(3))
    variance = generator.uniform(1, 2, shape[1]).astype(np.float32)
    tensors = on(device, x, weight, bias)
    running = Running(Array.from_numpy(mean, device), Array.from_numpy(variance, device))

    y = batch_norm(*tensors, running, training=training)
    (y * Tensor.from_numpy(dy, device)).sum().backward()

    axes = (0, *range(2, len(shape)))
    given = None if training else (shaped(mean, shape), shaped(variance, shape))
    exact = normalise(x, shaped(weight, shape), shaped(bias, shape), dy, axes, given=given)
    assert_close(y.numpy(), exact.y, exact.y_bound)
    assert_close(gradient_of(tensors[0]), exact.dx, exact.dx_bound)
    channel_wise = (exact.dweight.ravel(), exact.dweight_bound.ravel())
    assert_close(gradient_of(tensors[1]), *channel_wise)
    assert_close(gradient_of(tensors[2]), exact.dbias.ravel(), exact.dbias_bound.ravel())


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_training_moves_the_running_statistics_as_torch_does(
    device: Device, generator: np.random.Generator, shape: tuple
) -> None:
    x = 2 * normal(generator, *shape) + 3
    running = fresh(device, shape[1])
    tensors = on(device, x, *(np.ones(shape[1], np.float32) for _ in range(2)))

    for _ in range(2):
        batch_norm(*tensors, running, training=True)

    axes = (0, *range(2, len(shape)))
    exact = x.astype(np.float64)
    count = x.size // shape[1]
    # Two steps of 0.1 towards a value leave 0.81 of where they began.
    mean = 0.19 * exact.mean(axes)
    variance = 0.81 + 0.19 * exact.var(axes, ddof=1)
    assert_close(running.mean.numpy(), mean, rounding_bound(count + 8, np.abs(exact).mean(axes)))
    assert_close(running.variance.numpy(), variance, rounding_bound(2 * count + 16, variance))


def test_evaluation_leaves_the_running_statistics_alone(
    device: Device, generator: np.random.Generator
) -> None:
    running = fresh(device, 3)
    ones = np.ones(3, np.float32)

    batch_norm(*on(device, normal(generator, 4, 3), ones, ones), running, training=False)

    assert not running.mean.numpy().any()
    assert (running.variance.numpy() == 1).all()


@pytest.mark.parametrize("shape", [(9, 3), (4, 3, 2, 3)], ids=str)
@pytest.mark.parametrize("training", [True, False], ids=["training", "evaluation"])
def test_gradients_match_finite_differences(
    device: Device, generator: np.random.Generator, shape: tuple, training: bool
) -> None:
    arguments = [normal(generator, *shape), normal(generator, 3), normal(generator, 3)]

    def normalised(*tensors: Tensor) -> Tensor:
        return batch_norm(*tensors, fresh(device, 3), training=training)

    assert check_gradients(normalised, arguments, device, generator) == []


@pytest.mark.parametrize("shape", [(500, 3), (8, 3, 15, 17)], ids=str)
def test_a_mean_far_from_zero_costs_no_digits(
    device: Device, generator: np.random.Generator, shape: tuple
) -> None:
    x = (normal(generator, *shape) + 10_000).astype(np.float32)
    ones, zeros = np.ones(3, np.float32), np.zeros(3, np.float32)

    y = batch_norm(*on(device, x, ones, zeros), fresh(device, 3), training=True).numpy()

    axes = (0, *range(2, len(shape)))
    exact = normalise(x, shaped(ones, shape), shaped(zeros, shape), x, axes).y
    # The mean has an error of one rounding of 10 000, and x none: 0.0006 of a standard deviation.
    assert np.abs(y - exact).max() < 2e-3


@pytest.mark.parametrize("shape", [(8, 2), (2, 2, 3, 3)], ids=str)
def test_a_channel_of_equal_values_becomes_its_bias(device: Device, shape: tuple) -> None:
    x, weight, bias = on(
        device,
        np.full(shape, 7.3, np.float32),
        np.array([2, 3], np.float32),
        np.array([0.5, -1], np.float32),
    )

    y = batch_norm(x, weight, bias, fresh(device, 2), training=True)
    y.sum().backward()

    assert (y.numpy() == shaped(np.array([0.5, -1]), shape)).all()
    assert np.abs(gradient_of(x)).max() < 1e-3


def test_one_value_for_each_channel_is_refused_in_training(device: Device) -> None:
    tensors = on(device, np.ones((1, 3), np.float32), *(np.ones(3, np.float32) for _ in range(2)))

    with pytest.raises(ShapeError, match="1 values for each channel"):
        batch_norm(*tensors, fresh(device, 3), training=True)
    batch_norm(*tensors, fresh(device, 3), training=False)


def test_parameters_that_do_not_fit_the_channels_are_refused(device: Device) -> None:
    x, weight, bias = on(device, *(np.ones(shape, np.float32) for shape in ((4, 3), 3, 2)))

    with pytest.raises(ShapeError, match=r"parameters of shape \(3,\)"):
        batch_norm(x, weight, bias, fresh(device, 3), training=True)


def test_no_images_give_no_values_in_evaluation(device: Device) -> None:
    x, weight, bias = on(device, *(np.ones(shape, np.float32) for shape in ((0, 3, 2, 2), 3, 3)))

    y = batch_norm(x, weight, bias, fresh(device, 3), training=False)
    y.sum().backward()

    assert y.shape == (0, 3, 2, 2)
    assert not gradient_of(weight).any()


@pytest.mark.parametrize(
    ("layer", "shape"),
    [(nn.BatchNorm1d, (20, 5)), (nn.BatchNorm1d, (6, 5, 7)), (nn.BatchNorm2d, (6, 5, 4, 3))],
    ids=str,
)
def test_a_layer_trained_here_evaluates_alike_in_torch(
    device: Device, generator: np.random.Generator, layer: type, shape: tuple
) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    own = layer(5, device=device)
    for _ in range(3):
        own(Tensor.from_numpy(normal(generator, *shape) * 2 + 1, device))
    twin = getattr(torch.nn, layer.__name__)(5)

    twin.load_state_dict({name: torch.from_numpy(value) for name, value in own.state().items()})
    x = normal(generator, *shape)
    found = own.eval()(Tensor.from_numpy(x, device)).numpy()

    np.testing.assert_allclose(
        found, twin.eval()(torch.from_numpy(x)).detach().numpy(), rtol=1e-5, atol=1e-6
    )


def test_train_and_eval_reach_layers_within_layers(device: Device) -> None:
    inner = nn.BatchNorm2d(2, device=device)
    network = nn.Sequential(nn.Residual(nn.Sequential(inner)))

    assert not network.eval().layers[0].training
    assert not inner.training
    network.train()
    assert inner.training


def test_buffers_belong_to_the_state_and_not_to_the_parameters(device: Device) -> None:
    network = nn.Sequential(nn.BatchNorm2d(2, device=device))

    assert list(network.state()) == [
        "0.weight",
        "0.bias",
        "0.running_mean",
        "0.running_var",
    ]
    assert [name for name, _ in network.named_parameters()] == ["0.weight", "0.bias"]


def test_a_layer_refuses_values_of_another_rank(device: Device) -> None:
    with pytest.raises(ShapeError, match="BatchNorm2d does not take"):
        nn.BatchNorm2d(3, device=device)(Tensor.from_numpy(np.ones((2, 3), np.float32), device))
