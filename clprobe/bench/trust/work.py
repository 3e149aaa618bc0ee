# SPDX-License-Identifier: MIT
"""Work of a known result that takes as long as is wanted: what a device is tried with."""

import math
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyopencl as cl

from clprobe.resources import kernels_path
from clprobe.tensor import Device

_CHAIN = "bench/fma_chain.cl"
_WORK_GROUP = 64
_VECTOR_SIZES = {True: 8, False: 1}
_GROUPS_PER_UNIT = 4
_ENDS_AS = 16
"""Of the chain, for a summand of 1."""
_SUMMANDS = 7
_TIMES = 3
_TOLERANCE = 0.01
"""What rounding towards zero makes of it is right as well; another launch's result is far off."""
_FEWEST_ROUNDS, _MOST_ROUNDS = 64, 1 << 20


@dataclass(slots=True)
class Work:
    """A chain of multiply-adds whose result is another one each time."""

    device: Device
    kernel: cl.Kernel
    buffer: cl.Buffer
    items: int
    values: np.ndarray[Any, Any]
    rounds: int = _FEWEST_ROUNDS
    seconds: float = 0.0
    """What so many rounds take at least, from the launch to the end of a read."""
    _number: int = field(default=0)

    @classmethod
    def of(cls, device: Device) -> "Work | None":
        """Return it for a device; None where it cannot be built, which others will tell."""
        is_cpu = device.limits.is_cpu
        size = _VECTOR_SIZES[is_cpu]
        items = device.cl_device.max_compute_units * _GROUPS_PER_UNIT * _WORK_GROUP
        try:
            source = (kernels_path() / _CHAIN).read_text(encoding="utf-8")
            program = cl.Program(device.context, source).build(
                [f"-DVECTOR_SIZE={size}"],
                cache_dir=False,  # type: ignore[arg-type]  # means "none"
            )
            values = np.zeros(items * size, np.float32)
            buffer = cl.Buffer(device.context, cl.mem_flags.READ_WRITE, values.nbytes)
            return cls(device, cl.Kernel(program, "fma_chain"), buffer, items, values)
        except (cl.Error, OSError):
            return None

    def enqueue(self, queue: cl.CommandQueue, *, times: int = 1) -> cl.Event:
        """Launch so many times the rounds; the result differs from that of the launch before."""
        self._number += 1
        summand = np.float32(1 + self._number % _SUMMANDS)
        rounds = np.uint32(times * self.rounds)
        self.kernel.set_args(self.buffer, np.float32(0.5), summand, rounds)
        local = min(_WORK_GROUP, self.device.cl_device.max_work_group_size)
        return cl.enqueue_nd_range_kernel(queue, self.kernel, (self.items,), (local,))

    def read(self, queue: cl.CommandQueue) -> bool:
        """Read what the last launch computed, and return whether it is right."""
        cl.enqueue_copy(queue, self.values, self.buffer, is_blocking=True)
        right = _ENDS_AS * (1 + self._number % _SUMMANDS)
        return bool(np.all(np.abs(self.values - right) < _TOLERANCE * right))

    def lengthen(self, seconds: float) -> bool:
        """Take as many rounds as last so long; return whether all results were right.

        Until a read has brought them, for nobody else is believed yet.
        """
        while self._is_right():
            if self.seconds >= seconds or self.rounds >= _MOST_ROUNDS:
                return True
            self.rounds *= 2
        return False

    def _is_right(self) -> bool:
        """Time the rounds until a read has brought their result, and return whether it is right.

        The fastest of a few counts, as another program may hold up some.
        """
        self.seconds = math.inf
        is_right = True
        for _ in range(_TIMES):
            started = time.perf_counter()
            self.enqueue(self.device.queue)
            is_right = is_right and self.read(self.device.queue)
            self.seconds = min(self.seconds, time.perf_counter() - started)
        return is_right
