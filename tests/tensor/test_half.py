# SPDX-License-Identifier: MIT
"""Half storage, autocast and loss scaling."""

import logging

import numpy as np
import pytest
from oracles import normal, rounding_bound

from clprobe.tensor import Array, Device, DtypeError, Tensor, conv2d, linear, optim
from clprobe.tensor.autocast import Policy, autocast, has_fp16
from clprobe.tensor.loss_scale import LossScale
from clprobe.tensor.ops.half import to_float, to_half
from clprobe.tensor.ops.matmul import ORACLE, matmul_forward
from clprobe.tensor.ops.variants import Variant

EVERYWHERE = Policy(half=Policy.shipped().half, without_fp16=True)
TILED = Variant(
    file="matmul/tiled.cl",
    defines={
        "TILE_ROWS": 16,
        "TILE_COLUMNS": 16,
        "TILE_DEPTH": 8,
        "ITEM_ROWS": 4,
        "ITEM_COLUMNS": 4,
    },
    tile=(16, 16),
    work_group_size=16,
    local_memory_bytes=1280,
)
# Half the distance from 1 to the next half: the largest relative error of one rounding.
HALF_UNIT = 2.0**-11


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
    assert y.array.dtype == np.float32
    bound = rounding_bound(inputs + 1, np.abs(x) @ np.abs(weight).T + np.abs(bias))
    assert (np.abs(y.numpy() - (x @ weight.T + bias)) <= bound).all()
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
    assert (difference <= 2.1 * HALF_UNIT * magnitude.numpy()).all()


def test_operations_that_the_policy_does_not_list_stay_in_float(
    device: Device, generator: np.random.Generator
) -> None:
    x, weight = (Tensor.from_numpy(normal(generator, 9, 9), device) for _ in range(2))
    with autocast(Policy(frozenset(), without_fp16=True)):
        found = linear(x, weight).numpy()

    np.testing.assert_array_equal(found, linear(x, weight).numpy())


def test_a_device_without_half_arithmetic_says_once_that_it_stays_in_float(
    device: Device, generator: np.random.Generator, caplog: pytest.LogCaptureFixture
) -> None:
    x, weight = (Tensor.from_numpy(normal(generator, 9, 9), device) for _ in range(2))
    in_float = linear(x, weight).numpy()

    with Device.open(device.cl_device) as fresh, caplog.at_level(logging.WARNING), autocast():
        operands = [Tensor.from_numpy(tensor.numpy(), fresh) for tensor in (x, weight)]
        linear(*operands)
        found = linear(*operands).numpy()

    said = [record for record in caplog.records if "cl_khr_fp16" in record.getMessage()]
    assert len(said) == (0 if has_fp16(device) else 1)
    if not has_fp16(device):
        assert np.abs(found - in_float).max() < 1e-5


def test_the_shipped_policy_rounds_products_where_that_is_fast() -> None:
    policy = Policy.shipped()

    assert {"linear", "matmul", "conv2d"} <= policy.half
    assert not policy.without_fp16


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
    with device.capture() as step:
        optimiser.zero_grad()
        scale.scaled(weight.sum()).backward()
        scale.step(optimiser)

    step.replay()
    step.replay()

    assert weight.numpy() == 0.25
    assert scale.factor == 64


@pytest.mark.parametrize("transposed", ["NN", "TT"])
@pytest.mark.parametrize("halves", [(True, False), (False, True), (True, True)], ids=str)
@pytest.mark.parametrize("size", [(5, 7, 3), (33, 36, 68)], ids=str)
def test_products_read_half_operands_as_they_are_stored(
    device: Device,
    generator: np.random.Generator,
    transposed: str,
    halves: tuple[bool, bool],
    size: tuple[int, int, int],
) -> None:
    m, n, k = size
    transposes = [letter == "T" for letter in transposed]
    values = [normal(generator, m, k), normal(generator, k, n)]
    values = [
        value.astype(np.float16) if half else value
        for value, half in zip(values, halves, strict=True)
    ]
    stored = [
        np.ascontiguousarray(value.T if transpose else value)
        for value, transpose in zip(values, transposes, strict=True)
    ]
    arrays = [Array.from_numpy(value, device) for value in stored]
    exact = values[0].astype(np.float64) @ values[1].astype(np.float64)
    bound = rounding_bound(k, np.abs(values[0].astype("f8")) @ np.abs(values[1].astype("f8")))

    for variant in (None, ORACLE, TILED):
        with device.record_events() as recorded:
            found = matmul_forward(
                *arrays, transpose_a=transposes[0], transpose_b=transposes[1], variant=variant
            )
        assert (np.abs(found.numpy() - exact) <= bound).all()
        if variant is not None:
            # No copy in float is made for these; others may take one.
            assert [each.name for each in recorded] == ["matmul"]
