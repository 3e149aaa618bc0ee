# SPDX-License-Identifier: MIT
"""Optimisers; each changes all parameters in one launch, however many they are.

A kernel cannot take an array of buffers, so the one launched here is generated: it takes each
parameter and gradient as an argument of its own and a table of chunks, one for each work-group.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from math import log
from typing import Any

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.errors import DeviceError, ShapeError
from clprobe.tensor.launching import powers_of_two_down_from
from clprobe.tensor.ops.arguments import arguments
from clprobe.tensor.program import Kernel
from clprobe.tensor.tensor import Tensor

_KERNEL = "update_all"
_STEPS = "steps of "
_CPU_CHUNK = 16384
_GPU_CHUNK = 2048
_GPU_WORK_ITEMS = 256
# What a kernel takes beside parameters and gradients, in bytes.
_FIXED_ARGUMENTS = 64


class Optimiser:
    """Parameters, the state that goes with them, and a learning rate that may change.

    `file` is one of kernels/optim; each value of a parameter has `states` values of state.
    """

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
        self._device = self.parameters[0].device
        self._file = file
        self._defines = defines
        self._learning_rate = rates[0]
        self._sizes = [parameter.array.size for parameter in self.parameters]
        self._rates = Array.from_numpy(np.array(rates, np.float32), self._device)
        self._state = Array.full(self._device, (states, sum(self._sizes)), 0.0)
        self._never = Array.from_numpy(np.zeros(1, np.int32), self._device)
        self._tables: dict[tuple[int, ...], tuple[Array, Array]] = {}
        """For some parameters, which work-group updates what, and how often each has run."""

    @property
    def learning_rate(self) -> float:
        """The learning rate; it lies on the device, so a captured step follows when it is set."""
        return self._learning_rate

    @learning_rate.setter
    def learning_rate(self, rate: float) -> None:
        self._learning_rate = rate
        self._device.fill(self._rates.buffer, np.float32(rate), 4)

    def step(self, unless: Array | None = None) -> None:
        """Change every parameter that has a gradient, in place.

        Nothing is changed if the first value of `unless`, which is int32, is not 0.
        """
        present = [
            index
            for index, parameter in enumerate(self.parameters)
            if parameter.grad is not None and self._sizes[index]
        ]
        most = (self._device.cl_device.max_parameter_size - _FIXED_ARGUMENTS) // 16
        for first in range(0, len(present), most):
            self._launch(tuple(present[first : first + most]), unless or self._never)

    def zero_grad(self) -> None:
        """Forget every gradient."""
        for parameter in self.parameters:
            parameter.grad = None

    def state(self) -> dict[str, np.ndarray[Any, Any]]:
        """Return a copy on the host of all that a later run needs to go on exactly from here."""
        steps = {
            f"{_STEPS}{','.join(map(str, present))}": taken.numpy()
            for present, (_, taken) in self._tables.items()
        }
        rate = np.array(self._learning_rate)
        return {"values": self._state.numpy(), "learning_rate": rate, **steps}

    def load_state(self, state: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Go on from a state of an optimiser of the same kind for parameters of the same shapes.

        **Raises** ShapeError if it is of another optimiser.
        """
        own, values = self._state.shape, state["values"]
        if values.shape != own:
            raise ShapeError(f"This optimiser's state has shape {own}, not {values.shape}.")
        self._state.assign(values)
        self.learning_rate = float(state["learning_rate"])
        never_saved = dict.fromkeys(self._tables, np.int32(0))
        saved = {
            tuple(map(int, name.removeprefix(_STEPS).split(","))): taken
            for name, taken in state.items()
            if name.startswith(_STEPS)
        }
        for present, taken in {**never_saved, **saved}.items():
            _, steps = self._table_of(present)
            # Devices of another kind cut parameters into other chunks; all have taken as many.
            steps.assign(np.full(steps.shape, taken.max(), np.int32))

    def _table_of(self, present: tuple[int, ...]) -> tuple[Array, Array]:
        if present not in self._tables:
            self._tables[present] = self._table(present)
        return self._tables[present]

    def _launch(self, present: tuple[int, ...], skip: Array) -> None:
        chunks, steps = self._table_of(present)
        chosen = [self.parameters[index] for index in present]
        # Whatever the gradients are computed from is read before any parameter changes.
        sources = [each.grad.buffer for each in chosen if each.grad is not None]
        targets = [each.array.changing_buffer() for each in chosen]
        values = arguments(
            *(chunks, steps, self._rates, self._state, skip),
            np.uint64(sum(self._sizes)),
            *chain.from_iterable(zip(targets, sources, strict=True)),
        )
        kernel, size = self._device.programs.remember(
            (self._file, *self._defines.items(), len(present)), lambda: self._kernel(len(present))
        )
        self._device.launch(kernel, (steps.size * size,), (size,), values)

    def _table(self, present: tuple[int, ...]) -> tuple[Array, Array]:
        """Return parameter, first value, first state and number of values of each work-group.

        How often each has run is counted on the device, so a replay counts, too.
        """
        length = _CPU_CHUNK if self._device.limits.is_cpu else _GPU_CHUNK
        state_starts = np.cumsum([0, *self._sizes])
        chunks = [
            (position, start, state_starts[index] + start, min(length, self._sizes[index] - start))
            for position, index in enumerate(present)
            for start in range(0, self._sizes[index], length)
        ]
        # Kernels read them as ulong; an array holds int32.
        values = np.array(chunks, np.uint64).view(np.int32)
        steps = Array.from_numpy(np.zeros(len(chunks), np.int32), self._device)
        return Array.from_numpy(values, self._device), steps

    def _kernel(self, parameters: int) -> tuple[Kernel, int]:
        limits = self._device.limits
        most = 1 if limits.is_cpu else min(_GPU_WORK_ITEMS, limits.max_work_item_sizes[0])
        name = self._file.rpartition("/")[2].removesuffix(".cl")
        for size in powers_of_two_down_from(min(most, limits.max_work_group_size)):
            defines = {**self._defines, "WORK_GROUP_SIZE": size}
            source = "\n".join(_source(self._file, parameters))
            kernel = self._device.programs.generated(source, _KERNEL, defines, name)
            if size <= kernel.work_group_limit:
                break
        return kernel, size


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


def _source(file: str, parameters: int) -> Iterator[str]:
    """Yield the lines of a kernel that calls `update` of a file for each work-group's chunk."""
    numbers = range(parameters)
    yield f'#include "{file}"'
    yield ""
    yield "kernel __attribute__((reqd_work_group_size(WORK_GROUP_SIZE, 1, 1)))"
    yield f"void {_KERNEL}(global const ulong4 *chunks, global uint *steps,"
    yield "    global const float *rates, global float *state, global const int *skip,"
    yield "    ulong states,"
    pairs = (f"global float *p{each}, global const float *gradient{each}" for each in numbers)
    yield "    " + ",\n    ".join(pairs) + ") {"
    yield "    if (skip[0] != 0)"
    yield "        return;"
    yield "    ulong4 chunk = chunks[get_group_id(0)];"
    yield "    uint step = steps[get_group_id(0)] + 1;"
    yield "    // Nobody may count on before all have read."
    yield "    barrier(CLK_GLOBAL_MEM_FENCE);"
    yield "    if (get_local_id(0) == 0)"
    yield "        steps[get_group_id(0)] = step;"
    yield "    global float *own = state + chunk.s2;"
    yield "    switch ((uint)chunk.s0) {"
    for each in numbers:
        place = f"p{each} + chunk.s1, gradient{each} + chunk.s1"
        yield f"    case {each}: update({place}, own, states, chunk.s3, rates, step); break;"
    yield "    default: break;"
    yield "    }"
    yield "}"
    yield ""
