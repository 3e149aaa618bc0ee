# SPDX-License-Identifier: MIT
"""Training written out in NumPy, to check devices against where torch is absent."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from clprobe.bench.digits import Digits, Floats, Labels
from clprobe.bench.engines import numpy_conv as conv
from clprobe.bench.nets import (
    LEARNING_RATE,
    MOMENTUM,
    Conv3x3,
    Flatten,
    Layer,
    Linear,
    MaxPool2x2,
    Net,
    Relu,
)

Pull = Callable[[Floats], tuple[Floats, list[Floats]]]
"""Turns the gradient of a layer's output into those of its input and of its weights."""


class NumpyTrainer:
    """Softmax cross-entropy and momentum descent, as torch.optim.SGD defines it."""

    def __init__(self, net: Net, batches: Sequence[Digits]) -> None:
        self._net = net
        self._batches = batches
        self._weights = net.initial_weights()
        self._velocities = [np.zeros_like(weight) for weight in self._weights]

    def train(self, batches: range) -> list[float]:
        """Train on these batches and return the loss of each."""
        return [self._step(self._batches[index]) for index in batches]

    def weights(self) -> list[Floats]:
        """Return a copy of every weight and bias."""
        return [weight.copy() for weight in self._weights]

    def predict(self, images: Floats) -> Labels:
        """Return the digit that the net sees in each image."""
        logits, _ = self._forward(images)
        digits: Labels = logits.argmax(axis=1).astype(np.int32)
        return digits

    def _step(self, batch: Digits) -> float:
        logits, pulls = self._forward(batch.images)
        loss, gradient = _cross_entropy(logits, batch.labels)
        gradients: list[Floats] = []
        for pull in reversed(pulls):
            gradient, own = pull(gradient)
            gradients[:0] = own
        for index, change in enumerate(gradients):
            self._velocities[index] = MOMENTUM * self._velocities[index] + change
            self._weights[index] = self._weights[index] - LEARNING_RATE * self._velocities[index]
        return loss

    def _forward(self, x: Floats) -> tuple[Floats, list[Pull]]:
        weights = iter(self._weights)
        pulls: list[Pull] = []
        for layer in self._net.layers:
            x, pull = _apply(layer, x, weights)
            pulls.append(pull)
        return x, pulls


def _apply(layer: Layer, x: Floats, weights: Iterator[Floats]) -> tuple[Floats, Pull]:
    match layer:
        case Linear():
            return _linear(x, next(weights), next(weights))
        case Conv3x3():
            return _conv(x, next(weights), next(weights))
        case Relu():
            return np.maximum(x, 0), lambda dy: (dy * (x > 0), [])
        case MaxPool2x2():
            return _max_pool(x)
        case Flatten():
            return x.reshape(len(x), -1), lambda dy: (dy.reshape(x.shape), [])


def _linear(x: Floats, weight: Floats, bias: Floats) -> tuple[Floats, Pull]:
    return x @ weight.T + bias, lambda dy: (dy @ weight, [dy.T @ x, dy.sum(axis=0)])


def _conv(x: Floats, weight: Floats, bias: Floats) -> tuple[Floats, Pull]:
    def pull(dy: Floats) -> tuple[Floats, list[Floats]]:
        own = [conv.conv_weight_gradient(dy, x), dy.sum(axis=(0, 2, 3))]
        return conv.conv_input_gradient(dy, weight), own

    return conv.conv_forward(x, weight) + bias[:, None, None], pull


def _max_pool(x: Floats) -> tuple[Floats, Pull]:
    images, channels, height, width = x.shape
    halves = (images, channels, height // 2, width // 2)
    squares = x.reshape(images, channels, height // 2, 2, width // 2, 2).transpose(0, 1, 2, 4, 3, 5)
    flat = squares.reshape(*halves, 4)
    # Of equal values the first gets the whole gradient, as in torch.
    largest = flat.argmax(axis=-1)[..., None]

    def pull(dy: Floats) -> tuple[Floats, list[Floats]]:
        spread = np.zeros_like(flat)
        np.put_along_axis(spread, largest, dy[..., None], axis=-1)
        dx = spread.reshape(*halves, 2, 2).transpose(0, 1, 2, 4, 3, 5).reshape(x.shape)
        return dx, []

    return np.take_along_axis(flat, largest, axis=-1)[..., 0], pull


def _cross_entropy(logits: Floats, labels: Labels) -> tuple[float, Floats]:
    rows = np.arange(len(labels))
    shifted = logits - logits.max(axis=1, keepdims=True)
    exponentials = np.exp(shifted)
    sums = exponentials.sum(axis=1, keepdims=True)
    losses = np.log(sums[:, 0]) - shifted[rows, labels]
    gradient = exponentials / sums
    gradient[rows, labels] -= 1
    return float(losses.mean()), gradient / np.float32(len(labels))
