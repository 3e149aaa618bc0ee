# SPDX-License-Identifier: MIT
"""A tensor of a graph whose values lie on the device: a view of an array, with torch's strides."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import torch

from clprobe.tensor.array import Array, Shape
from clprobe.tensor.ops.views import contiguous, copied
from clprobe.tensor.storage import Storage

HALVES = (torch.float16, torch.bfloat16)
FLOATS = (torch.float32, *HALVES)
"""What lies on the device as float32."""


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """What a view shows of an array; strides and offset count elements.

    `dtype` is what torch takes the values for: booleans are float32 here, 1 for truth, and so are
    halves.
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
        wanted = contiguous(self.shape)
        in_order = all(
            size == 1 or own == step
            for size, own, step in zip(self.shape, self.strides, wanted, strict=True)
        )
        return in_order and self.offset == 0 and prod(self.shape) == self.base.size

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

    def turned(self, first: int = -2, second: int = -1) -> "Held":
        """Return the view in which two axes have changed places, the last two unless named."""
        axes = list(range(len(self.shape)))
        axes[first], axes[second] = axes[second], axes[first]
        return self.permuted(axes)

    def permuted(self, axes: Sequence[int]) -> "Held":
        """Return the view with these axes, in this order; one of size 1 may be left out."""
        shape, strides = (tuple(one[at] for at in axes) for one in (self.shape, self.strides))
        return self.viewed(shape, strides)

    def to_host(self) -> torch.Tensor:
        """Return the values as a tensor of torch on the CPU.

        **Raises** DeviceError.
        """
        return torch.from_numpy(self.dense().numpy()).to(self.dtype)

    def given_away(self, used: Container[Storage]) -> torch.Tensor:
        """Return the values as a tensor of torch, which is the memory itself where it is shared.

        Not so if the storage is among those `used` elsewhere: torch may change what it is given.

        **Raises** DeviceError.
        """
        array = self.dense()
        if array.storage in used:
            return self.to_host()
        return torch.from_numpy(array.given_away()).to(self.dtype)


def host_values(tensor: torch.Tensor) -> np.ndarray[Any, Any]:
    """Return a tensor's values as they go to the device: integers as int32, truth as 1."""
    is_whole_number = not tensor.is_floating_point() and tensor.dtype != torch.bool
    kept = tensor.detach().to(torch.int32 if is_whole_number else torch.float32)
    values: np.ndarray[Any, Any] = kept.contiguous().numpy()
    return values
