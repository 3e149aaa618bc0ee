# SPDX-License-Identifier: MIT
"""One OpenCL device opened for work: context, queue, limits, kernels, memory."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol
from weakref import WeakSet

import numpy as np
import pyopencl as cl

from clprobe.tensor.binary_cache import BinaryCache
from clprobe.tensor.errors import DeviceError, OutOfMemoryError
from clprobe.tensor.limits import Limits, said
from clprobe.tensor.memory import MemoryUse, Pool
from clprobe.tensor.pocl_target import name_target_cpu
from clprobe.tensor.program import Kernel, Programs, bind
from clprobe.tensor.storage import Storage
from clprobe.tensor.uploads import Uploads

Argument = cl.Buffer | np.generic | np.ndarray[Any, Any]
NdRange = tuple[tuple[int, ...], tuple[int, ...]]


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


class Capture(Protocol):
    """Somebody who wants to know every command, so as to enqueue it again."""

    def add(self, name: str, enqueue: Callable[..., cl.Event], arguments: tuple[Any, ...]) -> None:
        """Take note of `enqueue(queue, *arguments)`."""

    def add_kernel(self, kernel: Kernel, ranges: "NdRange", arguments: Sequence[Argument]) -> None:
        """Take note of a launch."""

    def refuse(self, what: str) -> None:
        """Fail, for this cannot be enqueued again."""


class Device:
    """A device with one in-order queue; close it, or use it in a `with` statement."""

    def __init__(
        self,
        cl_device: cl.Device,
        limits: Limits,
        kernels: Path | None = None,
        cache: BinaryCache | None = None,
        *,
        fast_math: bool = False,
    ) -> None:
        self.cl_device = cl_device
        self.fast_math = fast_math
        self.limits = limits
        self.context = cl.Context([cl_device])
        self.queue = cl.CommandQueue(self.context)
        self.programs = Programs(
            self.context, cl_device, limits, kernels, cache, fast_math=fast_math
        )
        self.lasting_pool = Pool(self.create_buffer)
        self.pool = self.lasting_pool
        """Where arrays get their memory; a capture puts the pool of its step here."""
        self.pending: WeakSet[Storage] = WeakSet()
        """The storages of this device that are still expressions."""
        self.capturing: Capture | None = None
        self.era = 0
        """Grows with each replay, which changes values unseen, and at either end of a capture."""
        self.recordings: list[list[Recorded]] = []
        self.mapped: Counter[int] = Counter()
        """The ids of buffers that the host sees where they lie, with how many views of each."""
        self._uploads = Uploads()

    @classmethod
    def open(
        cls,
        cl_device: cl.Device,
        *,
        limits: Limits | None = None,
        kernels: Path | None = None,
        cache: BinaryCache | None = None,
        fast_math: bool = False,
    ) -> "Device":
        """Open a device; `limits` below its own make it behave like a smaller one.

        `kernels` names another folder of kernels than the one that clprobe ships. Built programs
        are kept in `cache`, by default in the user's cache folder; `BinaryCache(None)` keeps none.
        With `fast_math` kernels are built with -cl-fast-relaxed-math: sums may be reordered, and
        what becomes infinite or no number need not be noticed, so such a device scales no losses.

        **Raises** DeviceError.
        """
        # Before the first build: PoCL knows no processor newer than its LLVM.
        name_target_cpu(cl_device)
        try:
            own = Limits.of(cl_device) if limits is None else limits
            return cls(cl_device, own, kernels, cache, fast_math=fast_math)
        except cl.Error as error:
            raise DeviceError(f"{said(cl_device, 'name')} cannot be opened: {error}") from error

    @property
    def name(self) -> str:
        """Return the device's own name."""
        return said(self.cl_device, "name")

    @property
    def compile_ns(self) -> int:
        """Return the time spent building kernels so far."""
        return self.programs.compile_ns

    def allocate(self, size_bytes: int, pool: Pool | None = None) -> cl.Buffer:
        """Return an uninitialised buffer; memory is reused within this device's queue.

        It comes from `pool`, which is `self.pool` unless given.

        **Raises** DeviceError, naming the bytes asked and the limit.
        """
        limit = self.limits.max_allocation_bytes
        if size_bytes > limit:
            raise OutOfMemoryError(
                f"{self.name} allocates at most {limit} bytes at once; {size_bytes} were asked.",
                hint="Use a smaller batch.",
            )
        try:
            return (pool or self.pool).allocate(size_bytes)
        except cl.Error as error:
            raise OutOfMemoryError(
                f"{self.name} could not allocate {size_bytes} bytes "
                f"of {self.limits.global_memory_bytes}: {error}",
                hint="Use a smaller batch.",
            ) from error

    @property
    def memory(self) -> MemoryUse:
        """Return how much memory arrays take."""
        return self.lasting_pool.use()

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
        ranges = (tuple(global_size), tuple(local_size))
        try:
            bind(kernel.handle, arguments)
            event = cl.enqueue_nd_range_kernel(self.queue, kernel.handle, *ranges)
        except cl.Error as error:
            raise _kind_of(error)(
                f"{self.name} refused kernel {kernel.name} of {kernel.file}, "
                f"global {ranges[0]}, local {ranges[1]}: {error}"
            ) from error
        if self.capturing is not None:
            self.capturing.add_kernel(kernel, ranges, arguments)
        return self.record(kernel.name, event)

    def upload(self, buffer: cl.Buffer, values: np.ndarray[Any, Any]) -> None:
        """Copy contiguous host values, as they are now, into a buffer.

        A CPU does so at once. A GPU is not waited for: it may have much to do before.

        **Raises** DeviceError.
        """
        with self._naming("an upload"):
            if self.limits.is_cpu:
                event = cl.enqueue_copy(self.queue, buffer, values, is_blocking=True)
            else:
                event = self._uploads.start(self.queue, buffer, values)
        self.record("upload", event)

    def download(self, values: np.ndarray[Any, Any], buffer: cl.Buffer) -> None:
        """Copy a buffer into contiguous host memory and wait.

        **Raises** DeviceError, also for kernels enqueued before.
        """
        if self.capturing is not None:
            self.capturing.refuse("download")
        with self._naming("a download, or failed in an earlier kernel"):
            event = cl.enqueue_copy(self.queue, values, buffer, is_blocking=True)
        self.record("download", event)

    def fill(self, buffer: cl.Buffer, value: np.float32, size_bytes: int) -> None:
        """Set the whole buffer to one value.

        **Raises** DeviceError.
        """
        arguments = (buffer, np.array(value), 0, size_bytes)
        with self._naming("a fill"):
            event = cl.enqueue_fill_buffer(self.queue, *arguments)
        if self.capturing is not None:
            self.capturing.add("fill", cl.enqueue_fill_buffer, arguments)
        self.record("fill", event)

    def copy(self, target: cl.Buffer, source: cl.Buffer, size_bytes: int) -> None:
        """Copy the first bytes of a buffer within the device.

        **Raises** DeviceError.
        """
        copy = partial(cl.enqueue_copy, byte_count=size_bytes)
        with self._naming("a copy"):
            event = copy(self.queue, target, source)
        if self.capturing is not None:
            self.capturing.add("copy", copy, (target, source))
        self.record("copy", event)

    def finish(self) -> None:
        """Wait until everything enqueued has run.

        **Raises** DeviceError.
        """
        with self._naming("to finish, or failed in an earlier kernel"):
            self.queue.finish()
            self._uploads.finish()

    @contextmanager
    def record_events(self) -> Iterator[list[Recorded]]:
        """Collect every command enqueued inside the `with` block, in order.

        Waits at both ends, for a queue that measures is another, slower one.
        """
        recording: list[Recorded] = []
        fast = self.queue
        self.finish()
        self.recordings.append(recording)
        self.queue = cl.CommandQueue(
            self.context, properties=cl.command_queue_properties.PROFILING_ENABLE
        )
        try:
            yield recording
        finally:
            self.recordings.remove(recording)
            self.finish()
            self.queue = fast

    def close(self) -> None:
        """Wait for the queue, give unused memory back, keep what was built for next time."""
        self.finish()
        self.pool.trim()
        self.programs.save()

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def create_buffer(self, size_bytes: int) -> cl.Buffer:
        """Return new memory, beside the pool; where it is shared, of the kind that maps as it lies.

        **Source** Intel, Minimizing Buffer Copies on Intel Processor Graphics:
        https://www.intel.com/content/www/us/en/developer/articles/training/getting-the-most-from-opencl-12-how-to-increase-performance-by-minimizing-buffer-copies-on-intel-processor-graphics.html

        **Raises** pyopencl.Error.
        """
        flags: Any = cl.mem_flags.READ_WRITE
        if self.limits.host_unified:
            flags |= cl.mem_flags.ALLOC_HOST_PTR
        return cl.Buffer(self.context, flags, size_bytes)

    @contextmanager
    def _naming(self, what: str) -> Iterator[None]:
        try:
            yield
        except cl.Error as error:
            raise _kind_of(error)(f"{self.name} refused {what}: {error}") from error

    def record(self, name: str, event: cl.Event) -> cl.Event:
        """Tell those who record events of one that was enqueued."""
        for recording in self.recordings:
            recording.append(Recorded(name, event))
        return event


def _kind_of(error: cl.Error) -> type[DeviceError]:
    """Return what the failure is; a device that allocates on first use is out of memory there."""
    return OutOfMemoryError if isinstance(error, cl.MemoryError) else DeviceError
