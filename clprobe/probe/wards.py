# SPDX-License-Identifier: MIT
"""Children behind guardians (guardian.py), each with a folder of its own; none outlives us."""

import atexit
import contextlib
import os
import resource
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from clprobe.probe.descendants import adoption, end_orphans
from clprobe.probe.forking import ForkServer, end_fork_server
from clprobe.probe.guardian import END, GUARD
from clprobe.probe.removal import remove_tree
from clprobe.probe.scratch import ReportMemory, scratch_parent

# A guardian has a second for its work; one that is dead or stopped is killed after this time.
_PATIENCE_S = 2.0
# A process that SIGKILL does not end within this time hangs inside Linux; it is left behind.
_PATIENCE_AFTER_KILL_S = 0.5
_PAUSE_S = 0.002
# Where temporary files of programs go, and where a child's go inside its folder.
_USUAL, _SCRATCH = "/tmp", "tmp"  # noqa: S108 - compared, and no file is made there


class ForkedProcess:
    """A child that was forked for us, with what a subprocess.Popen would have of it."""

    def __init__(self, pid: int, output: int, memory: ReportMemory) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.stdout = os.fdopen(output, "rb", buffering=0)
        self.memory = memory


class Ward:
    """A child, its guardian and its folder; `process` is the guardian, and ends as the child does.

    Raises: OSError if the folder cannot be made, or there is no place for it that is safe.
    """

    def __init__(self, prefix: str) -> None:
        self.folder = Path(scratch_parent(), prefix + os.urandom(8).hex())
        self.process: subprocess.Popen[bytes] | ForkedProcess | None = None
        self.usage: resource.struct_rusage | None = None
        self._lifeline: int | None = None
        self._adopts = False
        # Known before it exists, as a signal may interrupt us anywhere.
        _WARDS[self.folder] = self
        try:
            _check_that_none_ends()
            self.folder.mkdir(mode=0o700)
            (self.folder / _SCRATCH).mkdir()
            self._made = self._identity()
        except OSError:
            self.close()
            raise

    def start(  # noqa: PLR0913 - what subprocess.Popen wants to know
        self,
        argv: Sequence[str],
        environment: Mapping[str, str],
        *,
        cwd: Path,
        stdin: int,
        stdout: int | IO[bytes],
        pass_fds: Sequence[int] = (),
    ) -> "subprocess.Popen[bytes]":
        """Start a Python program that calls `stand_guard` first; both outputs go to `stdout`.

        Raises: OSError if no process can be started.
        """
        self._adopt()
        held, self._lifeline = os.pipe()
        guard = f"{held}:{os.getpid()}:{self.folder}"
        try:
            with adoption.lock:
                process = subprocess.Popen(
                    list(argv),
                    stdin=stdin,
                    stdout=stdout,
                    stderr=subprocess.STDOUT,
                    cwd=cwd,
                    env={**self._with_own_scratch(environment), GUARD: guard},
                    # Ctrl-C is for us, and a session tells what descends from it.
                    start_new_session=True,
                    pass_fds=(held, *pass_fds),
                )
                adoption.guardians.add(process.pid)
        finally:
            os.close(held)
        self.process = process
        return process

    def fork(
        self,
        server: ForkServer,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        *,
        cwd: Path,
    ) -> ForkedProcess | None:
        """Fork a child that asks drivers, with these arguments; None: the server makes none.

        Raises: OSError if clprobe is about to end.
        """
        self._adopt()
        own = self._with_own_scratch(environment)
        forked = server.fork(arguments, own, cwd, f"{os.getpid()}:{self.folder}")
        if forked is None:
            return None
        self._lifeline = forked.lifeline
        self.process = ForkedProcess(forked.pid, forked.output, forked.memory)
        return self.process

    def _adopt(self) -> None:
        _check_that_none_ends()
        if not self._adopts:
            adoption.begin()
            self._adopts = True

    def is_disturbed(self) -> bool:
        """Whether somebody, such as another driver, took away or replaced what is in the folder."""
        try:
            return self._identity() != self._made
        except OSError:
            return True

    def _identity(self) -> tuple[int, ...]:
        places = (self.folder, self.folder / _SCRATCH)
        return tuple(number for place in places for number in place.lstat()[1:3])

    def _with_own_scratch(self, environment: Mapping[str, str]) -> Mapping[str, str]:
        """Return an environment whose temporary files go into the folder, and with it.

        Unchanged where a program of the user would put them elsewhere than our folders lie: whether
        a driver works may depend on that.
        """
        usual = environment.get("TMPDIR") or _USUAL
        if os.path.realpath(usual) != os.path.realpath(self.folder.parent):
            return environment
        return {**environment, "TMPDIR": str(self.folder / _SCRATCH)}

    def has_ended(self) -> bool:
        """Whether the guardian has ended, by itself or by order."""
        if self.process is None or self.process.returncode is not None:
            return True
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        try:
            return os.waitid(os.P_PID, self.process.pid, flags) is not None
        except ChildProcessError:
            return True

    def end(self) -> None:
        """End the child and all that it started; `process.returncode` is None if that failed."""
        if not self.has_ended():
            self._order_end()
        if not self._reap(_PATIENCE_S):
            self._kill()
            self._reap(_PATIENCE_AFTER_KILL_S)
        self.let_go()
        if self._is_in_doubt():
            end_orphans()
        if self._adopts:
            self._adopts = False
            if self.process is not None:
                adoption.guardians.discard(self.process.pid)
            adoption.end()

    def close(self) -> None:
        """Remove the folder, once the child is gone."""
        remove_tree(str(self.folder))
        _WARDS.pop(self.folder, None)

    def let_go(self) -> None:
        """Close the lifeline, which tells the guardian that we are gone."""
        self._wake()
        lifeline, self._lifeline = self._lifeline, None
        if lifeline is not None:
            with contextlib.suppress(OSError):  # another thread was faster
                os.close(lifeline)

    def _order_end(self) -> None:
        if self._lifeline is not None:
            with contextlib.suppress(OSError):
                os.write(self._lifeline, END)
        self._wake()

    def _wake(self) -> None:
        """Have a guardian go on that its driver stopped."""
        if self.process is not None and not self.has_ended():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(self.process.pid, signal.SIGCONT)

    def _kill(self) -> None:
        # The guardian is not reaped yet, so its group's id cannot have passed to anyone else.
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)

    def _reap(self, patience_s: float) -> bool:
        if self.process is None or self.process.returncode is not None:
            return True
        patience_ends = time.monotonic() + patience_s
        while True:
            # Popen's own wait() would not tell how much memory the child took.
            try:
                pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            except ChildProcessError:  # another thread was faster
                return True
            if pid:
                self.process.returncode = os.waitstatus_to_exitcode(status)
                self.usage = usage
                return True
            if time.monotonic() >= patience_ends:
                return False
            time.sleep(_PAUSE_S)

    def _is_in_doubt(self) -> bool:
        """Whether a driver may have killed the guardian, which then left something behind."""
        if self.process is None or self.process.returncode is None:
            return True
        return self.process.returncode < 0


_WARDS: dict[Path, Ward] = {}
_ENDING: list[bool] = []


def _check_that_none_ends() -> None:
    """Raise OSError once this process is about to end: a thread may just start another child."""
    if _ENDING:
        raise OSError("clprobe is about to end")


@atexit.register
def end_wards() -> None:
    """End every child at work and remove every folder: this process is about to end."""
    _ENDING.append(True)
    end_fork_server()
    wards = tuple(_WARDS.values())
    for ward in wards:
        # All of them at once; each guardian ends what is its own.
        ward.let_go()
    patience_ends = time.monotonic() + _PATIENCE_S
    while not all(ward.has_ended() for ward in wards) and time.monotonic() < patience_ends:
        time.sleep(_PAUSE_S)
    for ward in wards:
        ward.end()
        ward.close()
