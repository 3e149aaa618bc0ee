# SPDX-License-Identifier: MIT
"""The CPU reference: torch, as people use it, on all threads that it takes by itself.

The same code computes on any other device of torch's, `xpu` or pytorch_dlprim's `ocl`.
"""

import importlib
import importlib.util
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import grad as conv_gradients
from torch.optim.sgd import sgd

from clprobe.bench import nets
from clprobe.bench.digits import Digits, Floats, Labels
from clprobe.bench.engines import Prepared, TakenMs
from clprobe.bench.engines.exchange import Exchanged
from clprobe.bench.engines.torch_witness import TorchWitness, as_given, gradients_of
from clprobe.model.measurement import TransferBy
from clprobe.tensor import DeviceError

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

    def prepare(self, operation: str, *operands: Floats) -> Prepared:
        """Return an operation with its operands on the device."""
        moved = [torch.from_numpy(values).to(self._device) for values in operands]
        compute = _OPERATIONS[operation](*moved)

        def run(times: int) -> None:
            for _ in range(times):
                compute()
            _wait_for(self._device)

        return Prepared(run, lambda: _read(compute()), partial(self._exchange, moved[0], compute))

    def _exchange(self, operand: Any, compute: Callable[[], Any], other: Floats) -> Exchanged:
        both = (operand.clone(), torch.from_numpy(other).to(self._device))
        return Exchanged(
            lambda turn: operand.copy_(both[turn]),
            *(compute, _read, partial(_wait_for, self._device)),
        )

    def trainer(self, net: nets.Net, batches: Sequence[Digits]) -> "TorchTrainer":
        """Return the untrained net with its training images in place."""
        return TorchTrainer(_untrained(net), batches, self._device)

    def inference(self, net: nets.Net, images: Floats) -> Prepared:
        """Return the untrained net, used on these images."""
        model = _untrained(net).eval().to(self._device)
        given = torch.from_numpy(images).to(self._device)

        def compute() -> Any:
            with torch.inference_mode():
                return model(given)

        def run(times: int) -> None:
            for _ in range(times):
                compute()
            _wait_for(self._device)

        return Prepared(run, lambda: _read(compute()), partial(self._exchange, given, compute))

    def witness(self, net: nets.Net) -> TorchWitness:
        """Return torch on the CPU, asked for the gradients of this net."""
        return TorchWitness(_sequence(net.layers))


class TorchSubject(TorchEngine):
    """The first device of one type, `xpu` or `ocl`.

    **Raises** DeviceError if torch cannot compute on it.
    """

    framework = "torch"
    is_cpu = False

    def __init__(self, device_type: str) -> None:
        if device_type == "ocl" and importlib.util.find_spec("pytorch_ocl"):
            importlib.import_module("pytorch_ocl")  # which registers the device
        try:
            super().__init__(f"{device_type}:0")
        except (RuntimeError, AssertionError, NotImplementedError) as error:
            first = str(error).strip().partition("\n")[0] or type(error).__name__
            raise DeviceError(f"torch cannot use {device_type}: {first}") from error

    def ways(self, batch: Digits) -> dict[TransferBy, Callable[[], None]]:
        """Return the one way of torch, which copies."""

        def copied() -> None:
            for values in (batch.images, batch.labels):
                torch.from_numpy(values).to(self._device)
            _wait_for(self._device)

        return {"copied": copied}

    def compile_ns(self) -> int:
        """Return nothing, as torch does not tell."""
        return 0

    @contextmanager
    def recording(self) -> Iterator[TakenMs]:
        """Watch nothing, as torch tells no times."""
        yield lambda: None


def _read(made: Any) -> np.ndarray[Any, Any]:
    return np.array(made.cpu().numpy())


def _copying(source: Any) -> Callable[[], Any]:
    """Return what copies into memory that is already mapped."""
    target = torch.empty_like(source)
    return lambda: target.copy_(source)


def _input_gradient(dy: Any, weight: Any) -> Callable[[], Any]:
    images, _, height, width = dy.shape
    shape = (images, weight.shape[1], height, width)
    return lambda: _GRADIENTS.conv2d_input(shape, weight, dy, padding=1)


def _weight_gradient(dy: Any, x: Any) -> Callable[[], Any]:
    # torch.nn.grad gives a filter without memory of its own, which pytorch_dlprim refuses.
    weight = torch.empty((dy.shape[1], x.shape[1], 3, 3), device=dy.device)
    once, none = (1, 1), (0, 0)
    given = (None, once, once, once, False, none, 1, (False, True, False))
    back: Any = torch.ops.aten.convolution_backward
    return lambda: back(dy, x, weight, *given)[1]


_OPERATIONS: dict[str, Callable[..., Callable[[], Any]]] = {
    "copy": _copying,
    "add": lambda a, b: lambda: a + b,
    "matmul": lambda a, b: lambda: a @ b,
    "conv-forward": lambda x, weight: lambda: nn.functional.conv2d(x, weight, padding=1),
    "conv-input-grad": _input_gradient,
    "conv-weight-grad": _weight_gradient,
}


class TorchTrainer:
    """A module with torch's SGD.

    Its function, not the class: the class's first use imports torch's compiler, 1.7 s and 800
    modules that no step here needs. What it computes with is the same.
    """

    def __init__(
        self,
        model: Any,
        batches: Sequence[Digits],
        device: Any = "cpu",
        loss: Any = nn.functional.cross_entropy,
    ) -> None:
        self._device = device
        self._loss = loss
        self._model = model.to(device)
        self._parameters = list(self._model.parameters())
        self._momentum: dict[Any, Any] = {}
        self._batches = [
            tuple(as_given(torch.from_numpy(each)) for each in (one.images, one.labels))
            for one in batches
        ]

    def train(self, batches: range) -> list[float]:
        """Train on these batches and return the loss of each."""
        return [float(loss) for loss in [self._step(*self._batches[i]) for i in batches]]

    def weights(self) -> list[Floats]:
        """Return a copy of every weight and bias."""
        return [parameter.detach().cpu().numpy().copy() for parameter in self._parameters]

    def gradients(self) -> list[Floats]:
        """Return a copy of the last gradient by every weight and bias."""
        return gradients_of(self._parameters)

    def predict(self, images: Floats) -> Labels:
        """Return the class of each input."""
        self._model.eval()
        with torch.no_grad():
            digits = self._model(torch.from_numpy(images).to(self._device)).cpu().argmax(dim=1)
        self._model.train()
        return np.asarray(digits, dtype=np.int32)

    def _step(self, images: Any, labels: Any) -> Any:
        """Train one step and return the loss where it is; reading it would wait."""
        for parameter in self._parameters:
            parameter.grad = None
        images, labels = (each.to(self._device) for each in (images, labels))
        loss: Any = self._loss(self._model(images), labels)
        loss.backward()
        self._descend()
        return loss.detach()

    def _descend(self) -> None:
        # A user's net may have parameters that its loss does not depend on.
        used = [one for one in self._parameters if one.grad is not None]
        momentum = [self._momentum.get(one) for one in used]
        with torch.no_grad():
            sgd(
                used,
                [one.grad for one in used],
                momentum,
                weight_decay=0.0,
                momentum=nets.MOMENTUM,
                lr=nets.LEARNING_RATE,
                dampening=0.0,
                nesterov=False,
                maximize=False,
            )
        self._momentum.update(zip(used, momentum, strict=True))


class _Residual(nn.Module):
    """relu(body(x) + shortcut(x))."""

    def __init__(self, layer: nets.Residual) -> None:
        super().__init__()
        self.body = _sequence(layer.body)
        self.shortcut = _sequence(layer.shortcut)

    def forward(self, x: Any) -> Any:
        """Return the sum of both ways, where it is positive."""
        return (self.body(x) + self.shortcut(x)).relu()


def _untrained(net: nets.Net) -> Any:
    model = _sequence(net.layers)
    with torch.no_grad():
        for parameter, values in zip(model.parameters(), net.initial_weights(), strict=True):
            parameter.copy_(torch.from_numpy(values))
    return model


def _sequence(layers: Sequence[nets.Layer]) -> Any:
    return nn.Sequential(*map(_module, layers))


def _module(layer: nets.Layer) -> Any:  # noqa: PLR0911 - one per kind of layer
    match layer:
        case nets.Linear(inputs, outputs):
            return nn.Linear(inputs, outputs)
        case nets.Conv(inputs, outputs, size, stride):
            return nn.Conv2d(inputs, outputs, size, stride, padding=size // 2)
        case nets.BatchNorm(channels):
            return nn.BatchNorm2d(channels)
        case nets.Relu():
            return nn.ReLU()
        case nets.MaxPool2x2():
            return nn.MaxPool2d(2)
        case nets.GlobalAvgPool():
            return nn.AdaptiveAvgPool2d(1)
        case nets.Flatten():
            return nn.Flatten()
        case nets.Residual():
            return _Residual(layer)


def _wait_for(device: Any) -> None:
    """Wait until the device has done all; the CPU has done so already."""
    if device.type != "cpu":
        getattr(torch, device.type).synchronize()
