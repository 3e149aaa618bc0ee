# SPDX-License-Identifier: MIT
"""Ends what a driver started and hid: setsid() leaves the process group, a double fork the parent.

While children are at work this process adopts their orphans (PR_SET_CHILD_SUBREAPER, prctl(2)), so
that whatever a child left behind is found among our own children, by the mark in its environment.
"""

import contextlib
import ctypes
import os
import signal
import threading
import time
from collections.abc import Iterator

MARK = "CLPROBE_CHILD"
"""Name of the variable that tells which worker a process descends from."""

_SET_CHILD_SUBREAPER, _GET_CHILD_SUBREAPER = 36, 37
_PATIENCE_S = 0.5
_PAUSE_S = 0.002


class _Adoption:
    """Counts who needs orphans adopted; the process is left as it was once nobody does."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._was_on = False

    def begin(self) -> None:
        with self._lock:
            self._users += 1
            if self._users == 1:
                self._was_on = _is_subreaper()
                _set_subreaper(on=True)

    def end(self) -> None:
        with self._lock:
            self._users -= 1
            if not self._users and not self._was_on:
                _set_subreaper(on=False)


adoption = _Adoption()
"""Of this process; `begin` before a worker starts, `end` once its descendants are gone."""


def end_descendants(mark: str) -> None:
    """Kill every adopted process that carries the mark, and those that it starts meanwhile."""
    deadline = time.monotonic() + _PATIENCE_S
    killed: set[int] = set()
    while time.monotonic() < deadline:
        found = set(_marked(mark))
        for pid in found - killed:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        killed |= found
        for pid in killed:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        if not found:
            return
        time.sleep(_PAUSE_S)


def _marked(mark: str) -> Iterator[int]:
    """Give our own children that carry the mark; as they are unreaped, no id can be reused."""
    entry = f"{MARK}={mark}".encode()
    for pid in _children():
        with contextlib.suppress(OSError):
            if entry in _content(f"/proc/{pid}/environ").split(b"\0"):
                yield pid


def _children() -> Iterator[int]:
    try:
        threads = os.listdir("/proc/self/task")  # noqa: PTH208 - a text is all that is needed
    except OSError:  # no /proc in this container
        return
    for thread in threads:
        with contextlib.suppress(OSError):
            yield from map(int, _content(f"/proc/self/task/{thread}/children").split())


def _content(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123 - see above
        return file.read()


def _is_subreaper() -> bool:
    flag = ctypes.c_int(0)
    ctypes.CDLL(None).prctl(_GET_CHILD_SUBREAPER, ctypes.byref(flag), 0, 0, 0)
    return bool(flag.value)


def _set_subreaper(*, on: bool) -> None:
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, int(on), 0, 0, 0)
