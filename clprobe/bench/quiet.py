# SPDX-License-Identifier: MIT
"""Watches whether other programs compete for the CPU while something is measured."""

import os
import time
from pathlib import Path

_STAT = Path("/proc/stat")
# The fields of /proc/stat's first line, see proc(5): guest time is part of user time.
_COUNTED_FIELDS = 8
_IDLE_FIELDS = (3, 4)


class OtherLoad:
    """The share of all processors that other programs used since this was created."""

    def __init__(self) -> None:
        self._started = self._now()

    def percent(self) -> int:
        """Return the share, 0 to 100."""
        busy, own, elapsed = (
            now - then for now, then in zip(self._now(), self._started, strict=True)
        )
        available = elapsed * (os.cpu_count() or 1)
        return round(100 * min(1.0, max(0.0, (busy - own) / available)))

    @staticmethod
    def _now() -> tuple[float, float, float]:
        """Return seconds that all programs computed, that this one did, and that passed."""
        ticks = [int(field) for field in _STAT.read_text().split(maxsplit=9)[1:-1]]
        counted = ticks[:_COUNTED_FIELDS]
        busy = sum(counted) - sum(counted[index] for index in _IDLE_FIELDS)
        used = os.times()
        return busy / os.sysconf("SC_CLK_TCK"), used.user + used.system, time.perf_counter()
