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
    """The buffers of one device, or of one captured step, which keeps all that it ever had."""

    def __init__(self, create: Callable[[int], cl.Buffer], *, keeps_all: bool = False) -> None:
        self._create = create
        self._keeps_all = keeps_all
        self._lent: dict[int, int] = {}
        """The bytes asked for when each buffer was allocated that is now in use."""
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
            if self._keeps_all:
                # Rather an idle buffer that is too large than more memory.
                buffer = self._take(size_bytes, most)
            else:
                self._trim(most - size_bytes)
        if buffer is None:
            buffer = self._new(size_bytes)
        self._lent[id(buffer)] = size_bytes
        self._live_bytes += size_bytes
        self._peak_live_bytes = max(self._peak_live_bytes, self._live_bytes)
        return buffer

    def release(self, buffer: cl.Buffer) -> None:
        """Keep a buffer that no array uses any more for the next one that needs its size."""
        size = int(buffer.size)
        self._live_bytes -= self._lent.pop(id(buffer))
        if id(buffer) in self._pinned:
            self._pinned.remove(id(buffer))
            self._held_bytes -= size
            return
        if size not in self._idle:
            insort(self._idle_sizes, size)
        self._idle.setdefault(size, []).append(buffer)

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
        """Give idle buffers back, the smallest first, until so many bytes at most are held."""
        while self._held_bytes > most_held and self._idle_sizes:
            buffer = self._take(0, self._idle_sizes[0])
            if buffer is not None:
                self._held_bytes -= int(buffer.size)
