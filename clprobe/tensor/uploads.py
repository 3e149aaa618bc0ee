# SPDX-License-Identifier: MIT
"""Copies of host values on their way to a device, while Python and the device go on."""

from collections import deque
from typing import Any

import numpy as np
import pyopencl as cl

_MAX_BYTES = 64 << 20
"""So much host memory may wait for the device; a batch of images is a tenth of it."""


class Uploads:
    """The transfers of one device that may not have ended yet, each with the values it reads."""

    def __init__(self) -> None:
        self._under_way: deque[tuple[cl.Event, np.ndarray[Any, Any]]] = deque()
        self._bytes = 0

    def start(
        self, queue: cl.CommandQueue, buffer: cl.Buffer, values: np.ndarray[Any, Any]
    ) -> cl.Event:
        """Enqueue a copy of the values as they are now; waits only where many are under way.

        **Raises** pyopencl.Error.
        """
        if values.nbytes > _MAX_BYTES:
            return cl.enqueue_copy(queue, buffer, values, is_blocking=True)
        self._settle(_MAX_BYTES - values.nbytes)
        kept = values.copy()
        event = cl.enqueue_copy(queue, buffer, kept, is_blocking=False)
        queue.flush()
        # An event that is dropped waits for its transfer, so it is kept until that has ended.
        self._under_way.append((event, kept))
        self._bytes += kept.nbytes
        return event

    def _settle(self, most_bytes: int) -> None:
        """Drop the transfers that have ended, and wait for the oldest until few enough are left."""
        while self._under_way:
            event, values = self._under_way[0]
            ended = event.command_execution_status <= cl.command_execution_status.COMPLETE
            if not ended and self._bytes <= most_bytes:
                return
            self._under_way.popleft()
            self._bytes -= values.nbytes
            event.wait()

    def finish(self) -> None:
        """Wait for all of them.

        **Raises** pyopencl.Error.
        """
        self._settle(-1)
