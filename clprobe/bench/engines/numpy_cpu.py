# SPDX-License-Identifier: MIT
"""The CPU reference where torch is absent."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from clprobe.bench.digits import Digits, Floats
from clprobe.bench.engines import Prepared
from clprobe.bench.engines import numpy_conv as conv
from clprobe.bench.engines.numpy_trainer import NumpyTrainer, NumpyWitness
from clprobe.bench.nets import Net


class NumpyEngine:
    """NumPy with whatever BLAS it was built with."""

    name = "NumPy on the CPU"

    def copy(self, values: Floats) -> Prepared:
        """Copy values into memory that is already mapped."""
        target = np.empty_like(values)
        return _prepared(lambda: np.copyto(target, values), target.copy)

    def add(self, a: Floats, b: Floats) -> Prepared:
        """Return a + b."""
        return _computing(lambda: a + b)

    def matmul(self, a: Floats, b: Floats) -> Prepared:
        """Return a @ b."""
        return _computing(lambda: a @ b)

    def conv_forward(self, x: Floats, weight: Floats) -> Prepared:
        """Return the 3x3 convolution, padded by 1."""
        return _computing(lambda: conv.conv_forward(x, weight))

    def conv_input_gradient(self, dy: Floats, weight: Floats) -> Prepared:
        """Return its gradient for the images."""
        return _computing(lambda: conv.conv_input_gradient(dy, weight))

    def conv_weight_gradient(self, dy: Floats, x: Floats) -> Prepared:
        """Return its gradient for the weights."""
        return _computing(lambda: conv.conv_weight_gradient(dy, x))

    def bring(self, batch: Digits) -> None:
        """Do nothing, as the batch is there."""

    def trainer(self, net: Net, batches: Sequence[Digits]) -> NumpyTrainer:
        """Return the untrained net with its training images in place."""
        return NumpyTrainer(net, batches)

    def witness(self, net: Net) -> NumpyWitness:
        """Return NumPy, asked for the gradients of this net."""
        return NumpyWitness(net)


def _computing(compute: Callable[[], np.ndarray[Any, Any]]) -> Prepared:
    return _prepared(compute, compute)


def _prepared(
    compute: Callable[[], object], result: Callable[[], np.ndarray[Any, Any]]
) -> Prepared:
    def run(times: int) -> None:
        for _ in range(times):
            compute()

    def once() -> np.ndarray[Any, Any]:
        compute()
        return result()

    return Prepared(run, once)
