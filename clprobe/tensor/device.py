# SPDX-License-Identifier: MIT
"""One OpenCL device opened for work: context, queue with profiling, limits, kernels, memory."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, cast

import numpy as np
import pyopencl as cl
from pyopencl.tools import ImmediateAllocator, MemoryPool

from clprobe.tensor.errors import DeviceError
from clprobe.tensor.limits import Limits
from clprobe.tensor.pocl_target import name_target_cpu
from clprobe.tensor.program import Kernel, Programs

Argument = cl.Buffer | np.generic | np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Recorded:
    """One command that ran on the queue."""

    name: str
    """The kernel's name, or "upload", "download", "fill"."""
    event: cl.Event

    @property
    def elapsed_ns(self) -> int:
        """Return the time on the device, waiting for the command if need be."""
        self.event.wait()
        return int(self.event.profile.end - self.event.profile.start)


class Device:
    """A device with one in-order queue; close it, or use it in a `with` statement."""

    def __init__(self, cl_device: cl.Device, limits: Limits, kernels: Path | None = None) -> None:
        self.cl_device = cl_device
        self.limits = limits
        self.context = cl.Context([cl_device])
        self.queue = cl.CommandQueue(
            self.context, properties=cl.command_queue_properties.PROFILING_ENABLE
        )
        self.programs = Programs(self.context, cl_device, limits, kernels)
        self._pool = MemoryPool(ImmediateAllocator(self.queue))
        self._recordings: list[list[Recorded]] = []

    @classmethod
    def open(
        cls,
        cl_device: cl.Device,
        *,
        limits: Limits | None = None,
        kernels: Path | None = None,
    ) -> "Device":
        """Open a device; `limits` below its own make it behave like a smaller one.

        `kernels` names another folder of kernels than the one that clprobe ships.

        **Raises** DeviceError.
        """
        # Before the first build: PoCL knows no processor newer than its LLVM.
        name_target_cpu(cl_device)
        try:
            return cls(cl_device, Limits.of(cl_device) if limits is None else limits, kernels)
        except cl.Error as error:
            raise DeviceError(f"{cl_device.name} cannot be opened: {error}") from error

    @property
    def name(self) -> str:
        """Return the device's own name."""
        return str(self.cl_device.name)

    @property
    def compile_ns(self) -> int:
        """Return the time spent building kernels so far."""
        return self.programs.compile_ns

    def allocate(self, size_bytes: int) -> cl.Buffer:
        """Return an uninitialised buffer; memory is reused within this device's queue.

        **Raises** DeviceError, naming the bytes asked and the limit.
        """
        limit = self.limits.max_allocation_bytes
        if size_bytes > limit:
            raise DeviceError(
                f"{self.name} allocates at most {limit} bytes at once; {size_bytes} were asked.",
                hint="Use a smaller batch.",
            )
        try:
            # The pool rounds sizes up, which must not carry a large one past the limit.
            if size_bytes > limit // 2:
                return cl.Buffer(self.context, cl.mem_flags.READ_WRITE, size_bytes)
            # A pooled buffer serves wherever a buffer does.
            return cast("cl.Buffer", self._pool.allocate(size_bytes))
        except cl.Error as error:
            raise DeviceError(
                f"{self.name} could not allocate {size_bytes} bytes "
                f"of {self.limits.global_memory_bytes}: {error}",
                hint="Use a smaller batch.",
            ) from error

    def launch(
        self,
        kernel: Kernel,
        global_size: Sequence[int],
        local_size: Sequence[int],
        arguments: Sequence[Argument],
    ) -> cl.Event:
        """Enqueue a kernel; scalars are NumPy scalars of the width that the kernel declares.

        **Raises** DeviceError.
        """
        ranges = f"global {tuple(global_size)}, local {tuple(local_size)}"
        with self._naming(f"kernel {kernel.name} of {kernel.file}, {ranges}"):
            for index, argument in enumerate(arguments):
                kernel.handle.set_arg(index, argument)
            event = cl.enqueue_nd_range_kernel(
                self.queue, kernel.handle, tuple(global_size), tuple(local_size)
            )
        return self._record(kernel.name, event)

    def upload(self, buffer: cl.Buffer, values: np.ndarray) -> None:
        """Copy contiguous host values into a buffer and wait.

        **Raises** DeviceError.
        """
        with self._naming("an upload"):
            event = cl.enqueue_copy(self.queue, buffer, values, is_blocking=True)
        self._record("upload", event)

    def download(self, values: np.ndarray, buffer: cl.Buffer) -> None:
        """Copy a buffer into contiguous host memory and wait.

        **Raises** DeviceError, also for kernels enqueued before.
        """
        with self._naming("a download, or failed in an earlier kernel"):
            event = cl.enqueue_copy(self.queue, values, buffer, is_blocking=True)
        self._record("download", event)

    def fill(self, buffer: cl.Buffer, value: np.float32, size_bytes: int) -> None:
        """Set the whole buffer to one value.

        **Raises** DeviceError.
        """
        with self._naming("a fill"):
            event = cl.enqueue_fill_buffer(self.queue, buffer, np.array(value), 0, size_bytes)
        self._record("fill", event)

    def finish(self) -> None:
        """Wait until everything enqueued has run.

        **Raises** DeviceError.
        """
        with self._naming("to finish, or failed in an earlier kernel"):
            self.queue.finish()

    @contextmanager
    def record_events(self) -> Iterator[list[Recorded]]:
        """Collect every command enqueued inside the `with` block, in order."""
        recording: list[Recorded] = []
        self._recordings.append(recording)
        try:
            yield recording
        finally:
            self._recordings.remove(recording)

    def close(self) -> None:
        """Wait for the queue and give unused memory back."""
        self.finish()
        self._pool.stop_holding()

    def __enter__(self) -> "Device":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @contextmanager
    def _naming(self, what: str) -> Iterator[None]:
        try:
            yield
        except cl.Error as error:
            raise DeviceError(f"{self.name} refused {what}: {error}") from error

    def _record(self, name: str, event: cl.Event) -> cl.Event:
        for recording in self._recordings:
            recording.append(Recorded(name, event))
        return event
