# SPDX-License-Identifier: MIT
"""What every layer is: parameters with names, a forward pass, and whether it trains."""

from collections.abc import Iterator, Mapping
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from clprobe.tensor.errors import ShapeError
from clprobe.tensor.tensor import Tensor

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
