# SPDX-License-Identifier: MIT
"""Watches whether other programs compete for the CPU while something is measured."""

import math
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

CPUS = os.cpu_count() or 1
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_QUIET_CORES = 0.15
"""Of other programs' work, in processors: every machine does so much now and then."""
# Less time, and a busy program would not stand out from chance; more, and a case would be over.
_WINDOW_SECONDS = min(1.0, 0.1 * CPUS)
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

    def load_until(self, later: "Mark") -> "Load | None":
        """Return what other programs did between the two; None: unknown."""
        elapsed = later.at - self.at
        if self.busy is None or later.busy is None or elapsed <= 0:
            return None
        others = (later.busy - self.busy - (later.own - self.own)) / elapsed
        return Load(min(float(CPUS), max(0.0, others)), elapsed)


@dataclass(frozen=True, slots=True)
class Load:
    """How many processors other programs kept busy, and for how long that was watched."""

    cores: float
    seconds: float

    @property
    def percent(self) -> int:
        """Return the same as a share of all processors."""
        return round(100 * self.cores / CPUS)

    @property
    def is_busy(self) -> bool:
        """Return whether that is more than rest and chance.

        Linux looks at each processor a hundred times a second and counts whom it finds there, while
        our own work is known exactly. At worst half of the looks find us, which has the spread of a
        binomial distribution; two of it are 0.3 of 2 processors in 0.2 s, 0.4 of 16 in a second.
        """
        spread = math.sqrt(0.25 * CPUS / (_TICKS_PER_SECOND * self.seconds))
        return self.cores > _QUIET_CORES + 2 * spread


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
    return busy / _TICKS_PER_SECOND


def loads_between(marks: Sequence[Mark]) -> list[Load | None]:
    """Return for each stretch between two marks what other programs did around it.

    Stretches that follow each other share a window that is long enough to tell, and one value.
    """
    loads: list[Load | None] = []
    for first, last in _windows(marks):
        loads += [marks[first].load_until(marks[last])] * (last - first)
    return loads


def _windows(marks: Sequence[Mark]) -> Iterator[tuple[int, int]]:
    """Yield the first and last mark of each window; what is left over belongs to the last one."""
    first, final = 0, len(marks) - 1
    for index in range(1, final):
        is_long = marks[index].at - marks[first].at >= _WINDOW_SECONDS
        if is_long and marks[final].at - marks[index].at >= _WINDOW_SECONDS:
            yield first, index
            first = index
    if final > 0:
        yield first, final
