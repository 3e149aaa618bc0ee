# SPDX-License-Identifier: MIT
"""Values that the host reads and writes where they lie: mapped, so that nothing is copied.

That pays on devices that share memory with the host, whose buffers are allocated for it
(`Device.create_buffer`). As long as an array of NumPy shows memory, that goes back to no pool, and
what would change it on the device is refused.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import pyopencl as cl

from clprobe.tensor.device import Device
from clprobe.tensor.errors import DeviceError
from clprobe.tensor.storage import Shape, Storage

_WORTH_MAPPING = 1 << 18
"""Bytes from which on a map and its end take less than a copy: on two cores 9 µs on Intel's CPU
runtime 2026.2, where copying 256 KiB takes 21 µs, and 45 µs on PoCL 3.1, where 1 MiB takes as long
and 32 MiB take 2.7 ms."""


def is_mapped(device: Device, size_bytes: int) -> bool:
    """Say whether so many bytes are better mapped than copied."""
    return device.limits.host_unified and size_bytes >= _WORTH_MAPPING


def refuse_change(device: Device, buffer: cl.Buffer) -> None:
    """Refuse to change a buffer that the host sees where it lies.

    **Raises** DeviceError.
    """
    if id(buffer) in device.mapped:
        raise DeviceError(
            "These values cannot change while the host sees them where they lie.",
            hint="Drop what host_view() returned, and all slices of it, or copy it by numpy().",
        )


def mapped(
    device: Device,
    storage: Storage,
    shape: Shape,
    dtype: np.dtype[Any],
    flags: Any = cl.map_flags.READ,
) -> np.ndarray[Any, Any]:
    """Return computed values where they lie, once all that was enqueued has run.

    What is written there, if `flags` allow, the device sees when the last array that shows it is
    gone.

    **Raises** DeviceError, also for kernels enqueued before.
    """
    if device.capturing is not None:
        device.capturing.refuse("a look at values on the host")
    return np.asarray(_Mapping(device, storage, shape, dtype, flags))


@contextmanager
def filling(
    device: Device, storage: Storage, shape: Shape, dtype: np.dtype[Any]
) -> Iterator[np.ndarray[Any, Any]]:
    """Yield memory whose values all have to be written; from the end on the device has them.

    What shows it may be kept, but must not be written to any more.

    **Raises** DeviceError.
    """
    if device.capturing is not None:
        device.capturing.refuse("values that come from the host")
    mapping = _Mapping(device, storage, shape, dtype, cl.map_flags.WRITE_INVALIDATE_REGION)
    try:
        yield np.asarray(mapping)
    finally:
        mapping.end()


class _Mapping:
    """A buffer that is mapped until this, which arrays that show it have as their base, is gone."""

    def __init__(
        self, device: Device, storage: Storage, shape: Shape, dtype: np.dtype[Any], flags: Any
    ) -> None:
        self._map: Any = None
        self._device = device
        # Keeps the memory from the pool.
        self._storage = storage
        buffer: Any = storage.buffer
        try:
            values, event = cl.enqueue_map_buffer(device.queue, buffer, flags, 0, shape, dtype)
        except cl.Error as error:
            raise DeviceError(
                f"{device.name} refused to map a buffer, or failed in an earlier kernel: {error}"
            ) from error
        device.record("map", event)
        self._map = values.base
        device.mapped[id(buffer)] += 1
        is_written = flags != cl.map_flags.READ
        self.__array_interface__ = values.__array_interface__ | {
            "data": (values.ctypes.data, not is_written)
        }

    def end(self) -> None:
        """Give the memory back to the device, once."""
        if self._map is None:
            return
        handle, self._map = self._map, None
        device, key = self._device, id(self._storage.buffer)
        device.mapped[key] -= 1
        if not device.mapped[key]:
            del device.mapped[key]
        handle.release(device.queue)

    def __del__(self) -> None:
        # A driver that has failed says so where its results are asked for.
        with suppress(cl.Error):
            self.end()
