# SPDX-License-Identifier: MIT
"""The CPU reference: torch, as people use it, on all threads that it takes by itself.

The same code computes on any other device of torch's.
"""

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
    """torch on one device; operands are moved there before anything is timed."""

    def __init__(self, device: str = "cpu") -> None:
        self.torch_device = device
        self._device = torch.device(device)
        self.threads: int | None = torch.get_num_threads() if device == "cpu" else None
        on_device = f"torch on {device.partition(':')[0]}"
        self.name = on_device if self.threads is None else f"torch on {self.threads} CPU threads"
        # Whoever cannot do this much should not be asked for more.
        torch.ones(1, device=self._device).add(1).cpu()

    def copy(self, values: Floats) -> Prepared:
        """Copy values into memory that is already mapped."""
        source = self._moved(values)
        target = torch.empty_like(source)
        return self._prepared(lambda: target.copy_(source))

    def add(self, a: Floats, b: Floats) -> Prepared:
        """Return a + b."""
        x, y = self._moved(a), self._moved(b)
        return self._prepared(lambda: x + y)

    def matmul(self, a: Floats, b: Floats) -> Prepared:
        """Return a @ b."""
        x, y = self._moved(a), self._moved(b)
        return self._prepared(lambda: x @ y)

    def conv_forward(self, x: Floats, weight: Floats) -> Prepared:
        """Return the 3x3 convolution, padded by 1."""
        images, filters = self._moved(x), self._moved(weight)
        return self._prepared(lambda: nn.functional.conv2d(images, filters, padding=1))

    def conv_input_gradient(self, dy: Floats, weight: Floats) -> Prepared:
        """Return its gradient for the images."""
        gradient, filters = self._moved(dy), self._moved(weight)
        images, _, height, width = dy.shape
        shape = (images, weight.shape[1], height, width)
        return self._prepared(lambda: _GRADIENTS.conv2d_input(shape, filters, gradient, padding=1))

    def conv_weight_gradient(self, dy: Floats, x: Floats) -> Prepared:
        """Return its gradient for the weights."""
        gradient, images = self._moved(dy), self._moved(x)
        shape = (dy.shape[1], x.shape[1], 3, 3)
        return self._prepared(lambda: _GRADIENTS.conv2d_weight(images, shape, gradient, padding=1))

    def trainer(self, net: Net, batches: Sequence[Digits]) -> "TorchTrainer":
        """Return the untrained net with its training images in place."""
        return TorchTrainer(net, batches, self._device)

    def _moved(self, values: Floats) -> Any:
        return torch.from_numpy(values).to(self._device)

    def _prepared(self, compute: Callable[[], Any]) -> Prepared:
        def run(times: int) -> None:
            for _ in range(times):
                compute()
            _wait_for(self._device)

        return Prepared(run, lambda: np.array(compute().cpu().numpy()))


class TorchTrainer:
    """A net as torch.nn.Sequential with torch.optim.SGD."""

    def __init__(self, net: Net, batches: Sequence[Digits], device: Any = "cpu") -> None:
        self._device = device
        self._model = nn.Sequential(*(_module(layer) for layer in net.layers)).to(device)
        initial = net.initial_weights()
        with torch.no_grad():
            for parameter, values in zip(self._model.parameters(), initial, strict=True):
                parameter.copy_(torch.from_numpy(values).to(device))
        self._optimiser = torch.optim.SGD(
            self._model.parameters(), lr=LEARNING_RATE, momentum=MOMENTUM
        )
        self._batches = [
            (
                torch.from_numpy(batch.images).to(device),
                torch.from_numpy(batch.labels).long().to(device),
            )
            for batch in batches
        ]

    def train(self, batches: range) -> list[float]:
        """Train on these batches and return the loss of each."""
        return [float(loss) for loss in [self._step(*self._batches[i]) for i in batches]]

    def weights(self) -> list[Floats]:
        """Return a copy of every weight and bias."""
        return [parameter.detach().cpu().numpy().copy() for parameter in self._model.parameters()]

    def predict(self, images: Floats) -> Labels:
        """Return the digit that the net sees in each image."""
        with torch.no_grad():
            digits = self._model(torch.from_numpy(images).to(self._device)).cpu().argmax(dim=1)
        return np.asarray(digits, dtype=np.int32)

    def _step(self, images: Any, labels: Any) -> Any:
        """Train one step and return the loss where it is; reading it would wait."""
        self._optimiser.zero_grad()
        loss: Any = nn.functional.cross_entropy(self._model(images), labels)
        loss.backward()
        self._optimiser.step()
        return loss.detach()


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


def _wait_for(device: Any) -> None:
    """Wait until the device has done all; the CPU has done so already."""
    if device.type != "cpu":
        getattr(torch, device.type).synchronize()
