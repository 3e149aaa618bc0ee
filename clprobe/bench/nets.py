# SPDX-License-Identifier: MIT
"""The nets that are trained, as data: every engine builds the same one from it."""

from dataclasses import dataclass

import numpy as np

from clprobe.bench.digits import CLASSES, SIDE, Floats

LEARNING_RATE = 0.05
MOMENTUM = 0.9
BATCH = 64

_SEED = 1998


@dataclass(frozen=True, slots=True)
class Linear:
    """y = x · weightᵀ + bias, weight of shape (outputs, inputs)."""

    inputs: int
    outputs: int


@dataclass(frozen=True, slots=True)
class Conv3x3:
    """A convolution with 3x3 weights (outputs, inputs, 3, 3), padded so that the size stays."""

    inputs: int
    outputs: int


@dataclass(frozen=True, slots=True)
class Relu:
    """max(x, 0)."""


@dataclass(frozen=True, slots=True)
class MaxPool2x2:
    """The largest of each 2x2 square."""


@dataclass(frozen=True, slots=True)
class Flatten:
    """(n, c, h, w) to (n, c · h · w)."""


Layer = Linear | Conv3x3 | Relu | MaxPool2x2 | Flatten


@dataclass(frozen=True, slots=True)
class Net:
    """A classifier of 8x8 images and how many rounds over the training images it needs."""

    name: str
    layers: tuple[Layer, ...]
    epochs: int

    def initial_weights(self) -> list[Floats]:
        """Return weight and bias of each layer that has them, the same in every run.

        **Source** He et al. 2015, arXiv:1502.01852: variance 2 / inputs suits ReLU.
        """
        random = np.random.default_rng(_SEED)
        weights: list[Floats] = []
        for layer in self.layers:
            if isinstance(layer, Linear | Conv3x3):
                shape = _weight_shape(layer)
                scale = np.sqrt(2 / np.prod(shape[1:]))
                weights.append((random.standard_normal(shape) * scale).astype(np.float32))
                weights.append(np.zeros(layer.outputs, np.float32))
        return weights

    def intensity(self, batch: int) -> float:
        """Return the operations per byte of a training step, if each array moves once.

        Forward, and backward for input and weights: three products of one size per layer, and each
        weight is read, its gradient written, both read and its velocity moved to change it.
        """
        channels, side = 1, SIDE
        operations = moved = 0
        for layer in self.layers:
            before = channels * side * side
            weights = 0
            match layer:
                case Linear():
                    channels, side, weights = layer.outputs, 1, layer.inputs * layer.outputs
                    operations += 6 * weights * batch
                case Conv3x3():
                    channels, weights = layer.outputs, 9 * layer.inputs * layer.outputs
                    operations += 6 * weights * side * side * batch
                case MaxPool2x2():
                    side //= 2
                case Flatten():
                    continue
            moved += 4 * (3 * batch * (before + channels * side * side) + 7 * weights)
        return operations / moved


def _weight_shape(layer: Linear | Conv3x3) -> tuple[int, ...]:
    if isinstance(layer, Linear):
        return layer.outputs, layer.inputs
    return layer.outputs, layer.inputs, 3, 3


MLP = Net(
    name="mlp",
    layers=(Flatten(), Linear(SIDE * SIDE, 64), Relu(), Linear(64, CLASSES)),
    epochs=24,
)

# Pooling comes once, early. Blank paper makes equal values, and a pool passes the gradient to any
# one of them: behind the first convolution that choice changes nothing, behind a second it would.
CNN = Net(
    name="cnn",
    layers=(
        Conv3x3(1, 16),
        Relu(),
        MaxPool2x2(),
        Conv3x3(16, 32),
        Relu(),
        Flatten(),
        Linear(32 * (SIDE // 2) ** 2, CLASSES),
    ),
    epochs=12,
)
