# SPDX-License-Identifier: MIT
"""Layer-norm against NumPy in double precision, and against torch where it is installed."""

import numpy as np
import pytest
from gradcheck import check_gradients
from norm_oracles import normalise
from oracles import assert_close, normal

from clprobe.tensor import Device, ShapeError, Tensor, nn
from clprobe.tensor.functions import layer_norm

# The whole shape, and how many axes at its end are normalised over.
CASES = [
    ((4, 3), 1),
    ((33, 31), 1),
    ((5, 32), 1),
    ((2, 3, 33), 1),
    ((3, 4, 5), 2),
    ((2, 1000), 1),
    ((700, 17), 1),
    ((65,), 1),
]


@pytest.mark.parametrize(("shape", "rank"), CASES, ids=str)
def test_values_and_gradients_match_numpy(
    device: Device, generator: np.random.Generator, shape: tuple, rank: int
) -> None:
    own = shape[-rank:]
    x, dy = 2 * normal(generator, *shape) + 3, normal(generator, *shape)
    weight, bias = normal(generator, *own), normal(generator, *own)
    tensors = [Tensor.from_numpy(value, device, requires_grad=True) for value in (x, weight, bias)]

    y = layer_norm(*tensors)
    (y * Tensor.from_numpy(dy, device)).sum().backward()

    axes = tuple(range(len(shape) - rank, len(shape)))
    exact = normalise(x, weight, bias, dy, axes)
    assert_close(y.numpy(), exact.y, exact.y_bound)
    found = [tensor.grad.numpy() for tensor in tensors if tensor.grad is not None]
    assert_close(found[0], exact.dx, exact.dx_bound)
    assert_close(found[1], exact.dweight.reshape(own), exact.dweight_bound.reshape(own))
    assert_close(found[2], exact.dbias.reshape(own), exact.dbias_bound.reshape(own))


def test_gradients_match_finite_differences(device: Device, generator: np.random.Generator) -> None:
    arguments = [normal(generator, *shape) for shape in ((5, 8), (8,), (8,))]

    assert check_gradients(layer_norm, arguments, device, generator) == []


def test_a_mean_far_from_zero_costs_no_digits(
    device: Device, generator: np.random.Generator
) -> None:
    x = (normal(generator, 3, 500) + 10_000).astype(np.float32)
    ones, zeros = np.ones(500, np.float32), np.zeros(500, np.float32)

    y = layer_norm(*(Tensor.from_numpy(value, device) for value in (x, ones, zeros))).numpy()

    # The mean has an error of one rounding of 10 000, and x none: 0.0006 of a standard deviation.
    assert np.abs(y - normalise(x, ones, zeros, x, (1,)).y).max() < 2e-3


def test_no_rows_give_no_rows_and_zero_gradients(device: Device) -> None:
    shapes = ((0, 3), (3,), (3,))
    x, weight, bias = (
        Tensor.from_numpy(np.ones(shape, np.float32), device, requires_grad=True)
        for shape in shapes
    )

    y = layer_norm(x, weight, bias)
    y.sum().backward()

    assert y.shape == (0, 3)
    assert weight.grad is not None
    assert not weight.grad.numpy().any()


def test_parameters_that_do_not_fit_the_last_axes_are_refused(device: Device) -> None:
    x, weight = (Tensor.from_numpy(np.ones(shape, np.float32), device) for shape in ((4, 3), 4))

    with pytest.raises(ShapeError, match=r"Layer-norm of \(4, 3\)"):
        layer_norm(x, weight, weight)


def test_the_layer_matches_torchs(device: Device, generator: np.random.Generator) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    own, twin = nn.LayerNorm((3, 4), device=device), torch.nn.LayerNorm((3, 4))
    twin.load_state_dict({name: torch.from_numpy(value) for name, value in own.state().items()})
    x = normal(generator, 5, 3, 4)

    found = own(Tensor.from_numpy(x, device)).numpy()

    np.testing.assert_allclose(
        found, twin(torch.from_numpy(x)).detach().numpy(), rtol=1e-5, atol=1e-6
    )
