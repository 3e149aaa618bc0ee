# SPDX-License-Identifier: MIT
"""Optimisers; each changes all parameters in one launch (see ops/update)."""

from collections.abc import Mapping, Sequence
from math import log

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.errors import DeviceError
from clprobe.tensor.ops.update import Updater
from clprobe.tensor.tensor import Tensor


class Optimiser:
    """Parameters, the state that goes with them, and a learning rate that may change."""

    def __init__(
        self,
        parameters: Sequence[Tensor],
        file: str,
        rates: Sequence[float],
        states: int,
        defines: Mapping[str, int],
    ) -> None:
        self.parameters = list(parameters)
        if not self.parameters:
            raise DeviceError("An optimiser needs parameters.")
        device = self.parameters[0].device
        self._learning_rate = rates[0]
        self._updater = Updater(
            device,
            file,
            defines,
            sizes=tuple(parameter.array.size for parameter in self.parameters),
            states=states,
            rates=Array.from_numpy(np.array(rates, np.float32), device),
        )

    @property
    def learning_rate(self) -> float:
        """The learning rate; it lies on the device, so a captured step follows when it is set."""
        return self._learning_rate

    @learning_rate.setter
    def learning_rate(self, rate: float) -> None:
        self._learning_rate = rate
        rates = self._updater.rates
        rates.device.fill(rates.buffer, np.float32(rate), 4)

    def step(self, unless: Array | None = None) -> None:
        """Change every parameter that has a gradient, in place.

        Nothing is changed if the first value of `unless`, which is int32, is not 0.
        """
        self._updater.run(
            [parameter.array for parameter in self.parameters],
            [parameter.grad for parameter in self.parameters],
            unless,
        )

    def zero_grad(self) -> None:
        """Forget every gradient."""
        for parameter in self.parameters:
            parameter.grad = None


class SGD(Optimiser):
    """g = gradient + weight_decay · p, v = momentum · v + g, p = p - learning_rate · v.

    With Nesterov's momentum, p = p - learning_rate · (g + momentum · v).

    **Source** Sutskever et al. 2013, in the form of torch.optim.SGD.
    """

    def __init__(
        self,
        parameters: Sequence[Tensor],
        learning_rate: float,
        momentum: float = 0.0,
        weight_decay: float = 0.0,
        *,
        nesterov: bool = False,
    ) -> None:
        rates = (learning_rate, momentum, weight_decay)
        super().__init__(parameters, "optim/sgd.cl", rates, 1, {"NESTEROV": int(nesterov)})


class Adam(Optimiser):
    """p = p - learning_rate · mean / (sqrt(square) + epsilon), both means corrected at the start.

    Weight decay is added to the gradient.

    **Source** Kingma & Ba 2015, arXiv:1412.6980, in the form of torch.optim.Adam.
    """

    _DECOUPLED = 0

    def __init__(
        self,
        parameters: Sequence[Tensor],
        learning_rate: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        epsilon: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        shares = (1 - betas[0], 1 - betas[1], *(log(beta) if beta else -np.inf for beta in betas))
        rates = (learning_rate, *shares, epsilon, weight_decay)
        super().__init__(parameters, "optim/adam.cl", rates, 2, {"DECOUPLED": self._DECOUPLED})


class AdamW(Adam):
    """Adam with weight decay taken off the parameters instead of added to the gradient.

    **Source** Loshchilov & Hutter 2019, arXiv:1711.05101, in the form of torch.optim.AdamW.
    """

    _DECOUPLED = 1

    def __init__(
        self,
        parameters: Sequence[Tensor],
        learning_rate: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        epsilon: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(parameters, learning_rate, betas, epsilon, weight_decay)
