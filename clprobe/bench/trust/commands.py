# SPDX-License-Identifier: MIT
"""Whether writes, copies and fills do what they say, and all of it."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyopencl as cl

from clprobe.tensor import Device

_VALUES = 3 << 10
_ROUNDS = 2
"""As what is kept from the first is right only then."""


def problem_of_commands(device: Device) -> str:
    """Return which command leaves something undone; "": none.

    **Raises** pyopencl.Error.
    """
    seen = np.empty(_VALUES, np.float32)
    for name, buffer, right in _commands(device):
        cl.enqueue_copy(device.queue, seen, buffer, is_blocking=True)
        share = float(np.mean(seen != right))
        if share:
            return (
                f"after a {name} on the device {share:.0%} of what is read is something else: the "
                f"{name} was left out, in part or whole, or the read brings what was there before."
            )
    return ""


def _commands(device: Device) -> Iterator[tuple[str, cl.Buffer, Any]]:
    """Enqueue one after the other; yield its name, where it puts its values, and these."""
    queue, random = device.queue, np.random.default_rng()
    source, target = (
        cl.Buffer(device.context, cl.mem_flags.READ_WRITE, 4 * _VALUES) for _ in range(2)
    )
    for _ in range(_ROUNDS):
        written = random.random(_VALUES, np.float32)
        cl.enqueue_copy(queue, source, written)
        yield "write", source, written
        cl.enqueue_copy(queue, target, source)
        yield "copy", target, written
        filled = np.array(random.uniform(1, 2), np.float32)
        cl.enqueue_fill_buffer(queue, source, filled, 0, 4 * _VALUES)
        yield "fill", source, filled
