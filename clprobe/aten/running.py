# SPDX-License-Identifier: MIT
"""What the functions of the table are given to work with: a device, and ways onto it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from clprobe.aten.held import FLOATS, Held, host_values
from clprobe.tensor.array import Array
from clprobe.tensor.device import Device
from clprobe.tensor.ops.dropout import RandomStream


class NotHereError(Exception):
    """An operation that the table has, in a form that it has not; the CPU takes it."""


@dataclass(frozen=True, slots=True, eq=False)
class OnHost:
    """A tensor whose values lie on the host, under its name in the graph."""

    name: str
    value: torch.Tensor


Prepare = Callable[..., tuple[np.ndarray[Any, Any], ...]]
"""Makes arrays of host values of one or more tensors."""
Value = Held | OnHost | float


@dataclass(frozen=True, slots=True)
class Upload:
    """Arrays that follow from host values, and must again before each replay."""

    names: tuple[str, ...]
    prepare: Prepare
    arrays: tuple[Array, ...]

    def renew(self, values: Mapping[str, torch.Tensor]) -> None:
        """Bring what follows from host values by name; nothing if not all of them are given."""
        if all(name in values for name in self.names):
            self.bring(self.prepare(*(values[name] for name in self.names)))

    def bring(self, made: Iterable[np.ndarray[Any, Any] | Array]) -> None:
        """Put what was prepared where the commands read it."""
        for array, each in zip(self.arrays, made, strict=True):
            array.assign(each)


@dataclass(slots=True)
class Running:
    """One run of a graph on a device."""

    device: Device
    stream: RandomStream
    constants: dict[tuple[object, ...], Array] = field(default_factory=dict)
    uploads: list[Upload] = field(default_factory=list)
    _held: dict[str, Held] = field(default_factory=dict)
    """Values of the host that were brought over, by name."""

    def array(self, value: Value) -> Array:
        """Return the values as an array that broadcasts to their shape; a number has no axes."""
        match value:
            case Held():
                return value.broadcast()
            case OnHost():
                return self.held(value).dense()
        return Array.full(self.device, (), float(value))

    def dense(self, value: Held | OnHost) -> Array:
        """Return the values as an array of their very shape."""
        return self.held(value).dense()

    def held(self, value: Held | OnHost) -> Held:
        """Return the values on the device: integers as int32, booleans as 0 and 1."""
        if isinstance(value, Held):
            return value
        if value.name not in self._held:
            (array,) = self.from_hosts((value,), lambda tensor: (host_values(tensor),))
            dtype = torch.float32 if value.value.dtype in FLOATS else value.value.dtype
            self._held[value.name] = Held.of(array, dtype)
        return self._held[value.name]

    def from_hosts(self, values: Sequence[OnHost], prepare: Prepare) -> tuple[Array, ...]:
        """Return what is made of host values, on the device."""
        made = prepare(*(value.value for value in values))
        arrays = tuple(Array.from_numpy(each, self.device) for each in made)
        self.uploads.append(Upload(tuple(value.name for value in values), prepare, arrays))
        return arrays

    def constant(self, key: tuple[object, ...], values: np.ndarray[Any, Any]) -> Array:
        """Return values that never change, uploaded once for all runs."""
        if key not in self.constants:
            self.constants[key] = Array.from_numpy(values, self.device)
        return self.constants[key]

    def zeros(self, shape: tuple[int, ...], value: float = 0.0) -> Array:
        """Return one value everywhere."""
        return Array.full(self.device, shape, value)
