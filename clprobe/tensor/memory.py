# SPDX-License-Identifier: MIT
"""Keeps the memory of arrays that are gone for arrays to come, and counts both.

Reuse needs no waiting: a device has one in-order queue, so whatever still reads a buffer runs
before whatever its next owner enqueues.
"""

from bisect import bisect_left, insort
from collections.abc import Callable
from dataclasses import dataclass

import pyopencl as cl

_MOST_HELD = 1.2
"""Memory held, idle or not, is at most this many times the most that was ever in use at once."""
_CLOSE_FIT = 1.125


@dataclass(slots=True, eq=False)
class Loan:
    """A buffer in use, from its allocation on."""

    size_bytes: int
    """What was asked for."""
    is_over: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryUse:
    """Bytes of device memory."""

    live_bytes: int
    """In use by arrays now."""
    peak_live_bytes: int
    held_bytes: int
    """In use, or idle and kept for the next array."""
    peak_held_bytes: int


class Pool:
    """The buffers of one device, or of one step while it is captured."""

    def __init__(self, create: Callable[[int], cl.Buffer]) -> None:
        self._create = create
        self._lent: dict[int, Loan] = {}
        """Of the buffers now in use, under their id."""
        self._idle: dict[int, list[cl.Buffer]] = {}
        self._idle_sizes: list[int] = []
        """The keys of _idle, in order."""
        self._pinned: set[int] = set()
        self._live_bytes = self._peak_live_bytes = 0
        self._held_bytes = self._peak_held_bytes = 0

    def use(self) -> MemoryUse:
        """Return what is in use and held, now and at most so far."""
        return MemoryUse(
            live_bytes=self._live_bytes,
            peak_live_bytes=self._peak_live_bytes,
            held_bytes=self._held_bytes,
            peak_held_bytes=self._peak_held_bytes,
        )

    def allocate(self, size_bytes: int) -> cl.Buffer:
        """Return an idle buffer of about this size, or else a new one.

        **Raises** pyopencl.Error.
        """
        live = self._live_bytes + size_bytes
        most = int(_MOST_HELD * max(live, self._peak_live_bytes))
        buffer = self._take(size_bytes, int(_CLOSE_FIT * size_bytes))
        if buffer is None and self._held_bytes + size_bytes > most:
            self._trim(most - size_bytes)
        if buffer is None:
            buffer = self._new(size_bytes)
        self._lent[id(buffer)] = Loan(size_bytes)
        self._live_bytes += size_bytes
        self._peak_live_bytes = max(self._peak_live_bytes, self._live_bytes)
        return buffer

    def release(self, buffer: cl.Buffer) -> None:
        """Keep a buffer that no array uses any more for the next one that needs its size."""
        size = int(buffer.size)
        loan = self._lent.pop(id(buffer))
        loan.is_over = True
        self._live_bytes -= loan.size_bytes
        if id(buffer) in self._pinned:
            self._pinned.remove(id(buffer))
            self._held_bytes -= size
            return
        if size not in self._idle:
            insort(self._idle_sizes, size)
        self._idle.setdefault(size, []).append(buffer)

    def loan(self, buffer: cl.Buffer) -> Loan | None:
        """Return whose buffer this now is, if it is one of this pool's."""
        return self._lent.get(id(buffer))

    def pin(self, buffer: cl.Buffer) -> None:
        """Never give this buffer to another array, for somebody else holds and uses it."""
        if id(buffer) in self._lent:
            self._pinned.add(id(buffer))

    def trim(self) -> None:
        """Give all idle memory back to the device."""
        self._trim(0)

    def _take(self, least: int, most: int) -> cl.Buffer | None:
        at = bisect_left(self._idle_sizes, least)
        if at == len(self._idle_sizes) or self._idle_sizes[at] > most:
            return None
        size = self._idle_sizes[at]
        buffers = self._idle[size]
        buffer = buffers.pop()
        if not buffers:
            del self._idle[size], self._idle_sizes[at]
        return buffer

    def _new(self, size_bytes: int) -> cl.Buffer:
        try:
            buffer = self._create(size_bytes)
        except cl.Error:
            # What is idle here may be what is missing.
            self.trim()
            buffer = self._create(size_bytes)
        self._held_bytes += size_bytes
        self._peak_held_bytes = max(self._peak_held_bytes, self._held_bytes)
        return buffer

    def _trim(self, most_held: int) -> None:
        """Give idle buffers back until so many bytes at most are held, and as few as will do.

        Many small ones would have to be created again, which takes longer than one large one.
        """
        while self._held_bytes > most_held and self._idle_sizes:
            excess = self._held_bytes - most_held
            at = min(bisect_left(self._idle_sizes, excess), len(self._idle_sizes) - 1)
            buffer = self._take(self._idle_sizes[at], self._idle_sizes[at])
            if buffer is not None:
                self._held_bytes -= int(buffer.size)
