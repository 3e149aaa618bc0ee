# SPDX-License-Identifier: MIT
"""Asks the package manager and other commands what is so; none of them changes anything.

Also whether the disk has room for what apt would install: one that fills up breaks dpkg. And
who holds the locks of the package manager: waited for, up to a limit, and then named.
"""

import contextlib
import errno
import fcntl
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from clprobe.apply.journal import Package, PackageChanges, Problem, StepRecord
from clprobe.apply.kinds import CHECK_LIMIT_S, is_install
from clprobe.apply.package_list import offered_versions, parse_list
from clprobe.apply.person import Person, environment
from clprobe.apply.runner import Ending, Finished
from clprobe.apply.simulation import Incoming, parse
from clprobe.commands.packages import manager_of
from clprobe.knowledge.package_manager_table import PackageManager
from clprobe.model.errors import ClprobeError

_PAUSE_S = 0.5
_ARCHIVES, _PROGRAMS = "/var/cache/apt/archives", "/usr"
_MARGIN = 8 << 20
"""Bytes for dpkg's own lists and the journal."""


def ask(
    argv: Sequence[str], *, limit_s: float = CHECK_LIMIT_S, person: Person | None = None
) -> Finished:
    """Return what a command that only reads prints, complaints included; `person` asks."""
    started = time.monotonic()
    options = {"env": environment(os.environ)} if person is None else person.options(as_root=False)
    try:
        done = subprocess.run(
            list(argv),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=limit_s,
            check=False,
            cwd=None if any("./" in word[:2] for word in argv) else "/",
            **options,
        )
    except subprocess.TimeoutExpired:
        return Finished("timeout", 0, "", time.monotonic() - started)
    except OSError as error:
        return Finished("not-started", 0, f"{argv[0]}: {error.strerror or error}", 0.0)
    printed = done.stdout.decode("utf-8", "replace")
    ending: Ending = "exit" if done.returncode >= 0 else "signal"
    return Finished(ending, abs(done.returncode), printed, time.monotonic() - started)


def packages(manager: PackageManager) -> tuple[Package, ...]:
    """Return the package list.

    Raises: ClprobeError if the package manager does not say: without a list nothing can be
    taken back exactly.
    """
    listed = ask(manager.listing)
    if not listed.is_fine:
        raise ClprobeError(
            reference="package-list-unreadable",
            message=f"{manager.listing[0]} does not list the packages: {listed.printed.strip()}",
            hint="Mend the package manager first.",
        )
    marks = ask(manager.automatic).printed if manager.automatic is not None else ""
    native = ""
    if manager.database == "dpkg":
        native = ask(("dpkg", "--print-architecture")).printed.strip()
    return parse_list(manager, listed.printed, marks, native)


def former_versions(manager: PackageManager, changes: PackageChanges) -> frozenset[str]:
    """Return the versions that the index has of packages that were upgraded, "name=version"."""
    names = [upgrade.name for upgrade in changes.upgraded]
    if manager.manager != "apt" or not names:
        return frozenset()
    return offered_versions(ask(("apt-cache", "madison", *names)).printed)


def is_half_installed() -> bool:
    """Whether dpkg was cut off in its work."""
    return bool(ask(("dpkg", "--audit")).printed.strip())


def sizes(text: str) -> tuple[int, int]:
    """Return the bytes to fetch and the bytes installed that `apt-cache show` tells of.

    Installed-Size is in KiB, Size in bytes: deb-control(5), and apt's Packages files.
    """
    fetched = installed = 0
    for line in text.splitlines():
        name, _, value = line.partition(": ")
        if name == "Size" and value.isdigit():
            fetched += int(value)
        elif name == "Installed-Size" and value.isdigit():
            installed += int(value) * 1024
    return fetched, installed


def room_problem(manager: PackageManager, incoming: Sequence[Incoming]) -> Problem | None:
    """Return which disk is too small for what apt would install; others check by themselves."""
    if manager.manager != "apt" or not incoming:
        return None
    fetched, installed = _sizes_of(incoming)
    needs: dict[int, tuple[str, int]] = {}
    for path, size in ((_PROGRAMS, installed), (_ARCHIVES, fetched)):
        existing = next(folder for folder in (Path(path), *Path(path).parents) if folder.exists())
        disk = existing.stat().st_dev
        needs[disk] = (str(existing), needs.get(disk, ("", _MARGIN))[1] + size)
    for path, needed in needs.values():
        free = shutil.disk_usage(path).free
        if free < needed:
            return Problem(
                "disk-full",
                f"Not run: {path} has {_megabytes(free)} free and {_megabytes(needed)} are needed.",
                "Free some space (sudo apt-get clean empties apt's cache), then run the same "
                "command again.",
            )
    return None


def amount(manager: PackageManager, incoming: Sequence[Incoming]) -> str | None:
    """Return how many packages apt would bring and how large they are; None for other managers."""
    if manager.manager != "apt" or not incoming:
        return None
    fetched, installed = _sizes_of(incoming)
    count = f"{len(incoming)} package{'' if len(incoming) == 1 else 's'}"
    size = f": {_megabytes(fetched)} to fetch, {_megabytes(installed)} on disk"
    return f"brings {count}{size if installed else ''}"


def _sizes_of(incoming: Sequence[Incoming]) -> tuple[int, int]:
    wanted = [f"{package.name}={package.version}" for package in incoming]
    return sizes(ask(("apt-cache", "show", *wanted)).printed)


def _megabytes(size: int) -> str:
    return f"{size / 10**6:.0f} MB"


def would_bring(step: StepRecord) -> str | None:
    """Return how much a step would bring as the package index stands; None if nothing tells."""
    manager = manager_of(step.action)
    if manager is None or manager.manager != "apt" or not is_install(step.action):
        return None
    trial = manager.simulating(step.argv)
    if trial is None:
        return None
    return amount(manager, parse(manager, ask(trial).printed).incoming)


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


def held_lock(manager: PackageManager) -> str | None:
    """Return the first lock of the package manager that somebody else holds."""
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
