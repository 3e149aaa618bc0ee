# SPDX-License-Identifier: MIT
"""Dynamic loss scaling: keeps small gradients above what half precision can hold."""

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.device import Device
from clprobe.tensor.errors import DeviceError
from clprobe.tensor.launching import launch_values
from clprobe.tensor.ops.arguments import arguments
from clprobe.tensor.optim import Optimiser
from clprobe.tensor.tensor import Tensor

_FILE = "half/loss_scale.cl"


class LossScale:
    """A factor for the loss that shrinks when a gradient overflows and grows while none does.

    Factor and flag lie on the device, and a step whose gradients overflowed updates nothing there,
    so nothing waits for the device and a captured step can be replayed.

    **Source** Micikevicius et al. 2018, "Mixed precision training", arXiv:1710.03740, section 3.2.
    """

    def __init__(
        self,
        device: Device,
        initial: float = 2.0**16,
        *,
        growth: float = 2.0,
        backoff: float = 0.5,
        interval: int = 2000,
    ) -> None:
        """Begin with a factor on a device.

        **Raises** DeviceError for one opened with `fast_math`, which need not notice an overflow.
        """
        if device.fast_math:
            raise DeviceError(
                f"{device.name} was opened with fast_math, under which overflows go unnoticed.",
                hint="Open it without fast_math to scale losses.",
            )
        self._scale = Array.from_numpy(np.array([initial], np.float32), device)
        self._state = Array.from_numpy(np.zeros(3, np.int32), device)
        rates = (np.float32(growth), np.float32(backoff), np.float32(2.0**24))
        self._rates = (*rates, np.int32(interval))

    def scaled(self, loss: Tensor) -> Tensor:
        """Return the loss times the factor, to call `backward` on."""
        return loss * Tensor(self._scale.reshape(()), requires_grad=False)

    def step(self, optimiser: Optimiser) -> None:
        """Divide gradients by the factor, update unless one overflowed, and adapt the factor."""
        for parameter in optimiser.parameters:
            if parameter.grad is not None:
                parameter.grad = self._unscaled(parameter.grad)
        optimiser.step(unless=self._state)
        device = self._scale.device
        buffers = (self._scale.changing_buffer(), self._state.changing_buffer())
        kernel = device.programs.kernel(_FILE, "next_scale", {"COLUMNS_PER_ITEM": 1})
        device.launch(kernel, (1,), (1,), (*buffers, *self._rates))

    @property
    def factor(self) -> float:
        """Return the present factor; waits for the device."""
        return float(self._scale.numpy()[0])

    @property
    def skipped_steps(self) -> int:
        """Return how many steps updated nothing so far; waits for the device."""
        return int(self._state.numpy()[2])

    def _unscaled(self, gradient: Array) -> Array:
        # Not in place: two parameters may share the array of one gradient.
        result = Array.empty(gradient.device, gradient.shape)
        if gradient.size:
            size = np.uint64(gradient.size)
            values = arguments(gradient, result, self._scale, self._state, size)
            launch_values(gradient.device, _FILE, "unscale", gradient.size, values)
        return result
