# SPDX-License-Identifier: MIT
"""A tensor of a graph whose values lie on the device: a view of an array, with torch's strides."""

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import torch

from clprobe.tensor.array import Array, Shape
from clprobe.tensor.device import Device
from clprobe.tensor.ops.views import contiguous, copied


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """What a view shows of an array; strides and offset count elements.

    `dtype` is what torch takes the values for: booleans are float32 here, 1 for truth.
    """

    base: Array
    shape: Shape
    strides: Shape
    offset: int = 0
    dtype: torch.dtype = torch.float32

    @classmethod
    def of(cls, array: Array, dtype: torch.dtype = torch.float32) -> "Held":
        """Return an array as torch sees a contiguous tensor."""
        return cls(array, array.shape, contiguous(array.shape), 0, dtype)

    @property
    def is_whole(self) -> bool:
        """Say whether the view shows the array as it lies there."""
        return self.shows(self.shape, self.strides)

    def shows(self, shape: Shape, strides: Shape) -> bool:
        """Say whether a view of this shape and these strides is all of the array, in its order."""
        wanted = contiguous(shape)
        in_order = all(
            size == 1 or own == step for size, own, step in zip(shape, strides, wanted, strict=True)
        )
        return in_order and self.offset == 0 and prod(shape) == self.base.size

    def dense(self) -> Array:
        """Return an array with these values in their order, which is a new one only if need be."""
        if self.is_whole:
            return self.base.reshape(self.shape)
        return copied(self.base, self.shape, self.strides, self.offset)

    def broadcast(self) -> Array:
        """Return an array that broadcasts to this view: repeated axes have size 1."""
        shape = tuple(
            1 if step == 0 else size for size, step in zip(self.shape, self.strides, strict=True)
        )
        if shape == self.shape:
            return self.dense()
        return self.viewed(shape, self.strides).dense()

    def viewed(self, shape: Shape, strides: Shape, offset: int | None = None) -> "Held":
        """Return another view of the same array."""
        where = self.offset if offset is None else offset
        return Held(self.base, shape, strides, where, self.dtype)

    def to_host(self) -> torch.Tensor:
        """Return the values as a tensor of torch on the CPU, with the strides that torch expects.

        **Raises** DeviceError.
        """
        return as_torch(self.dense().numpy(), self.dtype)


def as_torch(values: np.ndarray[Any, Any], dtype: torch.dtype) -> torch.Tensor:
    """Return host values as torch's."""
    return torch.from_numpy(values).to(dtype)


def from_host(tensor: torch.Tensor, device: Device) -> Held:
    """Copy a tensor of torch to the device: integers as int32, booleans as 0 and 1.

    **Raises** DeviceError, DtypeError.
    """
    is_whole_number = not tensor.is_floating_point() and tensor.dtype != torch.bool
    kept = tensor.detach().to(torch.int32 if is_whole_number else torch.float32)
    array = Array.from_numpy(kept.contiguous().numpy(), device)
    return Held.of(array, tensor.dtype)
