# SPDX-License-Identifier: MIT
"""Elementwise operations against NumPy, broadcasting included."""

import operator
from collections.abc import Callable

import numpy as np
import pytest
from gradcheck import check_gradients
from oracles import apart, assert_close, normal, rounding_bound

from clprobe.tensor import Device, ShapeError, Tensor
from clprobe.tensor.fusion import broadcast_loops
from clprobe.tensor.ops.elementwise import broadcast_axes

OPERATORS = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
}
SHAPES = [
    ((), ()),
    ((1,), (1,)),
    ((31,), (31,)),
    ((32,), (32,)),
    ((33,), (33,)),
    ((5000,), ()),
    ((64, 10), (10,)),
    ((3, 4100), (4100,)),
    ((33, 1), (1, 31)),
    ((3, 1, 5), (4, 1)),
    ((2, 3, 4, 5), (3, 1, 1)),
    ((2, 1, 3, 1, 2, 1), (1, 2, 1, 2, 1, 3)),
]
EMPTY = [((0,), (0,)), ((0, 3), (3,)), ((2, 0), (1, 1))]


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("shapes", SHAPES + EMPTY, ids=str)
def test_arithmetic_broadcasts_as_in_numpy(
    device: Device, generator: np.random.Generator, name: str, shapes: tuple
) -> None:
    apply = OPERATORS[name]
    a = normal(generator, *shapes[0])
    b = generator.uniform(0.5, 2, shapes[1]).astype(np.float32)

    found = apply(Tensor.from_numpy(a, device), Tensor.from_numpy(b, device)).numpy()

    exact = np.asarray(apply(a.astype(np.float64), b.astype(np.float64)))
    # Division may be off by 2.5 units in the last place, each of which is two UNITs.
    assert_close(found, exact, rounding_bound(5, np.abs(a) + np.abs(exact)))


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("shapes", [((33,), (33,)), ((6, 1), (1, 5)), ((2, 3, 4), (3, 1))], ids=str)
def test_gradients_of_arithmetic_sum_over_what_was_broadcast(
    device: Device, generator: np.random.Generator, name: str, shapes: tuple
) -> None:
    a = normal(generator, *shapes[0])
    b = generator.uniform(0.5, 2, shapes[1]).astype(np.float32)

    assert check_gradients(OPERATORS[name], [a, b], device, generator) == []


@pytest.mark.parametrize("shape", [(), (1,), (31,), (32,), (33,), (0,), (7, 300)], ids=str)
def test_relu_and_negation_match_numpy(
    device: Device, generator: np.random.Generator, shape: tuple
) -> None:
    x = apart(generator, *shape)
    tensor = Tensor.from_numpy(x, device)

    assert_close(tensor.relu().numpy(), np.maximum(x, 0), 0)
    assert_close((-tensor).numpy(), -x, 0)


def test_relu_keeps_nan_and_infinity(device: Device) -> None:
    x = np.array([np.nan, np.inf, -np.inf, -0.0], np.float32)

    np.testing.assert_array_equal(Tensor.from_numpy(x, device).relu().numpy(), np.maximum(x, 0))


@pytest.mark.parametrize("function", [Tensor.relu, operator.neg], ids=["relu", "negate"])
def test_gradients_of_one_operand(
    device: Device, generator: np.random.Generator, function: Callable[[Tensor], Tensor]
) -> None:
    assert check_gradients(function, [apart(generator, 33)], device, generator) == []


def test_numbers_may_stand_on_either_side(device: Device) -> None:
    x = Tensor.from_numpy(np.array([1, 2, 4], np.float32), device)

    found = [(1 + x), (1 - x), (2 * x), (4 / x), (x - 1), (x / 2)]

    expected = [[2, 3, 5], [0, -1, -3], [2, 4, 8], [4, 2, 1], [0, 1, 3], [0.5, 1, 2]]
    assert [list(tensor.numpy()) for tensor in found] == expected


def test_a_tensor_used_twice_gets_both_gradients(device: Device) -> None:
    x = Tensor.from_numpy(np.array([3.0], np.float32), device, requires_grad=True)

    (x * x + x).sum().backward()

    assert x.grad is not None
    assert x.grad.numpy() == 7


def test_gradients_of_two_backward_passes_add_up(device: Device) -> None:
    x = Tensor.from_numpy(np.ones(4, np.float32), device, requires_grad=True)

    x.sum().backward()
    (x * 2).sum().backward()

    assert x.grad is not None
    assert list(x.grad.numpy()) == [3, 3, 3, 3]


def test_shapes_that_do_not_broadcast_are_named(device: Device) -> None:
    a = Tensor.from_numpy(np.ones((2, 3), np.float32), device)
    b = Tensor.from_numpy(np.ones((2,), np.float32), device)

    with pytest.raises(ShapeError, match=r"\(2, 3\) and \(2,\)"):
        a + b


def test_neighbouring_axes_become_one_loop() -> None:
    assert broadcast_loops((4, 5, 6), (4, 5, 6), (4, 5, 6))[0] == (120,)
    assert broadcast_loops((4, 5, 6), (4, 5, 6), (5, 6))[0] == (4, 30)
    assert broadcast_loops((4, 5, 6), (4, 5, 6), (4, 1, 1))[1] == ((30, 1), (1, 0))


def test_axes_along_which_an_operand_repeats() -> None:
    assert broadcast_axes((3, 1), (2, 3, 4)) == (0, 2)
    assert broadcast_axes((1, 1), (1, 1)) == ()
