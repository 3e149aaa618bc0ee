# SPDX-License-Identifier: MIT
"""The CPU reference: torch, as people use it, on all threads that it takes by itself."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import grad as conv_gradients

from clprobe.bench.digits import Digits, Floats, Labels
from clprobe.bench.engines import Prepared
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

# torch leaves these functions unannotated.
_GRADIENTS: Any = conv_gradients


class TorchEngine:
    """torch on the CPU."""

    def __init__(self) -> None:
        self.name = f"torch on {torch.get_num_threads()} CPU threads"

    def copy(self, values: Floats) -> Prepared:
        """Copy values into memory that is already mapped."""
        source = torch.from_numpy(values)
        target = torch.empty_like(source)
        return _prepared(lambda: target.copy_(source))

    def add(self, a: Floats, b: Floats) -> Prepared:
        """Return a + b."""
        x, y = torch.from_numpy(a), torch.from_numpy(b)
        return _prepared(lambda: x + y)

    def matmul(self, a: Floats, b: Floats) -> Prepared:
        """Return a @ b."""
        x, y = torch.from_numpy(a), torch.from_numpy(b)
        return _prepared(lambda: x @ y)

    def conv_forward(self, x: Floats, weight: Floats) -> Prepared:
        """Return the 3x3 convolution, padded by 1."""
        images, filters = torch.from_numpy(x), torch.from_numpy(weight)
        return _prepared(lambda: nn.functional.conv2d(images, filters, padding=1))

    def conv_input_gradient(self, dy: Floats, weight: Floats) -> Prepared:
        """Return its gradient for the images."""
        gradient, filters = torch.from_numpy(dy), torch.from_numpy(weight)
        images, _, height, width = dy.shape
        shape = (images, weight.shape[1], height, width)
        return _prepared(lambda: _GRADIENTS.conv2d_input(shape, filters, gradient, padding=1))

    def conv_weight_gradient(self, dy: Floats, x: Floats) -> Prepared:
        """Return its gradient for the weights."""
        gradient, images = torch.from_numpy(dy), torch.from_numpy(x)
        shape = (dy.shape[1], x.shape[1], 3, 3)
        return _prepared(lambda: _GRADIENTS.conv2d_weight(images, shape, gradient, padding=1))

    def trainer(self, net: Net, batches: Sequence[Digits]) -> "TorchTrainer":
        """Return the untrained net with its training images in place."""
        return TorchTrainer(net, batches)


class TorchTrainer:
    """A net as torch.nn.Sequential with torch.optim.SGD."""

    def __init__(self, net: Net, batches: Sequence[Digits]) -> None:
        self._model = nn.Sequential(*(_module(layer) for layer in net.layers))
        initial = net.initial_weights()
        with torch.no_grad():
            for parameter, values in zip(self._model.parameters(), initial, strict=True):
                parameter.copy_(torch.from_numpy(values))
        self._optimiser = torch.optim.SGD(
            self._model.parameters(), lr=LEARNING_RATE, momentum=MOMENTUM
        )
        self._batches = [
            (torch.from_numpy(batch.images), torch.from_numpy(batch.labels).long())
            for batch in batches
        ]

    def train(self, batches: range) -> list[float]:
        """Train on these batches and return the loss of each."""
        return [self._step(*self._batches[index]) for index in batches]

    def weights(self) -> list[Floats]:
        """Return a copy of every weight and bias."""
        return [parameter.detach().numpy().copy() for parameter in self._model.parameters()]

    def predict(self, images: Floats) -> Labels:
        """Return the digit that the net sees in each image."""
        with torch.no_grad():
            digits = self._model(torch.from_numpy(images)).argmax(dim=1)
        return np.asarray(digits, dtype=np.int32)

    def _step(self, images: Any, labels: Any) -> float:
        self._optimiser.zero_grad()
        loss: Any = nn.functional.cross_entropy(self._model(images), labels)
        loss.backward()
        self._optimiser.step()
        return float(loss.detach())


def _module(layer: Layer) -> Any:
    match layer:
        case Linear(inputs, outputs):
            return nn.Linear(inputs, outputs)
        case Conv3x3(inputs, outputs):
            return nn.Conv2d(inputs, outputs, 3, padding=1)
        case Relu():
            return nn.ReLU()
        case MaxPool2x2():
            return nn.MaxPool2d(2)
        case Flatten():
            return nn.Flatten()


def _prepared(compute: Callable[[], Any]) -> Prepared:
    def run(times: int) -> None:
        for _ in range(times):
            compute()

    return Prepared(run, lambda: np.array(compute().numpy()))
