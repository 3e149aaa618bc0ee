# SPDX-License-Identifier: MIT
"""A buffer with a shape: row-major, contiguous, float32 data, float16 copies or int32 labels."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from clprobe.tensor import fusion
from clprobe.tensor.device import Device
from clprobe.tensor.errors import DtypeError, ShapeError
from clprobe.tensor.mapping import filling, is_mapped, mapped, refuse_change
from clprobe.tensor.memory import Pool
from clprobe.tensor.storage import Constant, Shape, Storage

__all__ = ["Array", "HostArray", "Shape"]

HostArray = npt.NDArray[np.float32] | npt.NDArray[np.float16] | npt.NDArray[np.int32]

_DTYPES = (np.dtype(np.float32), np.dtype(np.float16), np.dtype(np.int32))


class Array:
    """Values on a device, or what will compute them when somebody asks for `buffer`.

    Without elements there is no buffer, for OpenCL has no empty ones.
    """

    __slots__ = ("device", "dtype", "shape", "storage")

    def __init__(
        self, device: Device, shape: Shape, dtype: np.dtype[Any], storage: Storage
    ) -> None:
        self.device = device
        self.shape = shape
        self.dtype = dtype
        self.storage = storage

    @classmethod
    def empty(cls, device: Device, shape: Shape, dtype: npt.DTypeLike = np.float32) -> "Array":
        """Return an array whose values are yet to be written.

        **Raises** DeviceError, DtypeError.
        """
        return cls._allocated(device, shape, np.dtype(dtype), device.pool)

    @classmethod
    def _allocated(cls, device: Device, shape: Shape, dtype: np.dtype[Any], pool: Pool) -> "Array":
        if dtype not in _DTYPES:
            raise DtypeError(
                f"A tensor holds float32 data or int32 labels, not {dtype}.",
                hint="Convert it first, for example with values.astype(numpy.float32).",
            )
        array = cls(device, shape, dtype, Storage())
        if array.size:
            array.storage.hold(device.allocate(array.size_bytes, pool), pool)
        return array

    @classmethod
    def full(cls, device: Device, shape: Shape, value: float) -> "Array":
        """Return a float32 array with one value everywhere; it takes memory only when needed."""
        constant = Constant(float(np.float32(value)), prod(shape))
        storage = Storage(constant)
        if constant.size:
            device.pending.add(storage)
        return cls(device, shape, np.dtype(np.float32), storage)

    @classmethod
    def from_numpy(cls, values: HostArray, device: Device) -> "Array":
        """Copy host values to the device.

        **Raises** DeviceError, DtypeError.
        """
        # A captured step does not upload again when it is replayed, so these values must not lie
        # where other arrays of the step lay before.
        array = cls._allocated(device, values.shape, values.dtype, device.lasting_pool)
        if array.size:
            device.upload(array.buffer, np.ascontiguousarray(values))
        return array

    def numpy(self) -> np.ndarray[Any, Any]:
        """Copy the values to the host, waiting for whatever computes them.

        **Raises** DeviceError.
        """
        values = np.empty(self.shape, self.dtype)
        if self.size:
            self.device.download(values, self.buffer)
        return values

    def host_view(self) -> np.ndarray[Any, Any]:
        """Return the values for reading, where memory is shared without a copy (`mapping`).

        As long as what this returns, or a slice of it, is kept, the values cannot be changed on the
        device.

        **Raises** DeviceError.
        """
        if not is_mapped(self.device, self.size_bytes):
            values = self.numpy()
            values.setflags(write=False)
            return values
        _ = self.buffer  # which computes them
        return mapped(self.device, self.storage, self.shape, self.dtype)

    def given_away(self) -> np.ndarray[Any, Any]:
        """Return the values for a host that may change them; nobody else may use this array.

        **Raises** DeviceError.
        """
        if not is_mapped(self.device, self.size_bytes):
            return self.numpy()
        _ = self.changing_buffer()
        flags = cl.map_flags.READ | cl.map_flags.WRITE
        return mapped(self.device, self.storage, self.shape, self.dtype, flags)

    @contextmanager
    def filling(self, *, by_map: bool | None = None) -> Iterator[np.ndarray[Any, Any]]:
        """Yield memory for the host to write all values to; from the end on, the device has them.

        It is the array's own if `by_map`, which unless given depends on device and size.

        **Raises** DeviceError.
        """
        if not self.size:
            yield np.empty(self.shape, self.dtype)
            return
        _ = self.changing_buffer()
        mapped_here = is_mapped(self.device, self.size_bytes) if by_map is None else by_map
        if not mapped_here:
            if self.device.capturing is not None:
                self.device.capturing.refuse("values that come from the host")
            values = np.empty(self.shape, self.dtype)
            yield values
            self.device.upload(self.buffer, values)
            return
        with filling(self.device, self.storage, self.shape, self.dtype) as values:
            yield values

    def assign(self, values: "HostArray | Array") -> None:
        """Overwrite the values where they lie, from the host or from another array.

        **Raises** ShapeError, DtypeError, DeviceError.
        """
        if values.shape != self.shape:
            raise ShapeError(f"Values of shape {values.shape} do not fit an array of {self.shape}.")
        if values.dtype != self.dtype:
            raise DtypeError(f"An array of {self.dtype} takes no values of {values.dtype}.")
        if not self.size:
            return
        if isinstance(values, Array):
            source = values.buffer
            self.device.copy(self.changing_buffer(), source, self.size_bytes)
        else:
            if self.device.capturing is not None:
                self.device.capturing.refuse("values that come from the host")
            self.device.upload(self.changing_buffer(), np.ascontiguousarray(values))

    @property
    def buffer(self) -> cl.Buffer:
        """Return the memory, once the values are computed; only an array with elements has any.

        **Raises** ShapeError, DeviceError, BuildError.
        """
        storage = self.storage
        if storage.expression is not None:
            fusion.compute(self.device, storage)
        if storage.buffer is None:
            raise ShapeError(f"An array of shape {self.shape} has no buffer.")
        return storage.buffer

    def changing_buffer(self) -> cl.Buffer:
        """Return the memory for a kernel that changes values in place.

        Expressions that have yet to read the present values are computed first.

        **Raises** DeviceError while the host sees the values where they lie.
        """
        buffer = self.buffer
        if self.device.mapped:
            refuse_change(self.device, buffer)
        fusion.compute_readers(self.device, self.storage)
        self.storage.half = None
        return buffer

    @property
    def size(self) -> int:
        """Return the number of elements."""
        return prod(self.shape)

    @property
    def size_bytes(self) -> int:
        """Return the number of bytes that the elements take."""
        return self.size * self.dtype.itemsize

    def reshape(self, shape: Shape) -> "Array":
        """Return the same storage under another shape of equal size.

        **Raises** ShapeError.
        """
        if prod(shape) != self.size:
            raise ShapeError(f"{self.size} values of shape {self.shape} do not fill {shape}.")
        return Array(self.device, shape, self.dtype, self.storage)
