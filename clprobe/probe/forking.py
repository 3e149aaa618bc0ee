# SPDX-License-Identifier: MIT
"""Our side of fork_server.py: a process that children are forked from, one per environment."""

import contextlib
import marshal
import os
import select
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from clprobe.probe.descendants import adoption
from clprobe.probe.scratch import ReportMemory

_PROGRAM = str(Path(__file__).with_name("opencl") / "fork_server.py")
_CHILDREN = 12
"""Of one server, which has pipes and memory for as many from its start; then another one starts."""
_SIZE_BYTES = 4
_ROOM = 1024
"""Characters for the words by which ps shows a child."""
# Half of what a pipe holds: nobody waits for a server that does not read.
_LONGEST_REQUEST = 1 << 15
_PATIENCE_MS = 2000
_TURNS_FOR_ALL = 100
_LOADED_AHEAD = ("LD_PRELOAD", "LD_AUDIT")


class Forked(NamedTuple):
    """A child that was just forked: its process id, and our ends of what it was given."""

    pid: int
    output: int
    lifeline: int
    memory: ReportMemory


class _Place(NamedTuple):
    """What a child is given: the ends of two pipes, its and ours, and memory for its report."""

    output: tuple[int, int]
    lifeline: tuple[int, int]
    memory: ReportMemory

    def theirs(self) -> tuple[int, int, int]:
        """Return the descriptors that a child has: its output, its report, its lifeline."""
        return self.output[1], self.memory.descriptor, self.lifeline[0]

    def close(self) -> None:
        """Close all of it."""
        self.memory.close()
        for descriptor in (*self.output, *self.lifeline):
            os.close(descriptor)


class ForkServer:
    """Forks children whose environment is `environment` but for what only they read themselves.

    What a dynamic linker or a C library reads while a program starts is the same for all of them.

    Raises: OSError if it cannot be started.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = dict(environment)
        self.is_broken = False
        self._has_ended = False
        self._lock = threading.Lock()
        self._places: list[_Place] = []
        with contextlib.ExitStack() as undone:
            for _ in range(_CHILDREN):
                self._places.append(_place())
                undone.callback(self._places[-1].close)
            requests, self._requests = _pipe(undone)
            self._replies, replies = _pipe(undone)
            self._turns = _turns(undone)
            theirs = [one for place in self._places for one in place.theirs()]
            highest = max(requests, replies, self._turns, *theirs)
            numbers = (requests, replies, self._turns, highest)
            with adoption.lock:
                self._process = subprocess.Popen(
                    [sys.executable, "-I", "-S", _PROGRAM, *map(str, numbers), " " * _ROOM],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env=self.environment,
                    cwd="/",
                    start_new_session=True,
                    pass_fds=(requests, replies, self._turns, *theirs),
                )
                adoption.guardians.add(self._process.pid)
            undone.pop_all()
        os.close(requests)
        os.close(replies)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def is_used_up(self) -> bool:
        """Whether as many children as it can make were made."""
        return not self._places and not self.is_broken

    def fork(
        self, arguments: Sequence[str], environment: Mapping[str, str], cwd: Path, guard: str
    ) -> Forked | None:
        """Return a child that is our own; None: this server makes none any more."""
        with self._lock:
            if not self._places:
                return None
            place = self._places[-1]
            # Texts as they are: a driver may be told of bytes that are no UTF-8.
            told = (place.theirs(), tuple(arguments), dict(environment), str(cwd), guard)
            request = marshal.dumps(told)
            if len(request) > _LONGEST_REQUEST:
                return None
            self._places.pop()
            with adoption.lock:
                pid = self._asked(request)
                if pid > 0:
                    adoption.guardians.add(pid)
        if pid <= 0:
            place.close()
            return None
        os.close(place.output[1])
        os.close(place.lifeline[0])
        return Forked(pid, place.output[0], place.lifeline[1], place.memory)

    def let_all_begin(self) -> None:
        """Have no child wait for its turn any more: we do nothing now but wait for them."""
        with self._lock:
            if not self._has_ended:
                os.eventfd_write(self._turns, _TURNS_FOR_ALL)

    def _asked(self, request: bytes) -> int:
        """Return the process id of a new child; negative: there is none."""
        try:
            os.write(self._requests, len(request).to_bytes(_SIZE_BYTES, sys.byteorder) + request)
            events = select.poll()
            events.register(self._replies, select.POLLIN)
            told = os.read(self._replies, _SIZE_BYTES) if events.poll(_PATIENCE_MS) else b""
        except OSError:  # somebody ended it
            told = b""
        pid = int.from_bytes(told, sys.byteorder, signed=True)
        if pid <= 0:
            # A child that comes too late ends with its lifeline, like all that it starts.
            self._give_up()
        return pid

    def _give_up(self) -> None:
        self.is_broken = True
        for place in self._places:
            place.close()
        self._places.clear()

    def end(self) -> None:
        """End the server; its children stay."""
        self.let_all_begin()
        with self._lock:
            self._has_ended = True
            os.close(self._turns)
            self._give_up()
            os.close(self._requests)
            os.close(self._replies)
            # It holds nothing that it would have to put away.
            self._process.kill()
            with adoption.lock:
                self._process.wait()
                adoption.guardians.discard(self._process.pid)


def _place() -> _Place:
    with contextlib.ExitStack() as undone:
        output, lifeline = _pipe(undone), _pipe(undone)
        memory = ReportMemory()
        undone.pop_all()
    return _Place(output, lifeline, memory)


def _turns(undone: contextlib.ExitStack) -> int:
    """Return a count of how many children may be at work now, each of which takes one.

    All but one of the processors are for drivers: whatever we do ourselves takes longest.

    Raises: OSError if this Python, or this Linux, cannot count them.
    """
    if not hasattr(os, "eventfd"):
        raise OSError("this Python was built without eventfd")
    turns = max(1, len(os.sched_getaffinity(0)) - 1)
    descriptor = os.eventfd(turns, os.EFD_CLOEXEC | os.EFD_NONBLOCK | os.EFD_SEMAPHORE)
    undone.callback(os.close, descriptor)
    return descriptor


def _pipe(undone: contextlib.ExitStack) -> tuple[int, int]:
    reading, writing = os.pipe()
    undone.callback(os.close, reading)
    undone.callback(os.close, writing)
    return reading, writing


_AT_HAND: list[ForkServer] = []
_CHANGING = threading.RLock()


def fork_server(environment: Mapping[str, str]) -> ForkServer | None:
    """Return a server for this environment, a new one where there is none; None: none starts.

    None, too, where libraries are loaded ahead of all programs: what they opened as the server
    started (Mesa's drm-shim does) would be gone in a child, and what they know be another's.
    """
    if any(environment.get(name) for name in _LOADED_AHEAD):
        return None
    with _CHANGING:
        for server in _AT_HAND:
            if server.environment == environment and not server.is_used_up():
                return server
        end_fork_server()
        with contextlib.suppress(OSError):
            _AT_HAND.append(ForkServer(environment))
        return _AT_HAND[0] if _AT_HAND else None


def let_all_begin() -> None:
    """Have all children begin that wait for their turn."""
    with _CHANGING:
        for server in _AT_HAND:
            server.let_all_begin()


def end_fork_server() -> None:
    """End the server that is at hand: no child is wanted any more."""
    with _CHANGING:
        while _AT_HAND:
            _AT_HAND.pop().end()
