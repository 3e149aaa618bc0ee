# SPDX-License-Identifier: MIT
"""The memory behind an array, or the elementwise expression that fills it once it is needed.

An elementwise operation computes nothing: its storage holds an `Operation` on other storages, and
`fusion.compute` makes one kernel of the whole expression when somebody asks for the values.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyopencl as cl

from clprobe.tensor.memory import Pool

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Constant:
    """The same value `size` times."""

    value: float
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class Operand:
    """A storage, and the shape and type as which an operation reads it."""

    storage: "Storage"
    shape: Shape
    dtype: np.dtype[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """A function of kernels/elementwise/operations.cl applied to operands, which are broadcast."""

    name: str
    operands: tuple[Operand, ...]
    shape: Shape


class Storage:
    """Memory, or an expression that is still to be computed; neither where there are no values."""

    __slots__ = ("__weakref__", "_pool", "buffer", "expression", "half", "takers")

    def __init__(self, expression: Constant | Operation | None = None) -> None:
        self.buffer: cl.Buffer | None = None
        self.expression = expression
        self.takers = 0
        """How many operations have taken this storage as an operand."""
        self.half: tuple[int, Storage] | None = None
        """A copy in half precision, and the device's era in which it was made."""
        self._pool: Pool | None = None

    def hold(self, buffer: cl.Buffer, pool: Pool) -> None:
        """Take memory, which goes back to the pool with this storage; the expression is done."""
        self.buffer = buffer
        self._pool = pool
        self.expression = None

    def __del__(self) -> None:
        if self._pool is not None and self.buffer is not None:
            self._pool.release(self.buffer)
