# SPDX-License-Identifier: MIT
"""The CPU reference where torch is absent, with training written out in NumPy."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from clprobe.bench.digits import Digits, Floats, Labels
from clprobe.bench.engines import Prepared, Slope
from clprobe.bench.engines.numpy_layers import COMPUTED, Pass, Pull, Running, apply_all
from clprobe.bench.nets import LEARNING_RATE, MOMENTUM, BatchNorm, Net, flat


class NumpyEngine:
    """NumPy with whatever BLAS it was built with."""

    name = "NumPy on the CPU"

    def prepare(self, operation: str, *operands: Floats) -> Prepared:
        """Return an operation with its operands in place."""
        is_copy = operation == "copy"
        compute = _copying(*operands) if is_copy else partial(COMPUTED[operation], *operands)

        def run(times: int) -> None:
            for _ in range(times):
                compute()

        return Prepared(run, compute)

    def inference(self, net: Net, images: Floats) -> Prepared:
        """Return the untrained net, used on these images."""
        compute = partial(logits_of, net, images)

        def run(times: int) -> None:
            for _ in range(times):
                compute()

        return Prepared(run, compute)

    def trainer(self, net: Net, batches: Sequence[Digits]) -> "NumpyTrainer":
        """Return the untrained net with its training images in place."""
        return NumpyTrainer(net, batches)

    def witness(self, net: Net) -> "NumpyWitness":
        """Return NumPy, asked for the gradients of this net."""
        return NumpyWitness(net)


def logits_of(net: Net, images: Floats) -> Floats:
    """Return what the untrained net makes of images, in their precision."""
    weights = [one.astype(images.dtype) for one in net.initial_weights()]
    state = Pass(iter(weights), iter(_averages(net)), training=False)
    return apply_all(net.layers, images, state)[0]


def _copying(values: Floats) -> Callable[[], Floats]:
    """Return what copies values into memory that is already mapped."""
    target = np.empty_like(values)

    def compute() -> Floats:
        np.copyto(target, values)
        return target

    return compute


class NumpyTrainer:
    """Softmax cross-entropy and momentum descent, as torch.optim.SGD defines it."""

    def __init__(self, net: Net, batches: Sequence[Digits]) -> None:
        self._net = net
        self._batches = batches
        self._weights = net.initial_weights()
        self._velocities = [np.zeros_like(weight) for weight in self._weights]
        self._averages = _averages(net)
        self._gradients = self._velocities

    def train(self, batches: range) -> list[float]:
        """Train on these batches and return the loss of each."""
        return [self._step(self._batches[index]) for index in batches]

    def weights(self) -> list[Floats]:
        """Return a copy of every weight and bias."""
        return [weight.copy() for weight in self._weights]

    def gradients(self) -> list[Floats]:
        """Return a copy of the last gradient by every weight and bias."""
        return [gradient.copy() for gradient in self._gradients]

    def predict(self, images: Floats) -> Labels:
        """Return the digit that the net sees in each image."""
        logits, _ = self._forward(images, training=False)
        digits: Labels = logits.argmax(axis=1).astype(np.int32)
        return digits

    def _step(self, batch: Digits) -> float:
        logits, back = self._forward(batch.images, training=True)
        loss, gradient = _cross_entropy(logits, batch.labels)
        _, self._gradients = back(gradient)
        for index, change in enumerate(self._gradients):
            self._velocities[index] = MOMENTUM * self._velocities[index] + change
            self._weights[index] = self._weights[index] - LEARNING_RATE * self._velocities[index]
        return loss

    def _forward(self, x: Floats, *, training: bool) -> tuple[Floats, Pull]:
        state = Pass(iter(self._weights), iter(self._averages), training)
        return apply_all(self._net.layers, x, state)


class NumpyWitness:
    """NumPy, asked for the gradients of one of bench's own nets."""

    def __init__(self, net: Net) -> None:
        self._net = net

    def slope(self, batch: Digits, weights: Sequence[Floats], *, double: bool) -> Slope:
        """Return loss and gradients at these weights, in float64 or float32."""
        kind: Any = np.float64 if double else np.float32
        # Each layer computes in the precision of its operands.
        cast: list[Any] = [one.astype(kind) for one in (batch.images, *weights)]
        state = Pass(iter(cast[1:]), iter(_averages(self._net)))
        logits, back = apply_all(self._net.layers, cast[0], state)
        loss, gradient = _cross_entropy(logits, batch.labels)
        return Slope(loss, back(gradient)[1])

    def fits_double(self) -> bool:
        """Return that it does: bench's own images are small."""
        return True


def _averages(net: Net) -> list[Running]:
    """Return what every normalisation keeps for later, before any training."""
    return [
        Running(np.zeros(one.channels, np.float32), np.ones(one.channels, np.float32))
        for one in flat(net.layers)
        if isinstance(one, BatchNorm)
    ]


def _cross_entropy(logits: Floats, labels: Labels) -> tuple[float, Floats]:
    rows = np.arange(len(labels))
    shifted = logits - logits.max(axis=1, keepdims=True)
    exponentials = np.exp(shifted)
    sums = exponentials.sum(axis=1, keepdims=True)
    losses = np.log(sums[:, 0]) - shifted[rows, labels]
    gradient = exponentials / sums
    gradient[rows, labels] -= 1
    return float(losses.mean()), gradient / np.float32(len(labels))
