# SPDX-License-Identifier: MIT
"""The device under test, through clprobe's own framework."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyopencl as cl

from clprobe.bench import nets
from clprobe.bench.digits import Digits, Floats, Labels
from clprobe.bench.engines import Prepared, TakenMs
from clprobe.bench.engines.exchange import Exchanged
from clprobe.model.measurement import TransferBy
from clprobe.tensor import Array, Device, Recorded, Tensor, nn, optim, softmax_cross_entropy
from clprobe.tensor.array import HostArray
from clprobe.tensor.capture import Step, capture
from clprobe.tensor.mapping import is_mapped
from clprobe.tensor.ops import conv
from clprobe.tensor.ops.elementwise import apply
from clprobe.tensor.ops.matmul import matmul_forward


class OpenClSubject:
    """An OpenCL device."""

    framework = "clprobe"

    def __init__(self, device: Device) -> None:
        self.device = device
        self.name = device.name
        self.is_cpu = bool(device.cl_device.type & cl.device_type.CPU)
        self.keeps_time = True
        """Whether its own clock is believed."""

    def prepare(self, operation: str, *operands: Floats) -> Prepared:
        """Return an operation with its operands on the device."""
        arrays = [Array.from_numpy(values, self.device) for values in operands]
        compute = _OPERATIONS[operation](*arrays)

        def once() -> Array:
            made = compute()
            _ = made.buffer  # without which an expression would not be computed
            return made

        def run(times: int) -> None:
            for _ in range(times):
                once()
            self.device.finish()

        return Prepared(run, lambda: compute().numpy(), partial(self._exchange, arrays[0], once))

    def _exchange(self, operand: Array, once: Callable[[], Array], other: Floats) -> Exchanged:
        own = Array.empty(self.device, operand.shape)
        own.assign(operand)
        both = (own, Array.from_numpy(other, self.device))
        place = lambda turn: operand.assign(both[turn])  # noqa: E731 - it is short
        return Exchanged(place, once, Array.numpy, self.device.finish)

    def ways(self, batch: Digits) -> dict[TransferBy, Callable[[], None]]:
        """Return what copies a batch to the device, and what maps memory for it where that can."""
        values = [_as_stored(each) for each in (batch.images, batch.labels)]
        arrays = [Array.empty(self.device, each.shape, each.dtype) for each in values]

        def copied() -> None:
            for array, each in zip(arrays, values, strict=True):
                array.assign(each)
            self.device.finish()

        def mapped() -> None:
            for array in arrays:
                with array.filling(by_map=True):
                    # Who makes a batch writes it here instead of elsewhere.
                    pass
            self.device.finish()

        if not self.device.limits.host_unified:
            return {"copied": copied}
        if is_mapped(self.device, values[0].nbytes):
            return {"mapped": mapped, "copied": copied}
        return {"copied": copied, "mapped": mapped}

    def trainer(self, net: nets.Net, batches: Sequence[Digits]) -> "OpenClTrainer":
        """Return the untrained net with its training images in place."""
        return OpenClTrainer(self.device, self._untrained(net), batches)

    def inference(self, net: nets.Net, images: Floats) -> Prepared:
        """Return the untrained net, used on these images, by replaying one captured pass."""
        model = self._untrained(net)
        model.eval()
        given = Tensor.from_numpy(images, self.device)
        captured: list[tuple[Step, Array]] = []

        def once() -> Array:
            if not captured:
                with capture(self.device) as step:
                    logits = model(given).array
                    _ = logits.buffer  # without which an expression would not be computed
                captured.append((step, logits))
            else:
                captured[0][0].replay()
            return captured[0][1]

        def run(times: int) -> None:
            for _ in range(times):
                once()
            self.device.finish()

        return Prepared(run, lambda: once().numpy(), partial(self._exchange, given.array, once))

    def _untrained(self, net: nets.Net) -> nn.Module:
        # What the layers draw here is overwritten.
        model = _sequence(net.layers, self.device, np.random.default_rng(0))
        for parameter, values in zip(model.parameters(), net.initial_weights(), strict=True):
            parameter.array.assign(values)
        return model

    def compile_ns(self) -> int:
        """Return the time spent on building kernels so far."""
        return self.device.compile_ns

    @contextmanager
    def recording(self) -> Iterator[TakenMs]:
        """Watch the commands of a `with` block, and tell what they took."""
        with self.device.record_events() as commands:
            yield lambda: _taken_ms(commands) if self.keeps_time else None


def _as_stored(values: Floats | Labels) -> HostArray:
    """Return a part of a batch as the device holds it."""
    is_float = values.dtype.kind == "f"
    kept: HostArray = values if is_float else values.astype(np.int32)
    return kept


def _taken_ms(commands: Sequence[Recorded]) -> float | None:
    elapsed_ns = [command.elapsed_ns for command in commands]
    # rusticl of Mesa 22.3 says 1 ns of every command.
    return sum(elapsed_ns) / 1e6 if any(one > 1 for one in elapsed_ns) else None


def _copying(source: Array) -> Callable[[], Array]:
    target = Array.full(source.device, source.shape, 0.0)

    def compute() -> Array:
        cl.enqueue_copy(
            source.device.queue, target.buffer, source.buffer, byte_count=source.size_bytes
        )
        return target

    return compute


def _input_gradient(dy: Array, weight: Array) -> Callable[[], Array]:
    images, _, height, width = dy.shape
    x = Array.empty(dy.device, (images, weight.shape[1], height, width))
    pull = conv.conv2d(x, weight, padding=1).gradients[0]
    return lambda: pull(dy)


def _weight_gradient(dy: Array, x: Array) -> Callable[[], Array]:
    weight = Array.empty(dy.device, (dy.shape[1], x.shape[1], 3, 3))
    pull = conv.conv2d(x, weight, padding=1).gradients[1]
    return lambda: pull(dy)


_OPERATIONS: dict[str, Callable[..., Callable[[], Array]]] = {
    "copy": _copying,
    "add": lambda a, b: lambda: apply("add", a, b),
    "matmul": lambda a, b: lambda: matmul_forward(a, b),
    "conv-forward": lambda x, weight: lambda: conv.conv2d(x, weight, padding=1).value,
    "conv-input-grad": _input_gradient,
    "conv-weight-grad": _weight_gradient,
}


@dataclass(frozen=True, slots=True)
class _Captured:
    """A step of training on batches of one shape, and where it reads and writes."""

    step: Step
    images: Tensor
    labels: Tensor
    loss: Tensor


class OpenClTrainer:
    """A model of clprobe.tensor's layers, trained by replaying one captured step.

    Batches come from the host, as users have them; losses stay on the device until all steps ran.
    """

    def __init__(self, device: Device, model: nn.Module, batches: Sequence[Digits]) -> None:
        self._device = device
        self._model = model
        self._optimiser = optim.SGD(model.parameters(), nets.LEARNING_RATE, nets.MOMENTUM)
        self._steps: dict[tuple[int, ...], _Captured] = {}
        self._batches = [(_as_stored(one.images), _as_stored(one.labels)) for one in batches]

    def train(self, batches: range) -> list[float]:
        """Train on these batches, wait, and return the loss of each."""
        losses = [self._train(*self._batches[index]) for index in batches]
        return [float(loss.numpy()) for loss in losses]

    def weights(self) -> list[Floats]:
        """Return a copy of every weight and bias."""
        return [parameter.numpy() for parameter in self._model.parameters()]

    def gradients(self) -> list[Floats]:
        """Return a copy of the last gradient by every parameter; zeros where there is none."""
        return gradients_of(self._model.parameters())

    def predict(self, images: Floats) -> Labels:
        """Return the class that the net sees in each image."""
        self._model.eval()
        logits = self._model(Tensor.from_numpy(images, self._device)).numpy()
        self._model.train()
        classes: Labels = logits.argmax(axis=1).astype(np.int32)
        return classes

    def _train(self, images: HostArray, labels: HostArray) -> Array:
        """Train one step and return a copy of its loss."""
        captured = self._steps.get(images.shape)
        if captured is None:
            captured = self._steps[images.shape] = self._capture(images, labels)
        else:
            _bring(images, captured.images.array)
            _bring(labels, captured.labels.array)
            captured.step.replay()
        loss = Array.empty(self._device, ())
        loss.assign(captured.loss.array)
        return loss

    def _capture(self, images: HostArray, labels: HostArray) -> _Captured:
        own_images, own_labels = (
            Tensor.from_numpy(each, self._device) for each in (images, labels)
        )
        with capture(self._device) as step:
            loss = self.step(own_images, own_labels)
        return _Captured(step, own_images, own_labels, loss)

    def step(self, images: Tensor, labels: Tensor) -> Tensor:
        """Train one step and return its loss."""
        self._optimiser.zero_grad()
        loss = softmax_cross_entropy(self._model(images), labels)
        loss.backward()
        self._optimiser.step()
        return loss


def _bring(values: HostArray, array: Array) -> None:
    """Hand a part of a batch over, in the way that suits its size."""
    if is_mapped(array.device, values.nbytes):
        with array.filling() as memory:
            memory[...] = values
    else:
        array.assign(values)


def gradients_of(parameters: Sequence[Tensor]) -> list[Floats]:
    """Return a copy of each parameter's gradient; zeros where there is none."""
    return [
        np.zeros(one.shape, np.float32) if one.grad is None else one.grad.numpy()
        for one in parameters
    ]


def _sequence(
    layers: Sequence[nets.Layer], device: Device, generator: np.random.Generator
) -> nn.Sequential:
    return nn.Sequential(*(_module(layer, device, generator) for layer in layers))


def _module(  # noqa: PLR0911 - one per kind of layer
    layer: nets.Layer, device: Device, generator: np.random.Generator
) -> nn.Module:
    match layer:
        case nets.Linear(inputs, outputs):
            return nn.Linear(inputs, outputs, device=device, generator=generator)
        case nets.Conv(inputs, outputs, size, stride):
            given = {"stride": stride, "padding": size // 2}
            return nn.Conv2d(inputs, outputs, size, **given, device=device, generator=generator)
        case nets.BatchNorm(channels):
            return nn.BatchNorm2d(channels, device=device)
        case nets.Relu():
            return nn.ReLU()
        case nets.MaxPool2x2():
            return nn.MaxPool2d(2)
        case nets.GlobalAvgPool():
            return nn.GlobalAvgPool2d()
        case nets.Flatten():
            return nn.Flatten()
        case nets.Residual(body, shortcut):
            past = _sequence(shortcut, device, generator) if shortcut else None
            return nn.Residual(_sequence(body, device, generator), past)
