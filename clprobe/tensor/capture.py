# SPDX-License-Identifier: MIT
"""A step that ran once and can be enqueued again, with no Python in between but one loop.

Every command keeps its own kernel object with its arguments set, so a replay sets none. The step
allocates from a pool of its own, which it keeps: its arrays always lie where they lay, nothing
else lies there, and within the step memory is reused as usual. Commands wait for nothing.

Command buffers (cl_khr_command_buffer) are not used: see `Step.replay`.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyopencl as cl

from clprobe.tensor import fusion
from clprobe.tensor.device import Argument, Device, NdRange, bind
from clprobe.tensor.errors import DeviceError
from clprobe.tensor.memory import MemoryUse, Pool
from clprobe.tensor.program import Kernel

_Command = tuple[Callable[..., cl.Event], tuple[Any, ...]]


class Step:
    """What was enqueued inside `with device.capture() as step`, in order."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._commands: list[_Command] = []
        self._names: list[str] = []
        self._arguments: list[Sequence[Argument]] = []
        """Kept because a kernel object does not keep its buffers."""
        self._outside = device.lasting_pool
        self._pool = Pool(device.create_buffer, keeps_all=True)
        self._complete = False

    @property
    def names(self) -> tuple[str, ...]:
        """Return what each replay enqueues."""
        return tuple(self._names)

    @property
    def memory(self) -> MemoryUse:
        """Return how much memory the step keeps, beside what lay outside before."""
        return self._pool.use()

    def replay(self) -> None:
        """Enqueue the step once more and return at once; arrays of the step get new values.

        The inputs are whatever their buffers now hold: change them with `assign`. A command buffer
        of 20 launches took 105 µs on Intel's CPU runtime where this loop took 79 µs, and on PoCL
        3.1 the loop's 37 µs leave nothing to gain; NVIDIA offers none.

        **Raises** DeviceError.
        """
        device = self._device
        if not self._complete or device.capturing is not None:
            raise DeviceError("No step can be replayed that is incomplete, nor inside a capture.")
        if device.pending:
            # What has yet to be computed may read what the step is about to overwrite.
            fusion.compute_all(device)
        queue = device.queue
        try:
            if device.recordings:
                self._replay_in_view(queue)
                return
            for enqueue, arguments in self._commands:
                enqueue(queue, *arguments)
            queue.flush()
        except cl.Error as error:
            raise DeviceError(f"{device.name} refused a replay: {error}") from error

    def add(self, name: str, enqueue: Callable[..., cl.Event], arguments: tuple[Any, ...]) -> None:
        """Take note of `enqueue(queue, *arguments)`."""
        self._note(name, (enqueue, arguments), arguments)

    def add_kernel(self, kernel: Kernel, ranges: NdRange, arguments: Sequence[Argument]) -> None:
        """Take note of a launch."""
        handle = kernel.clone()
        bind(handle, arguments)
        self._note(kernel.name, (cl.enqueue_nd_range_kernel, (handle, *ranges)), arguments)

    def refuse(self, what: str) -> None:
        """Fail, for this cannot be enqueued again."""
        raise DeviceError(
            f"A captured step cannot repeat {what}.",
            hint="Move it out of the capture: before it for inputs, after a replay for results.",
        )

    @contextmanager
    def being_captured(self) -> Iterator["Step"]:
        """Note what the body of the `with` statement enqueues.

        **Raises** DeviceError inside another capture.
        """
        device = self._device
        if device.capturing is not None:
            raise DeviceError("A capture cannot begin inside another one.")
        # Expressions from outside would be computed by every replay.
        fusion.compute_all(device)
        device.capturing, device.pool = self, self._pool
        try:
            yield self
            fusion.compute_all(device)
            self._complete = True
        finally:
            device.capturing, device.pool = None, self._outside

    def _note(self, name: str, command: _Command, arguments: Sequence[Any]) -> None:
        self._names.append(name)
        self._commands.append(command)
        self._arguments.append(arguments)
        for argument in arguments:
            if isinstance(argument, cl.Buffer):
                self._outside.pin(argument)

    def _replay_in_view(self, queue: cl.CommandQueue) -> None:
        for name, (enqueue, arguments) in zip(self._names, self._commands, strict=True):
            self._device.record(name, enqueue(queue, *arguments))
