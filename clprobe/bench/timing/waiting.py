# SPDX-License-Identifier: MIT
"""Counts how long our threads waited for a processor that others used."""

from pathlib import Path

_TASKS = Path("/proc/self/task")


def waited_seconds(tasks: Path = _TASKS) -> float | None:
    """Return for how long all threads together were ready to run and did not; None: unknown.

    Threads that ended meanwhile are no longer counted.

    **Source** Linux, Documentation/scheduler/sched-stats.rst: the second field of schedstat.
    """
    waits = [one for one in map(_waited_ns, tasks.glob("[0-9]*/schedstat")) if one is not None]
    return sum(waits) / 1e9 if waits else None


def _waited_ns(schedstat: Path) -> int | None:
    try:
        return int(schedstat.read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        # A thread that has just ended, or a Linux that does not count.
        return None
