# SPDX-License-Identifier: MIT
"""Reads and writes journals: each file is always whole, and only one run is at work."""

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from clprobe.apply.journal import (
    Command,
    Journal,
    decode,
    encode,
    has_begun,
    is_applied,
    is_cut_off,
    is_taken_back,
)
from clprobe.apply.questions import wait_while_held
from clprobe.model.errors import ClprobeError
from clprobe.private_folders import make_private_folder, why_not_private

_SYSTEM = Path("/var/lib/clprobe/journals")
_LARGEST = 64 << 20
# ~/.local, state and clprobe in it; or clprobe and journals below /var/lib.
_MAY_MAKE = 3


class Entry(msgspec.Struct, frozen=True):
    """A journal of the folder, or why it cannot be read."""

    path: Path
    journal: Journal | None
    error: ClprobeError | None


def journal_folder() -> Path:
    """Return where journals lie: the system's for root, else one in the user's state folder."""
    if os.geteuid() == 0:
        return _SYSTEM
    stated = os.environ.get("XDG_STATE_HOME", "")
    # The XDG specification: a relative path is to be ignored.
    base = Path(stated) if stated.startswith("/") else Path.home() / ".local/state"
    return base / "clprobe"


class Store(msgspec.Struct, frozen=True):
    """The journals of one folder; made on first use.

    Raises: ClprobeError where the folder cannot be used.
    """

    folder: Path

    @contextlib.contextmanager
    def locked(self, wait_s: float, tell: Callable[[str], None]) -> Iterator[int]:
        """Keep other runs out; gives the lock's descriptor, which commands inherit.

        So the lock lives until the last of them has ended, though clprobe may have been killed.
        """
        with self._usable():
            # Explicit modes: under umask 0 anybody could rename the journals in a folder above.
            make_private_folder(self.folder, _MAY_MAKE)
            self._check_owner()
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            lock = os.open(self.folder / "lock", flags, 0o600)
        try:
            self._take(lock, wait_s, tell)
            yield lock
        finally:
            os.close(lock)

    def entries(self) -> list[Entry]:
        """Return the journals, newest first."""
        with self._usable():
            if not self.folder.is_dir():
                return []
            self._check_owner()
            paths = sorted(self.folder.glob("*.json"), reverse=True)
            return [self._entry(path) for path in paths]

    def new_path(self, journal: Journal) -> Path:
        """Return the file of a journal that begins now; names sort by time."""
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        name = journal.backend or journal.command
        taken = len(list(self.folder.glob(f"{stamp}-*.json")))
        return self.folder / f"{stamp}-{taken:02d}-{name}-{journal.plan_id}.json"

    def write(self, path: Path, journal: Journal) -> None:
        """Replace the file at once, and see that it is on the disk.

        Raises: ClprobeError if that fails; the file is then as it was.
        """
        new = path.with_suffix(".new")
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
        with self._usable():
            try:
                with os.fdopen(os.open(new, flags, 0o600), "wb") as file:
                    file.write(encode(journal))
                    file.flush()
                    os.fsync(file.fileno())
                new.replace(path)
                _sync_folder(self.folder)
            except OSError:
                with contextlib.suppress(OSError):
                    new.unlink(missing_ok=True)
                raise

    def _take(self, lock: int, wait_s: float, tell: Callable[[str], None]) -> None:
        path = str(self.folder / "lock")
        kept = wait_while_held(
            lambda: None if _try_lock(lock) else path,
            wait_s,
            lambda _, who: tell(f"Waiting up to {wait_s:g} s for another run: {who}"),
        )
        if kept is not None:
            raise ClprobeError(
                reference="another-run-at-work",
                message=f"Another run is at work: {kept[1]} (waited {wait_s:g} s).",
                hint="Wait until it has ended, then run the same command again.",
            )

    def _entry(self, path: Path) -> Entry:
        try:
            if path.stat().st_size > _LARGEST:
                raise ClprobeError(
                    reference="journal-damaged", message=f"{path} is too large for a journal."
                )
            return Entry(path, decode(path.read_bytes(), name=str(path)), None)
        except ClprobeError as error:
            return Entry(path, None, error)

    def _check_owner(self) -> None:
        """Refuse a folder in which others may write: journals say what is removed as root."""
        why = why_not_private(self.folder.resolve())
        if why is not None:
            raise ClprobeError(
                reference="journal-folder-unsafe",
                message=f"{self.folder} is not yours alone to write: {why}.",
                hint=f"Make it so: chown {os.geteuid()} and chmod 700.",
            )

    @contextlib.contextmanager
    def _usable(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ClprobeError(
                reference="journal-unwritable",
                message=f"The journal in {self.folder} cannot be kept: {error.strerror or error}.",
                hint="Without it nothing could be taken back, so nothing more is done. Free some "
                "space or mend the folder, then run the same command again.",
            ) from error


def unfinished_or_applied(entries: list[Entry], plan_id: str) -> Entry | None:
    """Return the newest journal of that plan that still counts; raise its error if unreadable."""
    for entry in entries:
        if entry.path.stem.endswith(f"-{plan_id}"):
            if entry.error is not None:
                raise entry.error
            return entry if entry.journal and not is_taken_back(entry.journal) else None
    return None


def to_go_on_with(entries: list[Entry], fresh: Journal) -> Entry | None:
    """Return the journal in which the run goes on, None to begin one; raise its error.

    A plan's own. Doctor's newest where it was cut off, or lacks the very steps of the fresh one:
    what it fixed so far is no finding any more, so its steps would not be found again.
    """
    if fresh.command != "doctor":
        return unfinished_or_applied(entries, fresh.plan_id)
    newest = next((one for one in entries if "-doctor-" in one.path.stem), None)
    if newest is not None and newest.error is not None:
        raise newest.error
    journal = newest.journal if newest is not None else None
    if journal is None or is_applied(journal) or is_taken_back(journal):
        return None
    same = journal.plan_id == fresh.plan_id
    return newest if same or is_cut_off(journal) else None


def tried_before(entries: list[Entry]) -> frozenset[tuple[str, ...]]:
    """Return the commands that doctor ran already, and that nobody has taken back."""
    journals = [one.journal for one in entries if one.journal is not None]
    steps = [step for one in journals if one.command == "doctor" for step in one.steps]
    return frozenset(step.argv for step in steps if step.state == "done" and step.attempts)


def newest_to_undo(
    entries: list[Entry], command: Command, backend: str | None = None
) -> Entry | None:
    """Return the command's newest journal of which something is left; raise its error."""
    for entry in entries:
        if entry.error is not None:
            raise entry.error
        journal = entry.journal
        if journal is None or not has_begun(journal) or is_taken_back(journal):
            continue
        if command == journal.command and backend in (None, journal.backend):
            return entry
    return None


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
