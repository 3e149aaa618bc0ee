# SPDX-License-Identifier: MIT
"""Ends what a driver started and hid, where it killed the guardian that would have done so.

While children are at work this process adopts their orphans (PR_SET_CHILD_SUBREAPER, prctl(2)), so
that whatever a dead guardian (guardian.py) leaves behind is found among our own children. And it
is closed to them (PR_SET_DUMPABLE): nothing that a driver runs gets at our memory or descriptors
through /proc, where it could write into our report, or traces us.
"""

import contextlib
import ctypes
import os
import signal
import threading
import time

from clprobe.probe.guardian import SET_CHILD_SUBREAPER, children, prctl

_GET_CHILD_SUBREAPER = 37
_GET_DUMPABLE, _SET_DUMPABLE = 3, 4
_PATIENCE_S = 0.5
_PAUSE_S = 0.002


class _Adoption:
    """Knows which children are this process's own; it is left as it was once nobody needs it."""

    def __init__(self) -> None:
        # Held while a guardian starts, so that none is taken for an orphan.
        self.lock = threading.RLock()
        self.guardians: set[int] = set()
        self._users = 0
        self._was_on = False
        self._was_open = True
        self._before: frozenset[int] = frozenset()

    def begin(self) -> None:
        """Adopt, and be closed, from now on; before a guardian starts."""
        with self.lock:
            self._users += 1
            if self._users == 1:
                self._before = frozenset(children())
                self._was_on = _is_subreaper()
                prctl(SET_CHILD_SUBREAPER, 1)
                self._was_open = prctl(_GET_DUMPABLE) == 1
                prctl(_SET_DUMPABLE, 0)

    def end(self) -> None:
        """Adopt no more, once all of a guardian's descendants are gone."""
        with self.lock:
            self._users -= 1
            if self._users:
                return
            if not self._was_on:
                prctl(SET_CHILD_SUBREAPER, 0)
            if self._was_open:
                prctl(_SET_DUMPABLE, 1)

    def orphans(self) -> tuple[int, ...]:
        """Return the children that were adopted; as they are unreaped, no id can be reused.

        Commands that this process runs meanwhile stay in its session. A guardian leads one of its
        own, and what descends from it can never enter another.
        """
        with self.lock:
            known = self.guardians | self._before
            return tuple(pid for pid in children() if pid not in known and not _is_in_session(pid))


adoption = _Adoption()
"""Of this process."""


def end_orphans() -> None:
    """Kill every adopted process, and those that it starts meanwhile."""
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        found = adoption.orphans()
        if not found:
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_PAUSE_S)
        for pid in found:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


def _is_in_session(pid: int) -> bool:
    try:
        return os.getsid(pid) == os.getsid(0)
    except OSError:  # it is gone
        return True


def _is_subreaper() -> bool:
    flag = ctypes.c_int(0)
    ctypes.CDLL(None).prctl(_GET_CHILD_SUBREAPER, ctypes.byref(flag), 0, 0, 0)
    return bool(flag.value)
