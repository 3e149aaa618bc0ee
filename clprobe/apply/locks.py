# SPDX-License-Identifier: MIT
"""Who holds the locks of the package manager: waited for, up to a limit, and then named."""

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Callable
from pathlib import Path

from clprobe.apply.journal import Problem
from clprobe.knowledge.package_manager_table import PackageManager

_PAUSE_S = 0.5


def wait_for_manager(
    manager: PackageManager, limit_s: float, tell: Callable[[str], None]
) -> Problem | None:
    """Wait until the package manager is free; return who keeps it if the time is up."""
    kept = wait_while_held(
        lambda: _held(manager),
        limit_s,
        lambda path, who: tell(f"Waiting up to {limit_s:g} s for {path}, held by {who}"),
    )
    if kept is None:
        return None
    path, who = kept
    return Problem(
        "package-lock-held",
        f"{path} is held by {who}; waited {limit_s:g} s.",
        "Let it finish (an automatic update?), then run the same command again.",
    )


def wait_while_held(
    held: Callable[[], str | None], limit_s: float, tell: Callable[[str, str], None]
) -> tuple[str, str] | None:
    """Wait until `held` names no file; if the time is up, return the file and who holds it.

    `tell` hears both once, when the waiting begins.
    """
    deadline, told = time.monotonic() + limit_s, False
    while (path := held()) is not None:
        who = " and ".join(_holders(Path(path))) or "a process that cannot be seen from here"
        # On a busy machine the look at all processes alone may take as long as the limit.
        if not told and limit_s > 0:
            tell(path, who)
            told = True
        if time.monotonic() >= deadline:
            return path, who
        time.sleep(_PAUSE_S)
    return None


def _holders(path: Path) -> list[str]:
    """Return who has the file open, such as "apt-get install (4711)"; others' may be hidden."""
    target, found = os.path.realpath(path), []
    for process in Path("/proc").glob("[0-9]*"):
        if int(process.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            if any(_leads_to(link, target) for link in (process / "fd").iterdir()):
                command = (process / "cmdline").read_bytes().decode("utf-8", "replace")
                words = command.replace("\0", " ").strip()[:80]
                found.append(f"{words or 'process'} ({process.name})")
    return found


def _leads_to(link: Path, target: str) -> bool:
    try:
        return os.readlink(link) == target  # noqa: PTH115 - a text, not a path, is compared
    except OSError:
        return False


def _held(manager: PackageManager) -> str | None:
    """Return the first lock that somebody else holds."""
    if manager.lock_file is not None and Path(manager.lock_file).exists():
        return manager.lock_file
    return next((path for path in manager.locks if _is_locked(path)), None)


def _is_locked(path: str) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False  # nobody has made it yet, or it is not for us to ask
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in (errno.EACCES, errno.EAGAIN)
    finally:
        os.close(descriptor)
    return False
