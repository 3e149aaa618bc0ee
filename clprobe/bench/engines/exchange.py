# SPDX-License-Identifier: MIT
"""Two first operands of one operation that change places on the device before every run."""

from collections.abc import Callable
from typing import Any

import numpy as np


class Exchanged:
    """What Exchange asks for, from the few things that an engine can do.

    `place` copies one of the two, by number, to where the operation reads; `compute` enqueues it
    and returns what it makes; `read` brings that back; `wait` ends when all is done.
    """

    def __init__(
        self,
        place: Callable[[int], None],
        compute: Callable[[], Any],
        read: Callable[[Any], np.ndarray[Any, Any]],
        wait: Callable[[], None],
    ) -> None:
        self._place, self._compute, self._read, self._wait = place, compute, read, wait
        self.turn = 0
        self._made: Any = None

    def exchange(self, times: int) -> None:
        """Let the two change places so many times, and wait."""
        for _ in range(times):
            self._turn()
        self._wait()

    def run(self, times: int) -> None:
        """Let them change places and compute, so many times, and wait."""
        for _ in range(times):
            self._turn()
            self._made = self._compute()
        self._wait()

    def latest(self) -> np.ndarray[Any, Any]:
        """Bring back what the last run left."""
        return self._read(self._made)

    def _turn(self) -> None:
        self.turn = 1 - self.turn
        self._place(self.turn)
