# SPDX-License-Identifier: MIT
"""Softmax with cross-entropy against NumPy in double precision."""

import numpy as np
import oracles
import pytest
from gradcheck import check_gradients
from oracles import normal, softmax_bound

from clprobe.tensor import Device, DtypeError, ShapeError, Tensor, softmax_cross_entropy


@pytest.mark.parametrize("shape", [(1, 1), (1, 33), (31, 10), (32, 2), (3, 1000)], ids=str)
def test_the_loss_matches_numpy_and_its_gradient_finite_differences(
    device: Device, generator: np.random.Generator, shape: tuple
) -> None:
    logits = normal(generator, *shape)
    labels = generator.integers(0, shape[1], shape[0]).astype(np.int32)

    found = softmax_cross_entropy(Tensor.from_numpy(logits, device), labels).numpy()

    exact = oracles.softmax_cross_entropy(logits, labels)
    assert abs(float(found) - exact) <= softmax_bound(logits)
    wrong = check_gradients(lambda x: softmax_cross_entropy(x, labels), [logits], device, generator)
    assert wrong == []


def test_large_logits_do_not_overflow(device: Device) -> None:
    logits = np.array([[1e4, -1e4, 0]], np.float32)

    losses = [
        float(softmax_cross_entropy(Tensor.from_numpy(logits, device), labels).numpy())
        for labels in (np.array([0], np.int32), np.array([1], np.int32))
    ]

    assert losses == [0, 2e4]


@pytest.mark.parametrize("label", [-1, 3, 1 << 30])
def test_a_label_out_of_range_gives_nan(device: Device, label: int) -> None:
    logits = Tensor.from_numpy(np.ones((1, 3), np.float32), device)

    assert np.isnan(softmax_cross_entropy(logits, np.array([label], np.int32)).numpy())


def test_the_loss_of_no_rows_is_nan(device: Device) -> None:
    logits = Tensor.from_numpy(np.ones((0, 3), np.float32), device)

    assert np.isnan(softmax_cross_entropy(logits, np.zeros(0, np.int32)).numpy())


def test_labels_of_another_type_are_refused(device: Device) -> None:
    logits = Tensor.from_numpy(np.ones((1, 3), np.float32), device)

    with pytest.raises(DtypeError, match="int64"):
        softmax_cross_entropy(logits, np.zeros(1, np.int64))
    with pytest.raises(DtypeError, match="int32, not float32"):
        softmax_cross_entropy(logits, np.zeros(1, np.float32))


def test_labels_that_do_not_match_the_rows_are_refused(device: Device) -> None:
    logits = Tensor.from_numpy(np.ones((2, 3), np.float32), device)

    with pytest.raises(ShapeError, match=r"\(2, 3\) and labels \(3,\)"):
        softmax_cross_entropy(logits, np.zeros(3, np.int32))
