# SPDX-License-Identifier: MIT
"""Elementwise chains: one kernel each, the right values, and nothing computed too late."""

from collections.abc import Callable

import numpy as np
import pytest
from oracles import assert_close, normal, rounding_bound

from clprobe.tensor import Array, Device, Tensor
from clprobe.tensor.fusion.source import Input, Signature, write_source
from clprobe.tensor.ops.elementwise import apply


def launched(device: Device, run: Callable[[], object]) -> list[str]:
    """Return the names of the kernels that a function launches."""
    with device.record_events() as recorded:
        run()
    return [each.name for each in recorded if each.name not in ("upload", "download", "fill")]


def eight(x: Tensor, y: Tensor) -> Tensor:
    return ((x * 2 + y).relu() * x - y / 4).relu() + x


def exact_eight(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    x, y = x.astype(np.float64), y.astype(np.float64)
    return np.maximum(np.maximum(x * 2 + y, 0) * x - y / 4, 0) + x


SHAPES = [
    ((33,), (33,)),
    ((64, 32), (64, 32)),
    ((64, 32), (32,)),
    ((64, 33), (64, 1)),
    ((5, 1, 16), (3, 1)),
    ((1,), ()),
    ((0, 3), (3,)),
    ((40_000,), (40_000,)),
]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_a_chain_of_eight_gives_what_numpy_gives(
    device: Device, generator: np.random.Generator, shapes: tuple
) -> None:
    x, y = (normal(generator, *shape) for shape in shapes)

    found = eight(Tensor.from_numpy(x, device), Tensor.from_numpy(y, device)).numpy()

    size = (2 * np.abs(x) + np.abs(y)) * (np.abs(x) + 1) + np.abs(x)
    assert_close(found, exact_eight(x, y), rounding_bound(8, np.asarray(size)))


def test_a_chain_of_eight_is_one_launch(device: Device) -> None:
    x = Tensor.from_numpy(np.ones((4, 8), np.float32), device)
    y = Tensor.from_numpy(np.ones(8, np.float32), device)

    assert len(launched(device, eight(x, y).numpy)) == 1


def test_nothing_is_launched_for_values_that_nobody_needs(device: Device) -> None:
    x = Tensor.from_numpy(np.ones(8, np.float32), device)

    assert launched(device, lambda: eight(x, x)) == []


def test_the_gradient_of_a_chain_is_one_launch_too(device: Device) -> None:
    x = Tensor.from_numpy(np.full(8, 3, np.float32), device, requires_grad=True)
    loss = ((x * 2 + 1).relu() * x).sum()
    loss.numpy()

    def gradient() -> None:
        loss.backward()
        assert x.grad is not None
        assert x.grad.numpy().tolist() == [13] * 8

    assert len(launched(device, gradient)) == 1


def test_a_chain_is_built_once_whatever_its_sizes_and_constants(device: Device) -> None:
    def run(rows: int, columns: int, factor: float) -> None:
        x = Tensor.from_numpy(np.ones((rows, columns), np.float32), device)
        y = Tensor.from_numpy(np.ones(columns, np.float32), device)
        ((x + y) * factor - y).numpy()

    run(3, 48, 2.0)
    spent = device.compile_ns
    run(5, 96, 3.0)

    assert device.compile_ns == spent


def test_a_value_that_two_results_need_is_computed_once_if_reading_it_is_cheaper(
    device: Device,
) -> None:
    a, b, c = (Tensor.from_numpy(np.full(64, n, np.float32), device) for n in (1, 2, 3))
    shared = a * b + c
    first, second = shared + 1, shared * 2

    names = launched(device, lambda: (first.numpy(), second.numpy()))

    assert names == ["multiply_add", "add", "multiply"]
    assert first.numpy()[0] == 6
    assert second.numpy()[0] == 10


def test_a_value_used_twice_in_one_chain_is_computed_once(device: Device) -> None:
    a, b, c = (Tensor.from_numpy(np.full(64, n, np.float32), device) for n in (1, 2, 3))
    shared = a * b + c

    names = launched(device, (shared * shared - shared).numpy)

    assert names == ["multiply_add_multiply_subtract"]


def test_a_chain_reads_what_its_inputs_held_when_it_was_written(device: Device) -> None:
    x = Array.from_numpy(np.ones(8, np.float32), device)
    y = apply("add", x, x)

    x.assign(np.full(8, 5, np.float32))

    assert y.numpy().tolist() == [2] * 8
    assert x.numpy().tolist() == [5] * 8


def test_a_pending_value_can_be_read_under_another_shape(device: Device) -> None:
    x = Tensor.from_numpy(np.arange(6, dtype=np.float32), device)
    doubled = x * 2

    found = (doubled.reshape(2, 3) + doubled.reshape(3, 2).reshape(2, 3)).numpy()

    assert found.tolist() == [[0, 4, 8], [12, 16, 20]]


def test_very_long_chains_are_cut(device: Device) -> None:
    x = Tensor.from_numpy(np.zeros(3, np.float32), device)
    for _ in range(500):
        x = x + 1

    assert x.numpy().tolist() == [500] * 3


def test_chains_of_very_many_inputs_are_cut(device: Device) -> None:
    inputs = [Tensor.from_numpy(np.full(3, n, np.float32), device) for n in range(40)]
    total = inputs[0]
    for each in inputs[1:]:
        total = total + each * each

    assert total.numpy().tolist() == [sum(n * n for n in range(40))] * 3


def test_labels_can_stand_in_a_chain(device: Device) -> None:
    labels = Array.from_numpy(np.array([3, -1, 7], np.int32), device)

    assert apply("add", labels, Array.full(device, (), 0.5)).numpy().tolist() == [3.5, -0.5, 7.5]


def test_the_source_of_a_chain_reads_like_its_formula() -> None:
    signature = Signature(
        steps=(("add", ("x0", "x1")), ("relu", ("v0",)), ("multiply", ("v1", "c0"))),
        inputs=(Input("float", repeated=False), Input("float", repeated=True)),
        constants=1,
        outer_loops=1,
    )

    lines = [line.strip() for line in write_source(signature).splitlines()]

    assert lines[0] == "// y = multiply(relu(add(x0, x1)), c0)"
    assert "VALUES v1 = relu(v0);" in lines
    assert signature.name == "add_relu_multiply"
