# SPDX-License-Identifier: MIT
"""Runs opencl_worker.py in a process group of its own, and always gets rid of it again."""

import contextlib
import functools
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from clprobe.probe.host import ChildResult, OpenclRequest

_WORKER = str(Path(__file__).with_name("opencl_worker.py"))
_MOST_PRINTED = 8192
_POLL_S = 0.02
# A process that SIGKILL does not end within this time hangs inside Linux; it is left behind.
_PATIENCE_AFTER_KILL_S = 0.5


class RunningChild:
    """One worker at work; a thread of ours empties its output, so that it never blocks on it."""

    def __init__(self, request: OpenclRequest, environment: Mapping[str, str]) -> None:
        self._folder = tempfile.mkdtemp(prefix="clprobe-")
        self._deadline = time.monotonic() + request.timeout_s
        self._printed = b""
        self._timed_out = False
        self._problem = ""
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self._process = self._start(request, environment)
        except OSError as error:
            self._problem = str(error)
            return
        self._thread = threading.Thread(target=self._watch, args=(self._process,), daemon=True)
        self._thread.start()

    def wait(self) -> ChildResult:
        """Return what the child reported, once it has ended or its time is up."""
        return self._result

    @functools.cached_property
    def _result(self) -> ChildResult:
        if self._process is None:
            shutil.rmtree(self._folder, ignore_errors=True)
            return ChildResult(ended="not-started", problem=self._problem)
        self._thread.join()
        reports = _read_reports(self._report_path)
        shutil.rmtree(self._folder, ignore_errors=True)
        printed = self._printed.decode("utf-8", "replace")
        status = self._process.returncode
        if self._timed_out or status is None:
            return ChildResult(ended="timeout", reports=reports, printed=printed)
        if status < 0:
            return ChildResult(ended="signal", status=-status, reports=reports, printed=printed)
        return ChildResult(ended="exit", status=status, reports=reports, printed=printed)

    @property
    def _report_path(self) -> Path:
        return Path(self._folder, "report.jsonl")

    def _start(
        self, request: OpenclRequest, environment: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        # Nothing that a driver drops in its working folder (Intel's writes *.aub) may stay.
        working_folder = Path(self._folder, "work")
        working_folder.mkdir()
        # pyopencl needs this Python's packages; a vendor library needs none of them.
        isolation = () if request.role == "pyopencl" else ("-I", "-S")
        kernels = ("kernels",) if request.kernels else ()
        return subprocess.Popen(
            [
                *(sys.executable, *isolation, _WORKER),
                *(request.role, str(self._report_path), request.library, *kernels),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=working_folder,
            env=environment,
            start_new_session=True,
        )

    def _watch(self, process: "subprocess.Popen[bytes]") -> None:
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

    def _end(self, process: "subprocess.Popen[bytes]") -> None:
        # The child is not reaped yet, so its group id cannot have passed to anyone else; killing
        # the group ends what the driver forked.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE_AFTER_KILL_S)


def _read_reports(path: Path) -> tuple[dict[str, Any], ...]:
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except OSError:
        return ()
    # Should the child die while it writes, the last line is cut off; it has no line feed then.
    return tuple(json.loads(line) for line in lines if line.endswith(b"}\n"))


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
