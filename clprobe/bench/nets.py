# SPDX-License-Identifier: MIT
"""The nets that are trained."""

from dataclasses import dataclass

import numpy as np

from clprobe.bench.digits import CLASSES, SIDE, Floats
from clprobe.bench.layers import (
    BatchNorm,
    Conv,
    Flatten,
    GlobalAvgPool,
    Layer,
    Linear,
    MaxPool2x2,
    Relu,
    Residual,
    flat,
    step_cost,
)

LEARNING_RATE = 0.05
MOMENTUM = 0.9
BATCH = 64

_SEED = 1998


@dataclass(frozen=True, slots=True)
class Net:
    """A classifier of 8x8 images and how many rounds over the training images it needs.

    `drift`: by how much of their change its weights may differ in the end though every step is
    right, as rounding grows from step to step.
    """

    name: str
    layers: tuple[Layer, ...]
    epochs: int
    drift: float = 2e-2

    def initial_weights(self) -> list[Floats]:
        """Return weight and bias of each layer that has them, the same in every run.

        **Source** He et al. 2015, arXiv:1502.01852: variance 2 / inputs suits ReLU.
        """
        random = np.random.default_rng(_SEED)
        weights: list[Floats] = []
        for layer in flat(self.layers):
            match layer:
                case Linear() | Conv():
                    shape = _weight_shape(layer)
                    scale = np.sqrt(2 / np.prod(shape[1:]))
                    weights.append((random.standard_normal(shape) * scale).astype(np.float32))
                    weights.append(np.zeros(layer.outputs, np.float32))
                case BatchNorm(channels):
                    weights += [np.ones(channels, np.float32), np.zeros(channels, np.float32)]
        return weights

    def intensity(self, batch: int) -> float:
        """Return the operations per byte of a training step, if each array moves once."""
        cost = step_cost(self.layers, batch, 1, SIDE)
        return cost.operations / cost.bytes


def _weight_shape(layer: Linear | Conv) -> tuple[int, ...]:
    if isinstance(layer, Linear):
        return layer.outputs, layer.inputs
    return layer.outputs, layer.inputs, layer.size, layer.size


def _block(inputs: int, outputs: int, stride: int = 1) -> Residual:
    """Return two convolutions around which the input may go; it is fitted where sizes differ."""
    body = (
        *(Conv(inputs, outputs, stride=stride), BatchNorm(outputs), Relu()),
        *(Conv(outputs, outputs), BatchNorm(outputs)),
    )
    if inputs == outputs and stride == 1:
        return Residual(body)
    return Residual(body, (Conv(inputs, outputs, 1, stride), BatchNorm(outputs)))


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
        Conv(1, 16),
        Relu(),
        MaxPool2x2(),
        Conv(16, 32),
        Relu(),
        Flatten(),
        Linear(32 * (SIDE // 2) ** 2, CLASSES),
    ),
    epochs=12,
)

# Blank paper gives many pixels one value, and where a normalisation moves it across zero, all of
# them begin or cease to pass their gradient at once: torch with weights that differ by 1e-7 ends
# 0.04 to 0.08 from itself, with losses that differ by 0.004.
RESNET = Net(
    name="resnet",
    layers=(
        Conv(1, 16),
        BatchNorm(16),
        Relu(),
        _block(16, 16),
        _block(16, 32, stride=2),
        GlobalAvgPool(),
        Flatten(),
        Linear(32, CLASSES),
    ),
    epochs=6,
    drift=0.3,
)
