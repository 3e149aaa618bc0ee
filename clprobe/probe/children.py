# SPDX-License-Identifier: MIT
"""Runs opencl_worker.py in a process group of its own, and always gets rid of it again."""

import contextlib
import functools
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from msgspec.structs import replace

from clprobe.probe.descendants import MARK, adoption, end_descendants
from clprobe.probe.host import ChildResult, OpenclRequest, Pending
from clprobe.probe.report_memory import ReportMemory
from clprobe.probe.reports import read_reports
from clprobe.probe.scratch import scratch_parent

_WORKER = str(Path(__file__).with_name("opencl_worker.py"))
_MOST_PRINTED = 8192
_POLL_S = 0.02
# A process that SIGKILL does not end within this time hangs inside Linux; it is left behind.
_PATIENCE_AFTER_KILL_S = 0.5
_PAUSE_S = 0.002
_MUCH_MEMORY = 1 << 30


def start_child(request: OpenclRequest, environment: Mapping[str, str]) -> Pending:
    """Start a worker and return at once; one that cannot be started is an answer as well."""
    try:
        folder = tempfile.mkdtemp(prefix="clprobe-", dir=scratch_parent())
    except OSError as error:
        return _NotStarted(str(error))
    adoption.begin()
    memory = None
    try:
        memory = ReportMemory()
        process = _start(folder, request, environment, memory.descriptor)
        return _RunningChild(folder, process, request.timeout_s, memory)
    except OSError as error:
        adoption.end()
        if memory is not None:
            memory.close()
        shutil.rmtree(folder, ignore_errors=True)
        return _NotStarted(str(error))


def _start(
    folder: str, request: OpenclRequest, environment: Mapping[str, str], report: int
) -> subprocess.Popen[bytes]:
    # Nothing that a driver drops in its working folder (Intel's writes *.aub) may stay.
    working_folder = Path(folder, "work")
    working_folder.mkdir()
    # pyopencl and torch need this Python's packages; a vendor library needs none of them.
    isolation = () if request.role in ("pyopencl", "torch") else ("-I", "-S")
    kernels = "kernels" if request.kernels else "no-kernels"
    libraries = (request.library, request.beside) if request.beside else (request.library,)
    return subprocess.Popen(
        [
            *(sys.executable, *isolation, _WORKER),
            *(request.role, str(report), kernels, *libraries),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=working_folder,
        env={**environment, MARK: folder},
        start_new_session=True,
        pass_fds=(report,),
    )


class _NotStarted:
    def __init__(self, problem: str) -> None:
        self._problem = problem

    def wait(self) -> ChildResult:
        return ChildResult(ended="not-started", problem=self._problem)


class _RunningChild:
    """One worker at work; a thread of ours empties its output, so that it never blocks on it."""

    def __init__(
        self,
        folder: str,
        process: subprocess.Popen[bytes],
        timeout_s: float,
        memory: ReportMemory,
    ) -> None:
        self._folder = folder
        self._memory = memory
        # Also removes the folder when the user interrupts us before anyone waits.
        self._remove_folder = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._process = process
        self._deadline = time.monotonic() + timeout_s
        self._printed = b""
        self._timed_out = False
        self._peak_bytes = 0
        self._thread = threading.Thread(target=self._watch, args=(process,), daemon=True)
        self._thread.start()

    def wait(self) -> ChildResult:
        """Return what the child reported, once it has ended or its time is up."""
        return self._result

    @functools.cached_property
    def _result(self) -> ChildResult:
        self._thread.join()
        reports, damage = read_reports(self._memory.take())
        self._remove_folder()
        printed = self._printed.decode("utf-8", "replace")
        status = self._process.returncode
        told = ChildResult(
            ended="timeout",
            reports=reports,
            damage=damage,
            printed=printed,
            peak_bytes=self._peak_bytes,
        )
        if self._timed_out or status is None:
            return told
        if status < 0:
            return replace(told, ended="signal", status=-status)
        return replace(told, ended="exit", status=status)

    def _watch(self, process: subprocess.Popen[bytes]) -> None:
        try:
            self._follow(process)
        finally:
            adoption.end()

    def _follow(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None  # noqa: S101 - Popen was given a pipe
        with process.stdout as output, _exit_descriptor(process.pid) as exit_descriptor:
            os.set_blocking(output.fileno(), False)
            events = select.poll()
            events.register(output, select.POLLIN)
            if exit_descriptor is not None:
                events.register(exit_descriptor, select.POLLIN)
            while not _has_ended(process.pid):
                left = self._deadline - time.monotonic()
                if left <= 0:
                    self._timed_out = True
                    break
                pause = left if exit_descriptor is not None else min(left, _POLL_S)
                ready = {descriptor for descriptor, _ in events.poll(pause * 1000)}
                if output.fileno() in ready and not self._take(output):
                    events.unregister(output)
            self._end(process)
            self._take(output)

    def _take(self, output: IO[bytes]) -> bool:
        """Keep the last of what was printed; False at the end of it."""
        try:
            piece = os.read(output.fileno(), 65536)
        except BlockingIOError:
            return True
        self._printed = (self._printed + piece)[-_MOST_PRINTED:]
        return bool(piece)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        # The child is not reaped yet, so its group id cannot have passed to anyone else; killing
        # the group ends what the driver forked.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        self._reap(process)
        end_descendants(self._folder)

    def _reap(self, process: subprocess.Popen[bytes]) -> None:
        patience_ends = time.monotonic() + _PATIENCE_AFTER_KILL_S
        while time.monotonic() < patience_ends:
            # Popen's own wait() would not tell how much memory the child took.
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                self._peak_bytes = _own_peak_bytes(usage)
                return
            time.sleep(_PAUSE_S)


def _own_peak_bytes(usage: resource.struct_rusage) -> int:
    """Return the memory that a child took at most, 0 if little, or if it may have been ours.

    Between fork and exec a child counts as large as this process (getrusage(2), ru_maxrss).
    """
    ours = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak_bytes = usage.ru_maxrss * 1024
    return peak_bytes if usage.ru_maxrss > ours and peak_bytes >= _MUCH_MEMORY else 0


@contextlib.contextmanager
def _exit_descriptor(pid: int) -> Any:
    """Give a descriptor that becomes readable when the process ends; None before Linux 5.3."""
    try:
        descriptor = os.pidfd_open(pid)
    except (AttributeError, OSError):
        yield None
        return
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _has_ended(pid: int) -> bool:
    flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
    try:
        return os.waitid(os.P_PID, pid, flags) is not None
    except ChildProcessError:
        return True
