# SPDX-License-Identifier: MIT
"""What every layer is: parameters with names, a forward pass, and whether it trains."""

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from clprobe.tensor.array import Array
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.tensor import Tensor


class Module:
    """A layer; names, shapes and order of parameters are torch's."""

    def forward(self, x: Tensor) -> Tensor:
        """Return the layer's output."""
        raise NotImplementedError

    def __call__(self, x: Tensor) -> Tensor:
        """Return `forward(x)`, as in torch."""
        return self.forward(x)

    def named_parameters(self) -> Iterator[tuple[str, Tensor]]:
        """Yield each parameter with its name in `state`, in a fixed order."""
        yield from ()

    def parameters(self) -> list[Tensor]:
        """Return the parameters, in a fixed order."""
        return [tensor for _, tensor in self.named_parameters()]

    def state(self) -> dict[str, npt.NDArray[np.float32]]:
        """Return a copy of every parameter on the host."""
        return {name: tensor.numpy() for name, tensor in self.named_parameters()}

    def load_state(self, state: Mapping[str, npt.NDArray[np.float32]]) -> None:
        """Overwrite every parameter.

        **Raises** ShapeError if a name is missing or left over, or a shape differs.
        """
        own = dict(self.named_parameters())
        if own.keys() != state.keys():
            raise ShapeError(f"Parameters are {sorted(own)}, the state has {sorted(state)}.")
        for name, tensor in own.items():
            if tensor.shape != state[name].shape:
                raise ShapeError(
                    f"Parameter {name} is {tensor.shape}, the state has {state[name].shape}."
                )
            tensor.array = Array.from_numpy(state[name], tensor.device)
