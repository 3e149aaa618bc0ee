# SPDX-License-Identifier: MIT
"""The only file that changes the host: runs commands, and puts files back as they were."""

import contextlib
import hashlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from clprobe.apply.journal import SavedFile
from clprobe.apply.person import Person

_POLL_S = 0.1
_TICK_S = 1.0
_PATIENCE_S = 10.0
_LONGEST_OUTPUT = 1 << 20
_LARGEST_FILE = 1 << 20

Ending = Literal["exit", "signal", "timeout", "interrupted", "not-started"]


class Finished(msgspec.Struct, frozen=True):
    """How a command ended, the end of what it printed, and the seconds it took.

    `stop`: the person pressed Ctrl-C, and it got to its end all the same.
    """

    ending: Ending
    status: int
    printed: str
    seconds: float
    stop: bool = False

    @property
    def is_fine(self) -> bool:
        """Whether it ended by itself with status 0."""
        return self.ending == "exit" and self.status == 0


class Runner(msgspec.Struct, frozen=True, kw_only=True):
    """Runs commands with a time limit, their output in `log`.

    The output goes to a file, not to us: should clprobe be killed, a package manager ends its
    work undisturbed. `inherited` is a descriptor that commands keep open. `tick` hears the
    seconds so far, `tell` what the person who waits must know.
    """

    log: Path
    inherited: int | None = None
    tick: Callable[[float], None]
    tell: Callable[[str], None]
    person: Person

    def run(
        self, argv: Sequence[str], *, limit_s: float, as_root: bool = True, patient: bool = False
    ) -> Finished:
        """Run one command to its end, without a shell and without input.

        Ctrl-C stops it; a `patient` wait lets it end by itself and needs a second Ctrl-C. Where
        we are root and the command needs no root, it runs as the person.
        """
        started = time.monotonic()
        flags = os.O_APPEND | os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            with os.fdopen(os.open(self.log, flags, 0o600), "ab") as log:
                offset = log.tell()
                log.write(f"\n$ {' '.join(argv)!r}\n".encode("utf-8", "backslashreplace"))
                log.flush()
                process = self._start(argv, log.fileno(), as_root=as_root)
        except OSError as error:
            return Finished("not-started", 0, f"{argv[0]}: {error.strerror or error}", 0.0)
        ending, stop = self._follow(process, started, limit_s, patient=patient)
        status = process.returncode if process.returncode is not None else -signal.SIGKILL
        if ending == "exit" and status < 0:
            ending, status = "signal", -status
        printed = _tail(self.log, offset)
        return Finished(ending, status, printed, time.monotonic() - started, stop)

    def _start(
        self, argv: Sequence[str], output: int, *, as_root: bool
    ) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            list(argv),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            # Files that a plan takes from the current folder are named "./…"; nothing else is.
            cwd=None if any("./" in word[:2] for word in argv) else "/",
            **self.person.options(as_root=as_root),
            # What root writes for all must not be closed to them by a umask that sudo kept.
            umask=0o022 if as_root else -1,
            start_new_session=True,  # Ctrl-C reaches only us
            pass_fds=() if self.inherited is None else (self.inherited,),
        )

    def _follow(
        self, process: "subprocess.Popen[bytes]", started: float, limit_s: float, *, patient: bool
    ) -> tuple[Ending, bool]:
        told, interrupted = 0.0, False
        while True:
            state = _wait(process)
            passed = time.monotonic() - started
            if state == "ended":
                failed = interrupted and process.returncode != 0
                return "interrupted" if failed else "exit", interrupted
            if state == "interrupted" and (interrupted or not patient):
                end_tree(process)
                return "interrupted", True
            if state == "interrupted":
                interrupted = True
                self.tell("It ends its work first; Ctrl-C once more stops it at once.")
            if passed > limit_s:
                end_tree(process)
                return "timeout", interrupted
            if passed - told >= _TICK_S:
                told = passed
                self.tick(passed)


def end_tree(process: "subprocess.Popen[bytes]") -> None:
    """End a command and all that it started, gently first."""
    tree = Tree(process.pid)
    tree.signal(signal.SIGTERM)
    deadline = time.monotonic() + _PATIENCE_S
    while tree.lives() and time.monotonic() < deadline:
        process.poll()
        time.sleep(_POLL_S)
    tree.signal(signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_PATIENCE_S)


def saved(path: str) -> SavedFile:
    """Return what is in a file before a step writes it.

    Raises: OSError if it cannot be read, is no plain file, or is too large to be kept.
    """
    made = missing_above(path)
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return SavedFile(path=path, content=None, made_folders=made)
    if not Path(path).is_file() or Path(path).is_symlink() or found.st_size > _LARGEST_FILE:
        raise OSError(0, "it is there already, and no small plain file", path)
    return SavedFile(
        path=path,
        content=Path(path).read_bytes(),
        mode=found.st_mode & 0o7777,
        uid=found.st_uid,
        gid=found.st_gid,
    )


def missing_above(path: str) -> tuple[str, ...]:
    """Return the folders above a path that are not there, outermost first."""
    return tuple(str(folder) for folder in reversed(Path(path).parents) if not folder.exists())


def sha256_of(path: str) -> str | None:
    """Return the hash of a file, None where there is none."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return None


def restore(file: SavedFile) -> None:
    """Put a file back as it was, and remove the folders that were made for it, if empty.

    Raises: OSError if that fails.
    """
    path = Path(file.path)
    if file.content is None:
        path.unlink(missing_ok=True)
        remove_if_empty(file.made_folders)
        return
    new = path.with_name(f".{path.name}.clprobe-new")
    new.write_bytes(file.content)
    os.chown(new, file.uid, file.gid)
    new.chmod(file.mode)
    new.replace(path)


def remove_if_empty(folders: Sequence[str]) -> None:
    """Remove folders that were made for another one, outermost first in the list."""
    for folder in reversed(folders):
        with contextlib.suppress(OSError):  # somebody else has put something there
            Path(folder).rmdir()


def remove_folder(path: str) -> None:
    """Remove a folder that a step made; never follows a link, never near the root.

    Raises: OSError if that fails.
    """
    folder = Path(path)
    if not folder.is_absolute() or ".." in folder.parts or len(folder.parts) < 3:
        raise OSError(0, "it is no folder that a plan would make", path)
    if folder.is_symlink():
        raise OSError(0, "it is a link by now", path)
    if folder.exists():
        shutil.rmtree(folder)


def _wait(process: "subprocess.Popen[bytes]") -> Literal["ended", "alive", "interrupted"]:
    try:
        process.wait(_POLL_S)
    except subprocess.TimeoutExpired:
        return "alive"
    except KeyboardInterrupt:
        return "interrupted"
    return "ended"


def _tail(log: Path, offset: int) -> str:
    """Return what came after `offset`, of much output the end."""
    try:
        with log.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(offset, size - _LONGEST_OUTPUT))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return ""
    # The first line is the command itself, which stands there for readers of the log.
    return text.split("\n", 2)[-1] if text.startswith("\n$ ") else text


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
