# SPDX-License-Identifier: MIT
"""The process between clprobe and a driver's process, which ends all that the driver starts.

Part of the child (opencl_worker.py): nothing but the standard library.

The guardian adopts the orphans among the driver's descendants (PR_SET_CHILD_SUBREAPER, prctl(2)),
so that each child that it has is the driver's, whatever session, environment or parent it took. It
ends them when the driver's process has ended, when clprobe orders it through the lifeline, which is
a pipe, and when clprobe is gone, which closes that pipe; then it removes clprobe's folder, too.
A driver can stop its guardian; a timer of Linux's own has it go on.
"""

import ctypes
import os
import select
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn

GUARD = "CLPROBE_GUARD"
"""Name of the variable that holds LIFELINE:PROCESS ID OF CLPROBE:FOLDER; no driver sees it."""
TURN = "CLPROBE_TURN"
"""Name of the variable that holds the eventfd from which the child took its turn, if it did; its
guardian gives the turn back. No driver sees it."""
END = b"E"
"""The order to end everything. The guardian's status is then the signal that had stopped the
driver's process, 0 if none had."""

# `import signal` takes longer than all else that a guardian does.
_SIGKILL, _SIGCONT, _SIGSTOP = 9, 18, 19
_SET_DEATH_SIGNAL, SET_CHILD_SUBREAPER, _DROP_FROM_BOUND = 1, 36, 24
_SYS_PTRACE = 19  # capabilities(7)
_CLOCK_MONOTONIC = 1
_CAPABILITY_VERSION = 0x20080522
_PATIENCE_S = 1.0
_PAUSE_S = 0.002
# How often orphans are reaped that ended, and before Linux 5.3 the driver's process itself.
_TICK_MS, _SHORT_TICK_MS = 1000, 20


def stand_guard() -> None:
    """Return in a child of this process, which stays behind as its guardian.

    Returns in this process where no guard was asked for, or where no more processes may start.
    """
    told = os.environ.pop(GUARD, None)
    if told is None:
        return
    turn = int(os.environ.pop(TURN, "-1"))
    number, clprobe, folder = told.split(":", 2)
    lifeline, guardian = int(number), os.getpid()
    # When clprobe ends at the latest; it may be stopped between that and its last deed.
    prctl(_SET_DEATH_SIGNAL, _SIGCONT)
    _go_on_regularly()
    prctl(SET_CHILD_SUBREAPER, 1)
    try:
        child = os.fork()
    except OSError:
        prctl(SET_CHILD_SUBREAPER, 0)
        _close(lifeline, turn)
        _die_with(int(clprobe))
        return
    if child:
        _Guardian(child, lifeline, turn).watch(folder)
    _close(lifeline, turn)
    # A driver that kills its group must not kill its guardian.
    os.setpgid(0, 0)
    _give_up_tracing()
    _die_with(guardian)


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        if descriptor >= 0:
            os.close(descriptor)


class _SignalEvent(ctypes.Structure):
    """Which signal a timer sends: struct sigevent of sigevent(7)."""

    _fields_ = (
        ("value", ctypes.c_void_p),
        ("signal", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("rest", ctypes.c_char * 48),
    )


def _go_on_regularly() -> None:
    """Have Linux send this process SIGCONT each second; no child inherits it: timer_create(2)."""
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "timer_create"):  # glibc before 2.34 has it in a library of its own
        try:
            libc = ctypes.CDLL("librt.so.1")
        except OSError:
            return
    event, timer = _SignalEvent(signal=_SIGCONT), ctypes.c_void_p()
    if libc.timer_create(_CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer)) == 0:
        each_second = (ctypes.c_long * 4)(1, 0, 1, 0)  # the interval, and the first time
        libc.timer_settime(timer, 0, each_second, None)


def _give_up_tracing() -> None:
    """Give up root's right to what is in other processes; clprobe is closed to everybody else.

    No driver needs it: to processes of the same user that are open it has the way in all the same.
    """
    libc = ctypes.CDLL(None)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    # Effective, permitted and inheritable, of 32 capabilities and then of the rest.
    sets = (ctypes.c_uint32 * 6)()
    if libc.capget(header, sets) or not sets[1] & 1 << _SYS_PTRACE:
        return
    prctl(_DROP_FROM_BOUND, _SYS_PTRACE)
    for index in range(3):
        sets[index] &= ~(1 << _SYS_PTRACE) & 0xFFFFFFFF
    libc.capset(header, sets)


def _die_with(parent: int) -> None:
    """Have Linux end this process with its parent, which may be gone already."""
    prctl(_SET_DEATH_SIGNAL, _SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


class _Guardian:
    """Watches over the driver's process, which is the child `child`."""

    def __init__(self, child: int, lifeline: int, turn: int) -> None:
        self._child = child
        self._lifeline = lifeline
        self._turn = turn
        self._status: int | None = None
        self._stopped_by = 0

    def watch(self, folder: str) -> "NoReturn":
        """Wait for the end of the driver's process, or an order, and end like the former."""
        order = self._wait()
        self._end_all()
        if self._turn >= 0:
            os.eventfd_write(self._turn, 1)
        if order == END:
            os._exit(self._stopped_by)
        if order is not None:
            from clprobe.probe.removal import remove_tree  # noqa: PLC0415 - for this case alone

            remove_tree(folder)
            os._exit(0)
        _end_like(self._status or 0)

    def _wait(self) -> bytes | None:
        """Return the order that came, b"" if clprobe is gone; None: the process has ended."""
        events = select.poll()
        events.register(self._lifeline, select.POLLIN)
        tick_ms = _SHORT_TICK_MS
        try:
            events.register(os.pidfd_open(self._child), select.POLLIN)
            tick_ms = _TICK_MS
        except (AttributeError, OSError):  # before Linux 5.3
            pass
        while True:
            ready = [descriptor for descriptor, _ in events.poll(tick_ms)]
            self._reap()
            if self._lifeline in ready:
                return os.read(self._lifeline, len(END))
            if self._status is not None:
                return None

    def _reap(self) -> bool:
        """Take note of every child that has ended or stopped; False: there are none at all."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG | os.WUNTRACED | os.WCONTINUED)
            except ChildProcessError:
                return False
            if not pid:
                return True
            if pid != self._child:
                continue
            if os.WIFSTOPPED(status):
                self._stopped_by = os.WSTOPSIG(status)
            elif os.WIFCONTINUED(status):
                self._stopped_by = 0
            else:
                self._status = status

    def _end_all(self) -> None:
        """End every child, and what it starts meanwhile or leaves to us."""
        ends = time.monotonic() + _PATIENCE_S
        stopped_by = self._stopped_by
        _kill(-self._child)
        while self._reap() and time.monotonic() < ends:
            found = tuple(children())
            # By group first: no fork slips through there.
            for group in {_group(pid) for pid in found} - {os.getpgrp(), 0}:
                _kill(-group)
            for pid in found:
                _kill(pid)
            time.sleep(_PAUSE_S)
        self._stopped_by = stopped_by


def children() -> "Iterator[int]":
    """Yield the children of this process, whichever of its threads started them."""
    try:
        threads = os.listdir("/proc/self/task")  # noqa: PTH208 - pathlib takes longer to import than this process lives
    except OSError:  # no /proc in this container
        return
    for thread in threads:
        try:
            with open(f"/proc/self/task/{thread}/children", "rb") as file:  # noqa: PTH123 - see above
                yield from map(int, file.read().split())
        except OSError:  # noqa: PERF203 - the thread has ended, the others have not
            continue


def _group(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except OSError:
        return 0


def _kill(pid: int) -> None:
    try:
        os.kill(pid, _SIGKILL)
    except OSError:  # it has ended, or is another user's by now
        return


def _end_like(status: int) -> "NoReturn":
    """End with the status of the driver's process, be it a signal."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        import signal  # noqa: PLC0415 - see above

        if number not in (_SIGKILL, _SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


def prctl(option: int, value: int = 0) -> int:
    """Have Linux change, or tell, how it treats this process."""
    return int(ctypes.CDLL(None).prctl(option, value, 0, 0, 0))
