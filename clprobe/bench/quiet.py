# SPDX-License-Identifier: MIT
"""Watches whether other programs compete for the CPU while something is measured."""

import os
import time
from pathlib import Path

QUIET_CORES = 0.15
"""Of other programs' work, in processors: less than this disturbs nobody."""
_STAT = Path("/proc/stat")
# The fields of /proc/stat's first line, see proc(5): guest time is part of user time.
_COUNTED_FIELDS = 8
_IDLE_FIELDS = (3, 4)
# Linux counts in hundredths of a second, so that less would mostly be rounding.
_SHORTEST_SECONDS = 0.1


class OtherLoad:
    """What other programs used of all processors since this was created."""

    def __init__(self) -> None:
        self._started = self._now()

    def cores(self) -> float:
        """Return how many processors they kept busy; 0 where too little time passed to tell."""
        busy, own, elapsed = (
            now - then for now, then in zip(self._now(), self._started, strict=True)
        )
        if elapsed < _SHORTEST_SECONDS:
            return 0.0
        return min(float(os.cpu_count() or 1), max(0.0, (busy - own) / elapsed))

    def percent(self) -> int:
        """Return the share of all processors, 0 to 100."""
        return percent_of_all(self.cores())

    @staticmethod
    def _now() -> tuple[float, float, float]:
        """Return seconds that all programs computed, that this one did, and that passed."""
        try:
            busy = busy_seconds(_STAT.read_text())
        except (OSError, ValueError, IndexError):
            # Some containers hide it.
            busy = 0.0
        used = os.times()
        own = used.user + used.system + used.children_user + used.children_system
        return busy, own, time.perf_counter()


def busy_seconds(stat: str) -> float:
    """Return the seconds that all processors computed, from the text of /proc/stat."""
    ticks = [int(one) for one in stat.partition("\n")[0].split()[1:]][:_COUNTED_FIELDS]
    busy = sum(ticks) - sum(ticks[index] for index in _IDLE_FIELDS)
    return busy / os.sysconf("SC_CLK_TCK")


def percent_of_all(cores: float) -> int:
    """Return so many busy processors as a share of all, 0 to 100."""
    return round(100 * cores / (os.cpu_count() or 1))
