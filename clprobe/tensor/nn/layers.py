# SPDX-License-Identifier: MIT
"""What every layer is, and those of a plain network.

They are linear, convolution, relu, max-pool, one after the other and around a shortcut.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import prod, sqrt
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from clprobe.tensor.device import Device
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.ops.conv.geometry import Pair, pair
from clprobe.tensor.tensor import Tensor, conv2d, conv_transpose2d, linear, max_pool2d

Self = TypeVar("Self", bound="Module")


class Module:
    """A layer; names, shapes and order of parameters are torch's."""

    training: bool = True
    """Some layers, as dropout, behave otherwise when they are evaluated."""

    def forward(self, x: Tensor) -> Tensor:
        """Return the layer's output."""
        raise NotImplementedError

    def __call__(self, x: Tensor) -> Tensor:
        """Return `forward(x)`, as in torch."""
        return self.forward(x)

    def children(self) -> Iterator[tuple[str, "Module"]]:
        """Yield each layer that this one is made of, with its name."""
        yield from ()

    def own_parameters(self) -> Iterator[tuple[str, Tensor]]:
        """Yield what this layer itself learns, its tensors that want gradients, with its name."""
        return ((name, it) for name, it in self._own_tensors() if it.requires_grad)

    def _own_tensors(self) -> Iterator[tuple[str, Tensor]]:
        return ((name, it) for name, it in vars(self).items() if isinstance(it, Tensor))

    def train(self: Self, training: bool = True) -> Self:
        """Make this layer, and those it is made of, behave as in training; return it."""
        self.training = training
        for _, child in self.children():
            child.train(training)
        return self

    def eval(self: Self) -> Self:
        """Make this layer, and those it is made of, behave as in evaluation; return it."""
        return self.train(training=False)

    def named_parameters(self) -> Iterator[tuple[str, Tensor]]:
        """Yield each parameter with its name in `state`, in a fixed order."""
        yield from self.own_parameters()
        for name, child in self.children():
            for inner, tensor in child.named_parameters():
                yield f"{name}.{inner}", tensor

    def named_state(self) -> Iterator[tuple[str, Tensor]]:
        """Yield each parameter and buffer with its name in `state`, in a fixed order."""
        yield from self.own_parameters()
        yield from ((name, it) for name, it in self._own_tensors() if not it.requires_grad)
        for name, child in self.children():
            for inner, tensor in child.named_state():
                yield f"{name}.{inner}", tensor

    def parameters(self) -> list[Tensor]:
        """Return the parameters, in a fixed order."""
        return [tensor for _, tensor in self.named_parameters()]

    def state(self) -> dict[str, npt.NDArray[np.float32]]:
        """Return a copy of every parameter and buffer on the host."""
        return {name: tensor.numpy() for name, tensor in self.named_state()}

    def load_state(self, state: Mapping[str, npt.NDArray[np.float32]]) -> None:
        """Overwrite every parameter and buffer.

        **Raises** ShapeError if a name is missing or left over, or a shape differs.
        """
        own = dict(self.named_state())
        if own.keys() != state.keys():
            raise ShapeError(f"Parameters are {sorted(own)}, the state has {sorted(state)}.")
        for name, tensor in own.items():
            if tensor.shape != state[name].shape:
                raise ShapeError(
                    f"Parameter {name} is {tensor.shape}, the state has {state[name].shape}."
                )
            tensor.array.assign(state[name])


class _Affine(Module):
    """A weight and a bias, as Linear and Conv2d have."""

    def __init__(
        self,
        shape: tuple[int, ...],
        device: Device,
        generator: np.random.Generator,
        biases: int | None = None,
    ) -> None:
        # The bounds of torch's own layers: 1 / sqrt(inputs of one output), for weight and bias.
        bound = 1 / sqrt(max(1, prod(shape[1:])))

        def initial(*sizes: int) -> Tensor:
            values = generator.uniform(-bound, bound, sizes).astype(np.float32)
            return Tensor.from_numpy(values, device, requires_grad=True)

        self.weight = initial(*shape)
        self.bias = initial(shape[0] if biases is None else biases)


class Linear(_Affine):
    """y = x · weightᵀ + bias.

    **Shapes** weight (outputs, inputs), bias (outputs,).
    """

    def __init__(
        self, inputs: int, outputs: int, *, device: Device, generator: np.random.Generator
    ) -> None:
        super().__init__((outputs, inputs), device, generator)

    def forward(self, x: Tensor, *, relu: bool = False) -> Tensor:
        """Return x · weightᵀ + bias."""
        return linear(x, self.weight, self.bias, relu=relu)


class Conv2d(_Affine):
    """Convolution; sizes, strides and so on are pairs, vertical first, or one number for both.

    **Shapes** weight (filters, channels / groups, *size), bias (filters,).
    """

    def __init__(  # noqa: PLR0913 - torch's own argument list
        self,
        channels: int,
        filters: int,
        size: int | Pair,
        *,
        stride: int | Pair = 1,
        padding: int | Pair = 0,
        dilation: int | Pair = 1,
        groups: int = 1,
        device: Device,
        generator: np.random.Generator,
    ) -> None:
        super().__init__((filters, channels // groups, *pair(size)), device, generator)
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.groups = groups

    def forward(self, x: Tensor, *, relu: bool = False) -> Tensor:
        """Return the convolution of images."""
        options = (self.stride, self.padding, self.dilation, self.groups)
        return conv2d(x, self.weight, self.bias, *options, relu=relu)


class ConvTranspose2d(_Affine):
    """The transpose of a convolution; sizes are given as to Conv2d.

    **Shapes** weight (channels, filters / groups, *size), bias (filters,).
    """

    def __init__(  # noqa: PLR0913 - torch's own argument list
        self,
        channels: int,
        filters: int,
        size: int | Pair,
        *,
        stride: int | Pair = 1,
        padding: int | Pair = 0,
        output_padding: int | Pair = 0,
        groups: int = 1,
        dilation: int | Pair = 1,
        device: Device,
        generator: np.random.Generator,
    ) -> None:
        shape = (channels, filters // groups, *pair(size))
        super().__init__(shape, device, generator, biases=filters)
        self.options = (stride, padding, output_padding, groups, dilation)

    def forward(self, x: Tensor) -> Tensor:
        """Return larger images."""
        return conv_transpose2d(x, self.weight, self.bias, *self.options)


class ReLU(Module):
    """max(x, 0)."""

    def forward(self, x: Tensor) -> Tensor:
        """Return max(x, 0)."""
        return x.relu()


class MaxPool2d(Module):
    """The maximum of every window; the stride is `size` if left out."""

    def __init__(self, size: int, stride: int | None = None, padding: int = 0) -> None:
        self.size = size
        self.stride = stride
        self.padding = padding

    def forward(self, x: Tensor, *, relu: bool = False) -> Tensor:
        """Return the pooled images."""
        return max_pool2d(x, self.size, self.stride, self.padding, relu=relu)


class Flatten(Module):
    """One row per image."""

    def forward(self, x: Tensor) -> Tensor:
        """Return one row per image."""
        return x.flatten()


class Sequential(Module):
    """Layers one after the other; parameters are named "0.weight", "0.bias" and so on."""

    def __init__(self, *layers: Module) -> None:
        self.layers = layers

    def forward(self, x: Tensor) -> Tensor:
        """Return the output of the last layer."""
        for layer, relu in _with_relu(self.layers):
            x = layer.forward(x, relu=True) if relu else layer(x)
        return x

    def children(self) -> Iterator[tuple[str, Module]]:
        """Yield the layers under their places."""
        for index, layer in enumerate(self.layers):
            yield str(index), layer


def _with_relu(layers: Sequence[Module]) -> Iterator[tuple[Any, bool]]:
    """Yield the layers, and for each whether it also does the work of a ReLU behind it."""
    ordered = list(layers)
    for index in range(len(ordered) - 1):
        if isinstance(ordered[index], ReLU) and isinstance(ordered[index + 1], MaxPool2d):
            # The same values, and gradients, from fewer of them.
            ordered[index : index + 2] = reversed(ordered[index : index + 2])
    while ordered:
        layer = ordered.pop(0)
        relu = (
            isinstance(layer, Linear | Conv2d | MaxPool2d)
            and bool(ordered)
            and isinstance(ordered[0], ReLU)
        )
        if relu:
            ordered.pop(0)
        yield layer, relu


class Residual(Module):
    """relu(body(x) + shortcut(x)); the shortcut is x itself if left out.

    **Source** He, Zhang, Ren & Sun 2016, "Deep residual learning for image recognition".
    """

    def __init__(self, body: Module, shortcut: Module | None = None) -> None:
        self.body = body
        self.shortcut = shortcut

    def forward(self, x: Tensor) -> Tensor:
        """Return relu(body(x) + shortcut(x))."""
        return (self.body(x) + (self.shortcut(x) if self.shortcut else x)).relu()

    def children(self) -> Iterator[tuple[str, Module]]:
        """Yield the body and the shortcut."""
        yield "body", self.body
        if self.shortcut:
            yield "shortcut", self.shortcut
