# SPDX-License-Identifier: MIT
"""Layers that normalise, average or drop values."""

import numpy as np

from clprobe.tensor.device import Device
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.functions import (
    avg_pool2d,
    batch_norm,
    dropout,
    global_avg_pool2d,
    layer_norm,
    log_softmax,
    softmax,
)
from clprobe.tensor.nn.layers import Module
from clprobe.tensor.ops.conv.geometry import Pair
from clprobe.tensor.ops.dropout import RandomStream
from clprobe.tensor.ops.norm import Running
from clprobe.tensor.tensor import Tensor


def _constant(shape: tuple[int, ...], value: float, device: Device, *, learns: bool) -> Tensor:
    return Tensor.from_numpy(np.full(shape, value, np.float32), device, requires_grad=learns)


class _Normalisation(Module):
    """A weight of ones and a bias of zeros."""

    def __init__(self, shape: tuple[int, ...], epsilon: float, device: Device) -> None:
        self.weight = _constant(shape, 1.0, device, learns=True)
        self.bias = _constant(shape, 0.0, device, learns=True)
        self.epsilon = epsilon


class _BatchNorm(_Normalisation):
    """Batch normalisation of the second axis; in evaluation by the running statistics.

    **Shapes** weight, bias, running_mean and running_var (channels,).
    """

    ranks: tuple[int, ...]

    def __init__(
        self, channels: int, *, momentum: float = 0.1, epsilon: float = 1e-5, device: Device
    ) -> None:
        super().__init__((channels,), epsilon, device)
        self.momentum = momentum
        self.running_mean = _constant((channels,), 0.0, device, learns=False)
        self.running_var = _constant((channels,), 1.0, device, learns=False)

    def forward(self, x: Tensor) -> Tensor:
        """Return the normalised values; in training, move the running statistics."""
        if len(x.shape) not in self.ranks:
            raise ShapeError(f"{type(self).__name__} does not take values of shape {x.shape}.")
        moments = (self.running_mean.array, self.running_var.array)
        running = Running(*moments, self.momentum, self.epsilon)
        return batch_norm(x, self.weight, self.bias, running, training=self.training)


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of (rows, channels) or (rows, channels, length)."""

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of (images, channels, height, width)."""

    ranks = (4,)


class LayerNorm(_Normalisation):
    """Normalisation over the last axes.

    **Shapes** weight and bias as the axes normalised.
    """

    def __init__(
        self, shape: int | tuple[int, ...], *, epsilon: float = 1e-5, device: Device
    ) -> None:
        super().__init__((shape,) if isinstance(shape, int) else shape, epsilon, device)

    def forward(self, x: Tensor) -> Tensor:
        """Return the normalised values."""
        return layer_norm(x, self.weight, self.bias, self.epsilon)


class AvgPool2d(Module):
    """The average of every window; the stride is `size` if left out."""

    def __init__(
        self,
        size: int | Pair,
        stride: int | Pair | None = None,
        padding: int | Pair = 0,
        *,
        count_padding: bool = True,
    ) -> None:
        self.size = size
        self.stride = stride
        self.padding = padding
        self.count_padding = count_padding

    def forward(self, x: Tensor) -> Tensor:
        """Return the pooled images."""
        return avg_pool2d(x, self.size, self.stride, self.padding, count_padding=self.count_padding)


class GlobalAvgPool2d(Module):
    """The average of every channel of every image, as torch's AdaptiveAvgPool2d(1)."""

    forward = staticmethod(global_avg_pool2d)


class Softmax(Module):
    """The softmax over the last axis."""

    forward = staticmethod(softmax)


class LogSoftmax(Module):
    """The logarithm of the softmax over the last axis."""

    forward = staticmethod(log_softmax)


class Dropout(Module):
    """In training, makes each value zero with probability `rate` and scales the others."""

    def __init__(self, rate: float = 0.5, *, stream: RandomStream) -> None:
        self.rate = rate
        self.stream = stream

    def forward(self, x: Tensor) -> Tensor:
        """Return x with values dropped, or x itself in evaluation."""
        return dropout(x, self.rate, self.stream) if self.training else x
