# SPDX-License-Identifier: MIT
"""Updates all parameters of a network in one launch, however many they are.

A kernel cannot take an array of buffers, so the one launched here is generated: it takes each
parameter and gradient as an argument of its own and a table of chunks, one for each work-group.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.device import Argument, Device
from clprobe.tensor.launching import powers_of_two_down_from
from clprobe.tensor.program import Kernel

KERNEL = "update_all"
_CPU_CHUNK = 16384
_GPU_CHUNK = 2048
_GPU_WORK_ITEMS = 256
# What a kernel takes beside parameters and gradients, in bytes.
_FIXED_ARGUMENTS = 64


@dataclass(frozen=True, slots=True)
class _Table:
    """Which work-group updates what: parameter, first value, first state, number of values."""

    chunks: Array
    steps: Array
    """How often each work-group has run; counted on the device, so a replay counts, too."""
    groups: int


@dataclass(slots=True)
class Updater:
    """The function `update` of a file in kernels/optim, for all of some parameters at once."""

    device: Device
    file: str
    defines: Mapping[str, int]
    sizes: tuple[int, ...]
    """The number of values of each parameter."""
    states: int
    """How many values of state each value of a parameter has."""
    rates: Array
    _state: Array = field(init=False)
    _never: Array = field(init=False)
    _tables: dict[tuple[int, ...], _Table] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._state = Array.full(self.device, (self.states, sum(self.sizes)), 0.0)
        self._never = Array.from_numpy(np.zeros(1, np.int32), self.device)

    def run(
        self,
        parameters: Sequence[Array],
        gradients: Sequence[Array | None],
        unless: Array | None = None,
    ) -> None:
        """Change every parameter that has a gradient, in place.

        Nothing is changed if the first value of `unless`, which is int32, is not 0.
        """
        skip = self._never if unless is None else unless
        present = [
            index
            for index, gradient in enumerate(gradients)
            if gradient is not None and self.sizes[index]
        ]
        most = (self.device.cl_device.max_parameter_size - _FIXED_ARGUMENTS) // 16
        for first in range(0, len(present), most):
            self._launch(tuple(present[first : first + most]), parameters, gradients, skip)

    def _launch(
        self,
        present: tuple[int, ...],
        parameters: Sequence[Array],
        gradients: Sequence[Array | None],
        skip: Array,
    ) -> None:
        if present not in self._tables:
            self._tables[present] = self._table(present)
        table = self._tables[present]
        chosen = [(parameters[index], gradients[index]) for index in present]
        # Whatever the gradients are computed from is read before any parameter changes.
        sources = [gradient.buffer for _, gradient in chosen if gradient is not None]
        targets = [parameter.changing_buffer() for parameter, _ in chosen]
        arguments: list[Argument] = [
            *(each.buffer for each in (table.chunks, table.steps, self.rates, self._state)),
            skip.buffer,
            np.uint64(sum(self.sizes)),
        ]
        for target, source in zip(targets, sources, strict=True):
            arguments += [target, source]
        kernel, size = self.device.programs.remember(
            (self.file, *self.defines.items(), len(present)), lambda: self._kernel(len(present))
        )
        self.device.launch(kernel, (table.groups * size,), (size,), arguments)

    def _table(self, present: tuple[int, ...]) -> _Table:
        length = _CPU_CHUNK if self.device.limits.is_cpu else _GPU_CHUNK
        state_starts = np.cumsum([0, *self.sizes])
        chunks = [
            (position, start, state_starts[index] + start, min(length, self.sizes[index] - start))
            for position, index in enumerate(present)
            for start in range(0, self.sizes[index], length)
        ]
        # Kernels read them as ulong; an array holds int32.
        values = np.array(chunks, np.uint64).view(np.int32)
        steps = Array.from_numpy(np.zeros(len(chunks), np.int32), self.device)
        return _Table(Array.from_numpy(values, self.device), steps, len(chunks))

    def _kernel(self, parameters: int) -> tuple[Kernel, int]:
        limits = self.device.limits
        most = 1 if limits.is_cpu else min(_GPU_WORK_ITEMS, limits.max_work_item_sizes[0])
        name = self.file.rpartition("/")[2].removesuffix(".cl")
        for size in powers_of_two_down_from(min(most, limits.max_work_group_size)):
            defines = {**self.defines, "WORK_GROUP_SIZE": size}
            source = write_source(self.file, parameters)
            kernel = self.device.programs.generated(source, KERNEL, defines, name)
            if size <= kernel.work_group_limit:
                break
        return kernel, size


def write_source(file: str, parameters: int) -> str:
    """Return a kernel that calls `update` of a file for the chunk of each work-group."""
    return "\n".join(_lines(file, parameters)) + "\n"


def _lines(file: str, parameters: int) -> Iterator[str]:
    numbers = range(parameters)
    yield f'#include "{file}"'
    yield ""
    yield "kernel __attribute__((reqd_work_group_size(WORK_GROUP_SIZE, 1, 1)))"
    yield f"void {KERNEL}(global const ulong4 *chunks, global uint *steps,"
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
