# SPDX-License-Identifier: MIT
"""Watches whether other programs compete for the CPU while something is measured."""

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

QUIET_CORES = 0.35
"""Of other programs' work in a window, in processors: less may be the rounding of Linux."""
QUIET_CORES_ON_AVERAGE = 0.15
"""The same over a whole run, in which hardly anything is rounded."""
WINDOW_SECONDS = 0.2
"""Linux counts in hundredths of a second; in less time a busy program does not stand out."""
# The fields of /proc/stat's first line, see proc(5): guest time is part of user time.
_COUNTED_FIELDS = 8
_IDLE_FIELDS = (3, 4)


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment, and the seconds computed until then by all programs and by this one.

    `busy` is None where Linux hides it, as in some containers.
    """

    at: float
    busy: float | None
    own: float

    def cores_until(self, later: "Mark") -> float | None:
        """Return how many processors other programs kept busy between the two; None: unknown."""
        elapsed = later.at - self.at
        if self.busy is None or later.busy is None or elapsed <= 0:
            return None
        others = (later.busy - self.busy - (later.own - self.own)) / elapsed
        return min(float(os.cpu_count() or 1), max(0.0, others))


def mark(root: Path = Path("/")) -> Mark:
    """Return the moment as it is now; `root` stands in for the file system in tests."""
    try:
        busy = busy_seconds((root / "proc/stat").read_text())
    except (OSError, ValueError, IndexError):
        busy = None
    children = os.times()
    own = time.process_time() + children.children_user + children.children_system
    return Mark(time.perf_counter(), busy, own)


def busy_seconds(stat: str) -> float:
    """Return the seconds that all processors computed, from the text of /proc/stat."""
    ticks = [int(one) for one in stat.partition("\n")[0].split()[1:]][:_COUNTED_FIELDS]
    busy = sum(ticks) - sum(ticks[index] for index in _IDLE_FIELDS)
    return busy / os.sysconf("SC_CLK_TCK")


def loads_between(marks: Sequence[Mark]) -> list[float | None]:
    """Return for each stretch between two marks how busy other programs were around it.

    Stretches that follow each other share a window that is long enough to tell, and one value.
    """
    loads: list[float | None] = []
    for first, last in _windows(marks):
        loads += [marks[first].cores_until(marks[last])] * (last - first)
    return loads


def _windows(marks: Sequence[Mark]) -> Iterator[tuple[int, int]]:
    """Yield the first and last mark of each window; what is left over belongs to the last one."""
    first, final = 0, len(marks) - 1
    for index in range(1, final):
        is_long = marks[index].at - marks[first].at >= WINDOW_SECONDS
        if is_long and marks[final].at - marks[index].at >= WINDOW_SECONDS:
            yield first, index
            first = index
    if final > 0:
        yield first, final


def percent_of_all(cores: float | None) -> int | None:
    """Return so many busy processors as a share of all, 0 to 100."""
    return None if cores is None else round(100 * cores / (os.cpu_count() or 1))
