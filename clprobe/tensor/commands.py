# SPDX-License-Identifier: MIT
"""What is enqueued the same way by a device and by a step that repeats it."""

from collections.abc import Sequence
from typing import Any

import pyopencl as cl


def bind(handle: cl.Kernel, arguments: Sequence[Any]) -> None:
    """Set all arguments of a kernel: buffers, and NumPy scalars or arrays.

    **Raises** pyopencl.Error.
    """
    for index, argument in enumerate(arguments):
        if isinstance(argument, cl.Buffer):
            handle.set_arg(index, argument)
        else:
            # set_arg takes the same bytes, but 6 to 10 µs to find out what a scalar is.
            handle._set_arg_buf(index, argument.tobytes())  # type: ignore[attr-defined]


def copy_bytes(
    queue: cl.CommandQueue, target: cl.Buffer, source: cl.Buffer, size_bytes: int
) -> cl.Event:
    """Copy the first bytes of a buffer.

    **Raises** pyopencl.Error.
    """
    return cl.enqueue_copy(queue, target, source, byte_count=size_bytes)
