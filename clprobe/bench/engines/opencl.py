# SPDX-License-Identifier: MIT
"""The device under test, through clprobe's own framework."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyopencl as cl

from clprobe.bench.digits import Digits, Floats, Labels
from clprobe.bench.engines import Prepared
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
)
from clprobe.bench.nets import LEARNING_RATE, MOMENTUM, Net
from clprobe.tensor import Array, Device, Tensor, nn, optim, softmax_cross_entropy
from clprobe.tensor.capture import Step, capture
from clprobe.tensor.ops import conv
from clprobe.tensor.ops.elementwise import apply
from clprobe.tensor.ops.matmul import matmul_forward


class OpenClEngine:
    """An OpenCL device."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.name = device.name

    def copy(self, values: Floats) -> Prepared:
        """Copy values within the device's memory."""
        source = self._array(values)
        target = Array.full(self.device, values.shape, 0.0)

        def compute() -> Array:
            cl.enqueue_copy(
                self.device.queue, target.buffer, source.buffer, byte_count=source.size_bytes
            )
            return target

        return self._prepared(compute)

    def add(self, a: Floats, b: Floats) -> Prepared:
        """Return a + b."""
        x, y = self._array(a), self._array(b)
        return self._prepared(lambda: apply("add", x, y))

    def matmul(self, a: Floats, b: Floats) -> Prepared:
        """Return a @ b."""
        x, y = self._array(a), self._array(b)
        return self._prepared(lambda: matmul_forward(x, y))

    def conv_forward(self, x: Floats, weight: Floats) -> Prepared:
        """Return the 3x3 convolution, padded by 1."""
        images, filters = self._array(x), self._array(weight)
        return self._prepared(lambda: conv.conv2d(images, filters, padding=1).value)

    def conv_input_gradient(self, dy: Floats, weight: Floats) -> Prepared:
        """Return its gradient for the images."""
        gradient, filters = self._array(dy), self._array(weight)
        images, _, height, width = dy.shape
        x = Array.empty(self.device, (images, weight.shape[1], height, width))
        pull = conv.conv2d(x, filters, padding=1).gradients[0]
        return self._prepared(lambda: pull(gradient))

    def conv_weight_gradient(self, dy: Floats, x: Floats) -> Prepared:
        """Return its gradient for the weights."""
        gradient, images = self._array(dy), self._array(x)
        filters = Array.empty(self.device, (dy.shape[1], x.shape[1], 3, 3))
        pull = conv.conv2d(images, filters, padding=1).gradients[1]
        return self._prepared(lambda: pull(gradient))

    def bring(self, batch: Digits) -> None:
        """Move a batch to the device, and wait."""
        Array.from_numpy(batch.images, self.device)
        Array.from_numpy(batch.labels, self.device)
        self.device.finish()

    def trainer(self, net: Net, batches: Sequence[Digits]) -> "OpenClTrainer":
        """Return the untrained net with its training images in place."""
        return OpenClTrainer(self.device, net, batches)

    def _array(self, values: Floats) -> Array:
        return Array.from_numpy(values, self.device)

    def _prepared(self, compute: Callable[[], Array]) -> Prepared:
        def run(times: int) -> None:
            for _ in range(times):
                _ = compute().buffer  # without which an expression would not be computed
            self.device.finish()

        return Prepared(run, lambda: compute().numpy())


@dataclass(frozen=True, slots=True)
class _Captured:
    """A step of training on batches of one shape, and where it reads and writes."""

    step: Step
    images: Tensor
    labels: Tensor
    loss: Tensor


class OpenClTrainer:
    """A net as clprobe.tensor.nn.Sequential, trained by replaying one captured step.

    Losses stay on the device until all steps ran.
    """

    def __init__(self, device: Device, net: Net, batches: Sequence[Digits]) -> None:
        self._device = device
        # What the layers draw here is overwritten.
        self._model = _sequence(net.layers, device, np.random.default_rng(0))
        for parameter, values in zip(self._model.parameters(), net.initial_weights(), strict=True):
            parameter.array.assign(values)
        self._optimiser = optim.SGD(self._model.parameters(), LEARNING_RATE, MOMENTUM)
        self._steps: dict[tuple[int, ...], _Captured] = {}
        self._batches = [
            (Tensor.from_numpy(batch.images, device), Tensor.from_numpy(batch.labels, device))
            for batch in batches
        ]

    def train(self, batches: range) -> list[float]:
        """Train on these batches, wait, and return the loss of each."""
        losses = [self._train(*self._batches[index]) for index in batches]
        return [float(loss.numpy()) for loss in losses]

    def weights(self) -> list[Floats]:
        """Return a copy of every weight and bias."""
        return [parameter.numpy() for parameter in self._model.parameters()]

    def gradients(self) -> list[Floats]:
        """Return a copy of the last gradient by every weight and bias."""
        return gradients_of(self._model.parameters())

    def predict(self, images: Floats) -> Labels:
        """Return the digit that the net sees in each image."""
        self._model.eval()
        logits = self._model(Tensor.from_numpy(images, self._device)).numpy()
        self._model.train()
        digits: Labels = logits.argmax(axis=1).astype(np.int32)
        return digits

    def _train(self, images: Tensor, labels: Tensor) -> Array:
        """Train one step and return a copy of its loss."""
        captured = self._steps.get(images.shape)
        if captured is None:
            captured = self._steps[images.shape] = self._capture(images, labels)
        else:
            captured.images.array.assign(images.array)
            captured.labels.array.assign(labels.array)
            captured.step.replay()
        loss = Array.empty(self._device, ())
        loss.assign(captured.loss.array)
        return loss

    def _capture(self, images: Tensor, labels: Tensor) -> _Captured:
        own_images, own_labels = (self._copy(each) for each in (images, labels))
        with capture(self._device) as step:
            self._optimiser.zero_grad()
            loss = softmax_cross_entropy(self._model(own_images), own_labels)
            loss.backward()
            self._optimiser.step()
        return _Captured(step, own_images, own_labels, loss)

    def _copy(self, tensor: Tensor) -> Tensor:
        copy = Array.empty(self._device, tensor.shape, tensor.array.dtype)
        copy.assign(tensor.array)
        return Tensor(copy, requires_grad=False)


def gradients_of(parameters: Sequence[Tensor]) -> list[Floats]:
    """Return a copy of each parameter's gradient; zeros where the loss does not depend on it."""
    return [
        np.zeros(one.shape, np.float32) if one.grad is None else one.grad.numpy()
        for one in parameters
    ]


def _sequence(
    layers: Sequence[Layer], device: Device, generator: np.random.Generator
) -> nn.Sequential:
    return nn.Sequential(*(_module(layer, device, generator) for layer in layers))


def _module(  # noqa: PLR0911 - one per kind of layer
    layer: Layer, device: Device, generator: np.random.Generator
) -> nn.Module:
    match layer:
        case Linear(inputs, outputs):
            return nn.Linear(inputs, outputs, device=device, generator=generator)
        case Conv(inputs, outputs, size, stride):
            given = {"stride": stride, "padding": size // 2}
            return nn.Conv2d(inputs, outputs, size, **given, device=device, generator=generator)
        case BatchNorm(channels):
            return nn.BatchNorm2d(channels, device=device)
        case Relu():
            return nn.ReLU()
        case MaxPool2x2():
            return nn.MaxPool2d(2)
        case GlobalAvgPool():
            return nn.GlobalAvgPool2d()
        case Flatten():
            return nn.Flatten()
        case Residual(body, shortcut):
            past = _sequence(shortcut, device, generator) if shortcut else None
            return nn.Residual(_sequence(body, device, generator), past)
