# SPDX-License-Identifier: MIT
"""Trains the user's own net, translated, on an OpenCL device."""

from collections.abc import Sequence

import numpy as np

from clprobe.bench.digits import Digits, Floats, Labels
from clprobe.bench.engines.opencl import gradients_of
from clprobe.bench.nets import LEARNING_RATE, MOMENTUM
from clprobe.bench.own_net.layers import translated
from clprobe.bench.own_net.net import UserNet
from clprobe.tensor import Device, Tensor, optim, softmax_cross_entropy


class OpenClUserTrainer:
    """The net's operations one after the other, on clprobe's layers."""

    def __init__(self, device: Device, net: UserNet, batches: Sequence[Digits]) -> None:
        self._net = net
        self._device = device
        self._layers = {
            name: translated(layer, device)
            for name in dict.fromkeys(_layer_names(net))
            for layer in [net.layers[name]]
        }
        # In torch's own order, in which the weights are compared.
        self._parameters = [
            tensor
            for name, _ in net.module.named_modules()
            for tensor in ([] if self._layers.get(name) is None else self._of(name))
        ]
        self._optimiser = optim.SGD(self._parameters, LEARNING_RATE, MOMENTUM)
        self._batches = [
            (Tensor.from_numpy(batch.images, device), Tensor.from_numpy(batch.labels, device))
            for batch in batches
        ]

    def train(self, batches: range) -> list[float]:
        """Train on these batches, wait, and return the loss of each."""
        losses = [self._step(*self._batches[index]) for index in batches]
        return [float(loss.numpy()) for loss in losses]

    def weights(self) -> list[Floats]:
        """Return a copy of every parameter."""
        return [tensor.numpy() for tensor in self._parameters]

    def gradients(self) -> list[Floats]:
        """Return a copy of the last gradient by every parameter."""
        return gradients_of(self._parameters)

    def predict(self, images: Floats) -> Labels:
        """Return the class of each input."""
        self._train(training=False)
        logits = self._forward(Tensor.from_numpy(images, self._device)).numpy()
        self._train(training=True)
        classes: Labels = logits.argmax(axis=1).astype(np.int32)
        return classes

    def _train(self, *, training: bool) -> None:
        for layer in self._layers.values():
            if layer is not None:
                layer.train(training)

    def _of(self, name: str) -> list[Tensor]:
        layer = self._layers[name]
        return [] if layer is None else layer.parameters()

    def _step(self, images: Tensor, labels: Tensor) -> Tensor:
        self._optimiser.zero_grad()
        loss = softmax_cross_entropy(self._forward(images), labels)
        loss.backward()
        self._optimiser.step()
        return loss

    def _forward(self, x: Tensor) -> Tensor:
        values = {self._net.input: x}
        for node in self._net.nodes:
            operands = [values[name] for name in node.inputs]
            values[node.name] = self._apply(node.operation, operands)
        return values[self._net.output]

    def _apply(self, operation: str, operands: list[Tensor]) -> Tensor:
        first = operands[0]
        match operation:
            case "relu":
                return first.relu()
            case "flatten":
                return first.flatten()
            case "add":
                return first + operands[1]
        layer = self._layers[operation.removeprefix("layer ")]
        return first if layer is None else layer(first)


def _layer_names(net: UserNet) -> list[str]:
    return [
        node.operation.removeprefix("layer ")
        for node in net.nodes
        if node.operation.startswith("layer ")
    ]
