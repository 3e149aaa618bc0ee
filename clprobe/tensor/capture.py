# SPDX-License-Identifier: MIT
"""A step that ran once and can be enqueued again, with no Python in between but one loop.

Every command keeps its own kernel object with its arguments set, so a replay sets none. While it is
captured, a step allocates from a pool of its own, so that nothing else lies where its arrays do.
Then all lifetimes are known: arrays that are gone by the end get places in new, smaller memory
(`placement`), the commands are bound to those, and the pool's idle memory is given back.

Command buffers (cl_khr_command_buffer) are not used: see `Step.replay`.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pyopencl as cl

from clprobe.tensor import fusion
from clprobe.tensor.device import Device, NdRange
from clprobe.tensor.errors import DeviceError
from clprobe.tensor.mapping import refuse_change
from clprobe.tensor.memory import Loan, MemoryUse, Pool
from clprobe.tensor.placement import Need, Room, place
from clprobe.tensor.program import Kernel, bind

_Command = tuple[Callable[..., cl.Event], tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class _Noted:
    """A command whose arguments name arrays of the step, as loans, that have yet to get a place."""

    name: str
    arguments: tuple[Any, ...]
    bound: Callable[[tuple[Any, ...]], _Command]
    """Makes what a replay enqueues, given the arguments with buffers for loans."""


@contextmanager
def capture(device: Device) -> Iterator["Step"]:
    """Run the body of the `with` statement and return it as a step that can be replayed.

    The body works on arrays that lie on the device already; it may upload (once, not in replays)
    but not read results.

    **Raises** DeviceError inside another capture.
    """
    if device.capturing is not None:
        raise DeviceError("A capture cannot begin inside another one.")
    # Expressions from outside would be computed by every replay.
    fusion.compute_all(device)
    step = Step(device)
    device.capturing, device.pool = step, step.pool
    device.era += 1
    try:
        yield step
        fusion.compute_all(device)
        step.settle()
    finally:
        device.capturing, device.pool = None, device.lasting_pool
        device.era += 1


class Step:
    """What was enqueued inside `with capture(device) as step`, in order."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._commands: list[_Command] = []
        self._noted: list[_Noted] = []
        self._buffers: list[cl.Buffer] = []
        """Kept because a kernel object does not keep its buffers."""
        self._lasting: dict[Loan, cl.Buffer] = {}
        """Where those arrays of the step lie that have not gone."""
        self.pool = Pool(device.create_buffer)
        self._memory = self.pool.use()
        self._complete = False

    @property
    def names(self) -> tuple[str, ...]:
        """Return what each replay enqueues."""
        return tuple(each.name for each in self._noted)

    @property
    def memory(self) -> MemoryUse:
        """Return how much memory the step keeps, beside what lay outside before."""
        return self._memory

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
        if device.mapped:
            for buffer in self._buffers:
                refuse_change(device, buffer)
        if device.pending:
            # What has yet to be computed may read what the step is about to overwrite.
            fusion.compute_all(device)
        queue = device.queue
        device.era += 1
        try:
            if device.recordings:
                for name, (enqueue, arguments) in zip(self.names, self._commands, strict=True):
                    device.record(name, enqueue(queue, *arguments))
                return
            for enqueue, arguments in self._commands:
                enqueue(queue, *arguments)
            queue.flush()
        except cl.Error as error:
            raise DeviceError(f"{device.name} refused a replay: {error}") from error

    def add(self, name: str, enqueue: Callable[..., cl.Event], arguments: tuple[Any, ...]) -> None:
        """Take note of `enqueue(queue, *arguments)`."""
        self._note(name, arguments, lambda known: (enqueue, known))

    def add_kernel(self, kernel: Kernel, ranges: NdRange, arguments: Sequence[Any]) -> None:
        """Take note of a launch."""

        def bound(known: tuple[Any, ...]) -> _Command:
            handle = kernel.clone()
            bind(handle, known)
            return cl.enqueue_nd_range_kernel, (handle, *ranges)

        self._note(kernel.name, tuple(arguments), bound)

    def refuse(self, what: str) -> None:
        """Fail, for this cannot be enqueued again."""
        raise DeviceError(
            f"A captured step cannot repeat {what}.",
            hint="Move it out of the capture: before it for inputs, after a replay for results.",
        )

    def settle(self) -> None:
        """Place the arrays that are gone, and bind all commands to where everything lies now.

        **Raises** DeviceError.
        """
        device, used = self._device, self.pool.use()
        self._lasting = {loan: at for loan, at in self._lasting.items() if not loan.is_over}
        needs = self._needs()
        lasting = list(self._lasting.items())
        # Before its first command of a replay, an array that lasts holds nothing yet.
        rooms = [
            Room(at.size, 0, [(0, Need(at.size, needs[loan].first, len(self._noted)))])
            for loan, at in lasting
        ]
        gone = {loan: need for loan, need in needs.items() if loan not in self._lasting}
        most = device.limits.max_allocation_bytes
        # Parts of buffers cost NVIDIA's driver time at every launch (a replay of 33 took 0.49 ms,
        # not 0.29), so GPUs get whole ones: nothing else begins within the most that one can hold.
        parts = device.limits.is_cpu
        alignment = max(1, device.cl_device.mem_base_addr_align // 8) if parts else most
        places = place(gone, rooms, alignment, most)
        device.finish()
        self.pool.trim()
        new = [device.allocate(room.size_bytes, self.pool) for room in rooms[len(lasting) :]]
        buffers = [at for _, at in lasting] + new
        where = self._lasting | {
            loan: buffers[index].get_sub_region(offset, loan.size_bytes)
            if parts
            else buffers[index]
            for loan, (index, offset) in places.items()
        }
        for each in self._noted:
            known = tuple(where[it] if isinstance(it, Loan) else it for it in each.arguments)
            self._buffers += [it for it in known if isinstance(it, cl.Buffer)]
            self._commands.append(each.bound(known))
        self._buffers += buffers
        held = sum(int(each.size) for each in buffers)
        self._memory = replace(used, held_bytes=held, peak_held_bytes=held)
        self._complete = True

    def _note(
        self, name: str, arguments: tuple[Any, ...], bound: Callable[[tuple[Any, ...]], _Command]
    ) -> None:
        noted = []
        for argument in arguments:
            loan = self.pool.loan(argument) if isinstance(argument, cl.Buffer) else None
            if loan is not None:
                self._lasting[loan] = argument
            elif isinstance(argument, cl.Buffer):
                self._device.lasting_pool.pin(argument)
            noted.append(argument if loan is None else loan)
        # What has gone needs no buffer of its own any more.
        for loan in [each for each in self._lasting if each.is_over]:
            del self._lasting[loan]
        self._noted.append(_Noted(name, tuple(noted), bound))

    def _needs(self) -> dict[Loan, Need]:
        """Return for each array of the step the first and the last command that uses it."""
        needs: dict[Loan, Need] = {}
        for index, each in enumerate(self._noted):
            for loan in each.arguments:
                if isinstance(loan, Loan):
                    first = needs[loan].first if loan in needs else index
                    needs[loan] = Need(loan.size_bytes, first, index)
        return needs
