# SPDX-License-Identifier: MIT
"""The nets that are trained, as data: every engine builds its own from their layers."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from clprobe.bench.digits import SIDE, Floats
from clprobe.knowledge.checked_yaml import parse

LEARNING_RATE = 0.05
MOMENTUM = 0.9
BATCH = 64

WINOGRAD = 4
"""Times fewer multiplications than a 3x3 convolution's definition has, with tiles of 4x4.

**Source** Lavin & Gray 2015, arXiv:1509.09308.
"""
_SEED = 1998


@dataclass(frozen=True, slots=True)
class Linear:
    """y = x · weightᵀ + bias, weight of shape (outputs, inputs)."""

    inputs: int
    outputs: int


@dataclass(frozen=True, slots=True)
class Conv:
    """A convolution with weights (outputs, inputs, size, size), padded so that stride 1 keeps all.

    `size` is 3 or 1.
    """

    inputs: int
    outputs: int
    size: int = 3
    stride: int = 1


@dataclass(frozen=True, slots=True)
class BatchNorm:
    """Normalisation of each channel; when the net is used, by what training saw on average.

    **Source** Ioffe & Szegedy 2015, arXiv:1502.03167.
    """

    channels: int


@dataclass(frozen=True, slots=True)
class Relu:
    """max(x, 0)."""


@dataclass(frozen=True, slots=True)
class MaxPool2x2:
    """The largest of each 2x2 square."""


@dataclass(frozen=True, slots=True)
class GlobalAvgPool:
    """The average of each channel, as an image of one pixel."""


@dataclass(frozen=True, slots=True)
class Flatten:
    """(n, c, h, w) to (n, c · h · w)."""


@dataclass(frozen=True, slots=True)
class Residual:
    """relu(body(x) + shortcut(x)); an empty shortcut is x itself.

    **Source** He et al. 2016, arXiv:1512.03385.
    """

    body: "tuple[Layer, ...]"
    shortcut: "tuple[Layer, ...]" = ()


Layer = Linear | Conv | BatchNorm | Relu | MaxPool2x2 | GlobalAvgPool | Flatten | Residual


def flat(layers: Sequence[Layer]) -> Iterator[Layer]:
    """Yield every layer, those of a block after it, in the order of the weights."""
    for layer in layers:
        yield layer
        if isinstance(layer, Residual):
            yield from flat((*layer.body, *layer.shortcut))


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
        operations, moved = step_cost(self.layers, batch, 1, SIDE)
        return operations / moved

    def least_gflop(self) -> float:
        """Return the least work of one image in a step, as nobody needs the images' gradient."""
        first = next(at for at, one in enumerate(self.layers) if isinstance(one, Linear | Conv))
        whole, of_first = (
            step_cost(layers, 1, 1, SIDE)[0] for layers in (self.layers, self.layers[: first + 1])
        )
        fewer = WINOGRAD if any(isinstance(one, Conv) for one in flat(self.layers)) else 1
        return (whole - of_first / 3) / fewer / 1e9


def _weight_shape(layer: Linear | Conv) -> tuple[int, ...]:
    if isinstance(layer, Linear):
        return layer.outputs, layer.inputs
    return layer.outputs, layer.inputs, layer.size, layer.size


def step_cost(layers: Sequence[Layer], batch: int, channels: int, side: int) -> tuple[float, float]:
    """Return the cost of a step on so many images: operations, and bytes if each moves once.

    Forward, and backward for input and weights: three products of one size per layer, and each
    weight is read, its gradient written, both read and its velocity moved to change it.
    """
    operations = moved = 0.0
    for layer in layers:
        if isinstance(layer, Residual):
            for path in (layer.body, layer.shortcut):
                of_path = step_cost(path, batch, channels, side)
                operations, moved = operations + of_path[0], moved + of_path[1]
        if isinstance(layer, Flatten):
            channels, side = channels * side * side, 1
            continue
        before = channels * side * side
        channels, side = _after(layer, channels, side)
        weights = math.prod(_weight_shape(layer)) if isinstance(layer, Linear | Conv) else 0
        places = side * side if isinstance(layer, Conv) else 1
        values = batch * (before + channels * side * side)
        operations += 6 * weights * places * batch
        moved += 4 * (3 * values + 7 * weights)
    return operations, moved


def _after(layer: Layer, channels: int, side: int) -> tuple[int, int]:
    """Return channels and side of what a layer returns."""
    match layer:
        case Linear(_, outputs):
            return outputs, 1
        case Conv(_, outputs, _, stride):
            return outputs, -(-side // stride)
        case MaxPool2x2():
            return channels, side // 2
        case GlobalAvgPool():
            return channels, 1
        case Residual(body, _):
            for one in body:
                channels, side = _after(one, channels, side)
    return channels, side


_KINDS: dict[str, Callable[..., Layer]] = {
    "linear": Linear,
    "conv": Conv,
    "batch-norm": BatchNorm,
    "relu": Relu,
    "max-pool-2x2": MaxPool2x2,
    "global-avg-pool": GlobalAvgPool,
    "flatten": Flatten,
    "residual": lambda *paths: Residual(*map(_layers, paths)),
}


def _layers(listed: Sequence[Sequence[Any]]) -> tuple[Layer, ...]:
    """Return layers from their kinds and sizes."""
    return tuple(_KINDS[kind](*sizes) for kind, *sizes in listed)


MLP, CNN, RESNET = (
    Net(**{**told, "name": name, "layers": _layers(told["layers"])})
    for name, told in parse(Path(__file__).parent / "data" / "nets.yaml").items()
)
