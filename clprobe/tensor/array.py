# SPDX-License-Identifier: MIT
"""A buffer with a shape: row-major, contiguous, float32 data or int32 labels."""

from math import prod

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from clprobe.tensor.device import Device
from clprobe.tensor.errors import DtypeError, ShapeError

Shape = tuple[int, ...]
HostArray = npt.NDArray[np.float32] | npt.NDArray[np.int32]

_DTYPES = (np.dtype(np.float32), np.dtype(np.int32))


class Array:
    """Values on a device; without elements it has no buffer, for OpenCL has no empty ones."""

    __slots__ = ("_buffer", "device", "dtype", "shape")

    def __init__(
        self, device: Device, shape: Shape, dtype: np.dtype, buffer: cl.Buffer | None
    ) -> None:
        self.device = device
        self.shape = shape
        self.dtype = dtype
        self._buffer = buffer

    @classmethod
    def empty(cls, device: Device, shape: Shape, dtype: npt.DTypeLike = np.float32) -> "Array":
        """Return an array whose values are yet to be written.

        **Raises** DeviceError, DtypeError.
        """
        dtype = np.dtype(dtype)
        if dtype not in _DTYPES:
            raise DtypeError(
                f"A tensor holds float32 data or int32 labels, not {dtype}.",
                hint="Convert it first, for example with values.astype(numpy.float32).",
            )
        size_bytes = prod(shape) * dtype.itemsize
        return cls(device, shape, dtype, device.allocate(size_bytes) if size_bytes else None)

    @classmethod
    def full(cls, device: Device, shape: Shape, value: float) -> "Array":
        """Return a float32 array with one value everywhere."""
        array = cls.empty(device, shape)
        if array.size:
            device.fill(array.buffer, np.float32(value), array.size_bytes)
        return array

    @classmethod
    def from_numpy(cls, values: HostArray, device: Device) -> "Array":
        """Copy host values to the device.

        **Raises** DeviceError, DtypeError.
        """
        array = cls.empty(device, values.shape, values.dtype)
        if array.size:
            device.upload(array.buffer, np.ascontiguousarray(values))
        return array

    def numpy(self) -> np.ndarray:
        """Copy the values to the host, waiting for whatever computes them.

        **Raises** DeviceError.
        """
        values = np.empty(self.shape, self.dtype)
        if self.size:
            self.device.download(values, self.buffer)
        return values

    @property
    def buffer(self) -> cl.Buffer:
        """Return the memory; only an array with elements has any."""
        if self._buffer is None:
            raise ShapeError(f"An array of shape {self.shape} has no buffer.")
        return self._buffer

    @property
    def size(self) -> int:
        """Return the number of elements."""
        return prod(self.shape)

    @property
    def size_bytes(self) -> int:
        """Return the number of bytes that the elements take."""
        return self.size * self.dtype.itemsize

    def reshape(self, shape: Shape) -> "Array":
        """Return the same buffer under another shape of equal size.

        **Raises** ShapeError.
        """
        if prod(shape) != self.size:
            raise ShapeError(f"{self.size} values of shape {self.shape} do not fill {shape}.")
        return Array(self.device, shape, self.dtype, self._buffer)
