# SPDX-License-Identifier: MIT
"""Half storage, autocast and loss scaling."""

import logging

import numpy as np
import pytest
from oracles import HALF_TINY, HALF_UNIT, normal, rounded_to_half, rounding_bound

from clprobe.tensor import Array, Device, DtypeError, Tensor, conv2d, linear, optim
from clprobe.tensor.autocast import Policy, autocast, has_fp16, reason_for_float
from clprobe.tensor.capture import capture
from clprobe.tensor.loss_scale import LossScale
from clprobe.tensor.ops.half import to_float, to_half

EVERYWHERE = Policy(half=Policy.shipped().half, without_fp16=True)


def parameter(device: Device, *values: float) -> Tensor:
    return Tensor.from_numpy(np.array(values, np.float32), device, requires_grad=True)


@pytest.mark.parametrize("count", [1, 15, 16, 17, 31, 5000, 0])
def test_values_are_rounded_as_numpy_rounds_them(
    device: Device, generator: np.random.Generator, count: int
) -> None:
    x = normal(generator, count) * np.float32(10) ** generator.integers(-8, 5, count).astype("f4")

    found = to_half(Array.from_numpy(x, device))

    assert found.dtype == np.float16
    assert found.size_bytes == 2 * count
    np.testing.assert_array_equal(found.numpy(), x.astype(np.float16))
    np.testing.assert_array_equal(to_float(found).numpy(), x.astype(np.float16).astype(np.float32))


def test_ties_overflow_and_nan_are_rounded_as_numpy_rounds_them(device: Device) -> None:
    # Halfway to the neighbour on either side of an even one; at and beyond the largest half.
    x = np.array([1 + 2**-11, 1 + 3 * 2**-11, 65504, 65519, 65520, -1e9, np.nan, 2**-25, 0])
    x = np.tile(x.astype(np.float32), 3)

    found = to_half(Array.from_numpy(x, device)).numpy()

    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(found, x.astype(np.float16))


def test_parameters_are_not_half(device: Device) -> None:
    with pytest.raises(DtypeError, match="float16"):
        Tensor.from_numpy(np.ones(3, np.float16), device, requires_grad=True)


def test_half_values_become_float_where_an_operation_takes_no_others(
    device: Device, generator: np.random.Generator
) -> None:
    values = normal(generator, 3, 5).astype(np.float16)
    x = Tensor.from_numpy(values, device)

    for found, exact in ((x + x, 2 * values), (x.sum(1).reshape(3, 1), values.sum(1, "f4"))):
        assert found.array.dtype == np.float32
        np.testing.assert_allclose(found.numpy(), exact.reshape(found.shape), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("shape", [(5, 7, 3), (33, 31, 65)], ids=str)
def test_under_autocast_products_are_those_of_rounded_operands(
    device: Device, generator: np.random.Generator, shape: tuple[int, int, int]
) -> None:
    batch, inputs, outputs = shape
    x, weight = normal(generator, batch, inputs), normal(generator, outputs, inputs)
    bias, dy = normal(generator, outputs), normal(generator, batch, outputs)
    tensors = [Tensor.from_numpy(value, device, requires_grad=True) for value in (x, weight, bias)]

    with autocast(EVERYWHERE):
        y = linear(*tensors)
    (y * Tensor.from_numpy(dy, device)).sum().backward()

    x, weight = (value.astype(np.float16).astype(np.float64) for value in (x, weight))
    assert y.array.dtype == np.float16
    bound = rounding_bound(inputs + 1, np.abs(x) @ np.abs(weight).T + np.abs(bias))
    exact = x @ weight.T + bias
    assert (np.abs(y.numpy() - exact) <= rounded_to_half(exact, bound)).all()
    dx, dweight, dbias = (tensor.grad.numpy() for tensor in tensors if tensor.grad is not None)
    bound = rounding_bound(outputs + 1, np.abs(dy) @ np.abs(weight))
    assert (np.abs(dx - dy @ weight) <= bound).all()
    bound = rounding_bound(batch + 1, np.abs(dy).T @ np.abs(x))
    assert (np.abs(dweight - dy.T @ x) <= bound).all()
    # The bias and every gradient stay in float.
    assert (np.abs(dbias - dy.sum(0, "f8")) <= rounding_bound(batch, np.abs(dy).sum(0))).all()


def test_under_autocast_a_convolution_is_off_by_the_rounding_of_its_operands(
    device: Device, generator: np.random.Generator
) -> None:
    x, weight = normal(generator, 2, 3, 7, 8), normal(generator, 4, 3, 3, 3)
    operands = [Tensor.from_numpy(value, device) for value in (x, weight)]
    in_float = conv2d(*operands, padding=1).numpy()

    with autocast(EVERYWHERE):
        found = conv2d(*operands, padding=1).numpy()

    magnitude = conv2d(*(Tensor.from_numpy(np.abs(v), device) for v in (x, weight)), padding=1)
    difference = np.abs(found - in_float)
    assert difference.max() > 0
    # Either operand is rounded, and the result.
    assert (difference <= 3.1 * HALF_UNIT * magnitude.numpy() + HALF_TINY).all()


def test_operations_that_the_policy_does_not_list_stay_in_float(
    device: Device, generator: np.random.Generator
) -> None:
    x, weight = (Tensor.from_numpy(normal(generator, 9, 9), device) for _ in range(2))
    with autocast(Policy(frozenset(), without_fp16=True)):
        found = linear(x, weight).numpy()

    np.testing.assert_array_equal(found, linear(x, weight).numpy())


def test_a_device_where_half_does_not_pay_says_once_that_it_stays_in_float(
    device: Device, generator: np.random.Generator, caplog: pytest.LogCaptureFixture
) -> None:
    x, weight = (Tensor.from_numpy(normal(generator, 9, 9), device) for _ in range(2))
    in_float = linear(x, weight).numpy()

    with Device.open(device.cl_device) as fresh, caplog.at_level(logging.WARNING), autocast():
        operands = [Tensor.from_numpy(tensor.numpy(), fresh) for tensor in (x, weight)]
        linear(*operands)
        found = linear(*operands).numpy()

    said = [record for record in caplog.records if "in float" in record.getMessage()]
    reason = reason_for_float(Policy.shipped(), fresh)
    assert len(said) == (1 if reason else 0)
    if reason:
        np.testing.assert_array_equal(found, in_float)


def test_the_shipped_policy_rounds_products_where_that_is_fast(device: Device) -> None:
    policy = Policy.shipped()

    assert {"linear", "matmul", "conv2d", "conv_transpose2d"} <= policy.half
    if not has_fp16(device):
        assert reason_for_float(policy, device) == "has no cl_khr_fp16"
    assert not reason_for_float(EVERYWHERE, device)


@pytest.mark.parametrize("factory", [optim.SGD, optim.Adam], ids=["SGD", "Adam"])
def test_scaled_steps_without_overflow_are_those_without_scaling(
    device: Device, factory: type
) -> None:
    scaled, plain = parameter(device, 1, -2, 3), parameter(device, 1, -2, 3)
    optimisers = [factory([each], learning_rate=0.125) for each in (scaled, plain)]
    scale = LossScale(device, initial=1024, interval=2)

    for _ in range(3):
        for optimiser in optimisers:
            optimiser.zero_grad()
        scale.scaled((scaled * scaled).sum()).backward()
        scale.step(optimisers[0])
        (plain * plain).sum().backward()
        optimisers[1].step()

    # A power of two changes exponents only.
    np.testing.assert_array_equal(scaled.numpy(), plain.numpy())
    assert scale.factor == 2048
    assert scale.skipped_steps == 0


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("factory", [optim.SGD, optim.Adam], ids=["SGD", "Adam"])
def test_a_step_that_overflowed_changes_neither_parameters_nor_their_state(
    device: Device, factory: type, bad: float
) -> None:
    first, second = parameter(device, 1, -2, 3), parameter(device, *([1.0] * 5000))
    twin = parameter(device, 1, -2, 3)
    optimiser = factory([first, second], learning_rate=0.125)
    alone = factory([twin], learning_rate=0.125)
    scale = LossScale(device, initial=1024)

    for step in range(3):
        factors = np.ones(5000, np.float32)
        factors[4321] = bad if step == 1 else 1
        optimiser.zero_grad()
        loss = (first * first).sum() + (second * Tensor.from_numpy(factors, device)).sum()
        scale.scaled(loss).backward()
        scale.step(optimiser)
        if step != 1:
            alone.zero_grad()
            (twin * twin).sum().backward()
            alone.step()

    np.testing.assert_array_equal(first.numpy(), twin.numpy())
    assert np.isfinite(second.numpy()).all()
    assert scale.factor == 512
    assert scale.skipped_steps == 1


def test_the_factor_does_not_shrink_below_one(device: Device) -> None:
    weight = parameter(device, 1)
    optimiser, scale = optim.SGD([weight], 0.1), LossScale(device, initial=2)

    for _ in range(3):
        optimiser.zero_grad()
        scale.scaled((weight * np.inf).sum()).backward()
        scale.step(optimiser)

    assert scale.factor == 1
    assert weight.numpy() == 1


def test_parameters_that_share_one_gradient_are_each_unscaled_once(device: Device) -> None:
    a, b = parameter(device, 1, 2), parameter(device, 3, 4)
    optimiser, scale = optim.SGD([a, b], 1.0), LossScale(device, initial=8)

    scale.scaled((a + b).sum()).backward()
    scale.step(optimiser)

    assert a.numpy().tolist() == [0, 1]
    assert b.numpy().tolist() == [2, 3]


def test_a_captured_step_adapts_the_factor_at_each_replay(device: Device) -> None:
    weight = parameter(device, 1)
    optimiser, scale = optim.SGD([weight], 0.25), LossScale(device, initial=8, interval=1)
    with capture(device) as step:
        optimiser.zero_grad()
        scale.scaled(weight.sum()).backward()
        scale.step(optimiser)

    step.replay()
    step.replay()

    assert weight.numpy() == 0.25
    assert scale.factor == 64


@pytest.mark.parametrize("pixels", [(), (5, 7)], ids=["columns", "planes"])
def test_relu_in_half_lets_pass_the_gradients_of_what_it_kept(
    device: Device, generator: np.random.Generator, pixels: tuple[int, ...]
) -> None:
    images = Tensor.from_numpy(normal(generator, 4, 6, *pixels), device, requires_grad=True)
    weight = Tensor.from_numpy(normal(generator, 9, 6, *(1 for _ in pixels)), device)
    bias = Tensor.from_numpy(normal(generator, 9), device, requires_grad=True)
    factors = normal(generator, 4, 9, *pixels)

    with autocast(EVERYWHERE):
        y = (conv2d if pixels else linear)(images, weight, bias, relu=True)
    (y * Tensor.from_numpy(factors, device)).sum().backward()

    kept = np.where(y.numpy() > 0, factors, 0)
    axes = (0, *range(2, kept.ndim))
    assert bias.grad is not None
    bound = rounding_bound(kept.size // 9, np.abs(kept).sum(axes))
    assert (np.abs(bias.grad.numpy() - kept.sum(axes, "f8")) <= bound).all()


def test_a_parameter_is_rounded_once_until_it_changes(device: Device) -> None:
    weight, x = parameter(device, 1, 2).reshape(1, 2).array, np.ones((1, 2), np.float32)
    weight, images = Tensor(weight, requires_grad=True), Tensor.from_numpy(x, device)
    optimiser = optim.SGD([weight], 1.0)

    def conversions() -> int:
        with device.record_events() as recorded, autocast(EVERYWHERE):
            assert linear(images, weight).numpy() == weight.numpy().sum()
        return sum(each.name == "to_half" for each in recorded)

    assert [conversions(), conversions()] == [2, 1]
    with autocast(EVERYWHERE):
        linear(images, weight).sum().backward()
    optimiser.step()
    assert [conversions(), conversions()] == [2, 1]
    weight.array.assign(np.full((1, 2), 7, np.float32))
    assert conversions() == 2


def test_a_replay_rounds_the_parameters_as_they_are_then(device: Device) -> None:
    weight = Tensor.from_numpy(np.ones((1, 2), np.float32), device, requires_grad=True)
    images = Tensor.from_numpy(np.ones((1, 2), np.float32), device)
    optimiser = optim.SGD([weight], 1.0)

    def loss() -> Tensor:
        with autocast(EVERYWHERE):
            return linear(images, weight).sum()

    loss()  # leaves a copy that the capture must not use
    with capture(device) as step:
        optimiser.zero_grad()
        captured = loss()
        captured.backward()
        optimiser.step()
    seen = [float(captured.numpy()), float(loss().numpy())]
    step.replay()
    seen += [float(captured.numpy()), float(loss().numpy())]

    assert seen == [2, 0, 0, -2]
