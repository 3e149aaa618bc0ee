# SPDX-License-Identifier: MIT
"""A process and its descendants, found by their parents: apt gives dpkg its own session."""

import contextlib
import os
from pathlib import Path


class Tree:
    """The processes below `pid`, and `pid` itself; those that start later are found again."""

    def __init__(self, pid: int) -> None:
        self._known: dict[int, str] = {}
        self._pid = pid
        self._look()

    def signal(self, number: int) -> None:
        """Send a signal to every process of the tree that still lives."""
        self._look()
        for pid, start in self._known.items():
            # The start time tells a process from a later one with the same number.
            if _facts(pid)[1] == start:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)

    def lives(self) -> bool:
        """Whether any process of the tree is still at work."""
        self._look()
        return any(_facts(pid)[1] == start for pid, start in self._known.items())

    def _look(self) -> None:
        parents: dict[int, list[int]] = {}
        starts: dict[int, str] = {}
        for process in Path("/proc").glob("[0-9]*"):
            pid = int(process.name)
            parent, start = _facts(pid)
            starts[pid] = start
            parents.setdefault(parent, []).append(pid)
        todo = [self._pid, *self._known]
        while todo:
            pid = todo.pop()
            if starts.get(pid) and self._known.setdefault(pid, starts[pid]) == starts[pid]:
                todo += [child for child in parents.get(pid, ()) if child not in self._known]


def _facts(pid: int) -> tuple[int, str]:
    """Return the parent and the start time; (0, "") for one that has ended."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except OSError:
        return 0, ""
    # The name in parentheses may hold anything; see proc_pid_stat(5) for the fields after it.
    fields = text.rpartition(")")[2].split()
    if len(fields) < 20 or fields[0] in "ZX":
        return 0, ""
    return int(fields[1]), fields[19]
