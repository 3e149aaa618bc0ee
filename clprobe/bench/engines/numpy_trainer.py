# SPDX-License-Identifier: MIT
"""Training written out in NumPy, to check devices against where torch is absent."""

from collections.abc import Sequence

import numpy as np

from clprobe.bench.digits import Digits, Floats, Labels
from clprobe.bench.engines.numpy_layers import Pass, Pull, Running, apply_all
from clprobe.bench.layers import BatchNorm, flat
from clprobe.bench.nets import LEARNING_RATE, MOMENTUM, Net


class NumpyTrainer:
    """Softmax cross-entropy and momentum descent, as torch.optim.SGD defines it."""

    def __init__(self, net: Net, batches: Sequence[Digits]) -> None:
        self._net = net
        self._batches = batches
        self._weights = net.initial_weights()
        self._velocities = [np.zeros_like(weight) for weight in self._weights]
        self._averages = [
            Running(np.zeros(one.channels, np.float32), np.ones(one.channels, np.float32))
            for one in flat(net.layers)
            if isinstance(one, BatchNorm)
        ]

    def train(self, batches: range) -> list[float]:
        """Train on these batches and return the loss of each."""
        return [self._step(self._batches[index]) for index in batches]

    def weights(self) -> list[Floats]:
        """Return a copy of every weight and bias."""
        return [weight.copy() for weight in self._weights]

    def predict(self, images: Floats) -> Labels:
        """Return the digit that the net sees in each image."""
        logits, _ = self._forward(images, training=False)
        digits: Labels = logits.argmax(axis=1).astype(np.int32)
        return digits

    def _step(self, batch: Digits) -> float:
        logits, back = self._forward(batch.images, training=True)
        loss, gradient = _cross_entropy(logits, batch.labels)
        _, gradients = back(gradient)
        for index, change in enumerate(gradients):
            self._velocities[index] = MOMENTUM * self._velocities[index] + change
            self._weights[index] = self._weights[index] - LEARNING_RATE * self._velocities[index]
        return loss

    def _forward(self, x: Floats, *, training: bool) -> tuple[Floats, Pull]:
        state = Pass(iter(self._weights), iter(self._averages), training)
        return apply_all(self._net.layers, x, state)


def _cross_entropy(logits: Floats, labels: Labels) -> tuple[float, Floats]:
    rows = np.arange(len(labels))
    shifted = logits - logits.max(axis=1, keepdims=True)
    exponentials = np.exp(shifted)
    sums = exponentials.sum(axis=1, keepdims=True)
    losses = np.log(sums[:, 0]) - shifted[rows, labels]
    gradient = exponentials / sums
    gradient[rows, labels] -= 1
    return float(losses.mean()), gradient / np.float32(len(labels))
