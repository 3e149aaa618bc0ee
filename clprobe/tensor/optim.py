# SPDX-License-Identifier: MIT
"""Stochastic gradient descent with momentum."""

from collections.abc import Sequence

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.ops.launching import launch_values
from clprobe.tensor.tensor import Tensor


class SGD:
    """v = momentum · v + gradient, p = p - learning_rate · v.

    **Source** Sutskever et al. 2013, in the form of torch.optim.SGD.
    """

    def __init__(
        self, parameters: Sequence[Tensor], learning_rate: float, momentum: float = 0.0
    ) -> None:
        self.parameters = list(parameters)
        self.learning_rate = learning_rate
        self.momentum = momentum
        self._velocities = [
            Array.full(parameter.device, parameter.shape, 0.0) for parameter in self.parameters
        ]

    def step(self) -> None:
        """Change every parameter that has a gradient, in place."""
        rates = (np.float32(self.learning_rate), np.float32(self.momentum))
        for parameter, velocity in zip(self.parameters, self._velocities, strict=True):
            array, gradient = parameter.array, parameter.grad
            if gradient is None or not array.size:
                continue
            buffers = (array.buffer, velocity.buffer, gradient.buffer)
            arguments = (*buffers, np.uint64(array.size), *rates)
            launch_values(array.device, "optim/sgd.cl", "sgd", array.size, arguments)

    def zero_grad(self) -> None:
        """Forget every gradient."""
        for parameter in self.parameters:
            parameter.grad = None
