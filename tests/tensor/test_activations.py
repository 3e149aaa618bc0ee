# SPDX-License-Identifier: MIT
"""Elementwise functions beyond arithmetic, against NumPy in double precision."""

from collections.abc import Callable
from dataclasses import dataclass
from math import erfc

import numpy as np
import pytest
from gradcheck import check_gradients
from oracles import UNIT, apart, assert_close, normal

from clprobe.tensor import Device, Tensor
from clprobe.tensor import functions as of

Values = np.ndarray


@dataclass(frozen=True)
class Case:
    """A function, what it should be, and where it is defined and smooth."""

    own: Callable[..., Tensor]
    exact: Callable[..., Values]
    units: int
    """The error in units in the last place that OpenCL 1.2, table 7.4 allows its steps."""
    low: float = -4
    high: float = 4


def exact_gelu(x: Values) -> Values:
    return 0.5 * x * np.vectorize(erfc, otypes=[float])(-np.sqrt(0.5) * x)


CASES = {
    "exp": Case(of.exp, np.exp, 3),
    "log": Case(of.log, np.log, 3, low=0.1),
    "sqrt": Case(of.sqrt, np.sqrt, 3, low=0.1),
    "tanh": Case(of.tanh, np.tanh, 5),
    "sigmoid": Case(of.sigmoid, lambda x: 1 / (1 + np.exp(-x)), 12),
    # erfc's argument is rounded, which its steep tail multiplies by 2 x².
    "gelu": Case(of.gelu, exact_gelu, 20 + 2 * 16),
    "absolute": Case(of.absolute, np.abs, 0, low=0.1),
    "square": Case(lambda x: of.power(x, 2), np.square, 1),
    "cube": Case(lambda x: of.power(x, 3), lambda x: x**3, 16),
    "root": Case(lambda x: of.power(x, -0.5), lambda x: x**-0.5, 16, low=0.1),
    "clip": Case(lambda x: of.clip(x, -9, 9), lambda x: x, 0),
}
SHAPES = [(), (1,), (31,), (33,), (0,), (7, 300)]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_values_match_numpy(
    device: Device, generator: np.random.Generator, name: str, shape: tuple
) -> None:
    case = CASES[name]
    x = generator.uniform(case.low, case.high, shape).astype(np.float32)

    found = case.own(Tensor.from_numpy(x, device)).numpy()

    exact = np.asarray(case.exact(x.astype(np.float64)))
    # A unit in the last place is at most two UNITs. Arguments near 1 make log small, not exact.
    bound = 2 * case.units * UNIT * (np.abs(exact) + (name == "log"))
    assert_close(found, exact, bound)


@pytest.mark.parametrize("name", CASES)
def test_gradients_match_finite_differences(
    device: Device, generator: np.random.Generator, name: str
) -> None:
    case = CASES[name]
    # A root is steep near 0, where a finite difference is not a derivative.
    x = generator.uniform(max(case.low, -2) + 0.9, 2, 33).astype(np.float32)

    assert check_gradients(case.own, [x], device, generator) == []


def test_special_values_are_those_of_numpy(device: Device) -> None:
    x = np.array([np.nan, np.inf, -np.inf, 0, 200, -200], np.float32)
    tensor = Tensor.from_numpy(x, device)

    np.testing.assert_array_equal(of.sigmoid(tensor).numpy(), [np.nan, 1, 0, 0.5, 1, 0])
    # PoCL's tanh stops one unit in the last place before 1.
    np.testing.assert_allclose(of.tanh(tensor).numpy(), [np.nan, 1, -1, 0, 1, -1], rtol=5 * UNIT)
    np.testing.assert_array_equal(of.clip(tensor, -1, 2).numpy(), [np.nan, 2, -1, 0, 2, -1])
    np.testing.assert_array_equal(of.absolute(tensor).numpy(), np.abs(x))
    assert of.gelu(tensor).numpy()[3:].tolist() == [0, 200, 0]


@pytest.mark.parametrize(
    ("own", "exact"), [(of.maximum, np.maximum), (of.minimum, np.minimum)], ids=["max", "min"]
)
@pytest.mark.parametrize("shapes", [((33,), (33,)), ((6, 1), (1, 5)), ((2, 3, 4), (3, 1))], ids=str)
def test_the_larger_and_the_smaller_broadcast_as_in_numpy(
    device: Device, generator: np.random.Generator, own: Callable, exact: Callable, shapes: tuple
) -> None:
    a = apart(generator, *shapes[0])
    b = apart(generator, *shapes[1]) + np.float32(0.05)

    found = own(Tensor.from_numpy(a, device), Tensor.from_numpy(b, device)).numpy()

    assert_close(found, exact(a, b), 0)
    assert check_gradients(own, [a, b], device, generator) == []


def test_equal_values_share_the_gradient_of_the_larger(device: Device) -> None:
    a, b = (Tensor.from_numpy(np.ones(2, np.float32), device, requires_grad=True) for _ in "ab")

    of.maximum(a, b).sum().backward()

    assert a.grad is not None
    assert b.grad is not None
    assert a.grad.numpy().tolist() == b.grad.numpy().tolist() == [0.5, 0.5]


def test_nan_wins_over_any_number(device: Device) -> None:
    a = Tensor.from_numpy(np.array([np.nan, 1], np.float32), device)
    b = Tensor.from_numpy(np.array([1, np.nan], np.float32), device)

    assert np.isnan(of.maximum(a, b).numpy()).all()
    assert np.isnan(of.minimum(a, b).numpy()).all()


def test_gradients_match_torchs(device: Device, generator: np.random.Generator) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    twins = {
        "exp": torch.exp,
        "log": torch.log,
        "sqrt": torch.sqrt,
        "tanh": torch.tanh,
        "sigmoid": torch.sigmoid,
        "gelu": torch.nn.functional.gelu,
        "absolute": torch.abs,
        "cube": lambda x: x**3,
        "clip": lambda x: torch.clamp(x, -9, 9),
    }
    for name, twin in twins.items():
        x = np.abs(normal(generator, 50)) + np.float32(0.1)
        own = Tensor.from_numpy(x, device, requires_grad=True)
        other = torch.tensor(x.astype(np.float64), requires_grad=True)

        CASES[name].own(own).sum().backward()
        twin(other).sum().backward()

        assert own.grad is not None
        np.testing.assert_allclose(
            own.grad.numpy(), other.grad.numpy(), rtol=1e-5, atol=1e-6, err_msg=name
        )
