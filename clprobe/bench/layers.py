# SPDX-License-Identifier: MIT
"""The layers that the nets are made of, as data: every engine builds its own from them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


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
class Cost:
    """What a training step does: multiplications and additions, and bytes if each moves once."""

    operations: float = 0
    bytes: float = 0

    def __add__(self, other: "Cost") -> "Cost":
        """Return the cost of both."""
        return Cost(self.operations + other.operations, self.bytes + other.bytes)


def step_cost(layers: Sequence[Layer], batch: int, channels: int, side: int) -> Cost:
    """Return the cost of a step on so many images of so many channels.

    Forward, and backward for input and weights: three products of one size per layer, and each
    weight is read, its gradient written, both read and its velocity moved to change it.
    """
    cost = Cost()
    for layer in layers:
        if isinstance(layer, Residual):
            for path in (layer.body, layer.shortcut):
                cost += step_cost(path, batch, channels, side)
        if isinstance(layer, Flatten):
            channels, side = channels * side * side, 1
            continue
        before = channels * side * side
        channels, side = _after(layer, channels, side)
        weights = weight_count(layer)
        places = side * side if isinstance(layer, Conv) else 1
        values = batch * (before + channels * side * side)
        cost += Cost(6 * weights * places * batch, 4 * (3 * values + 7 * weights))
    return cost


def weight_count(layer: Layer) -> int:
    """Return how many weights multiply a layer's input."""
    match layer:
        case Linear(inputs, outputs):
            return inputs * outputs
        case Conv(inputs, outputs, size):
            return inputs * outputs * size * size
    return 0


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
