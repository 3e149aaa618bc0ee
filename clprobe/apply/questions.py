# SPDX-License-Identifier: MIT
"""Asks the package manager and other commands what is so; none of them changes anything."""

import os
import subprocess
import time
from collections.abc import Sequence

from clprobe.apply.journal import Package, PackageChanges
from clprobe.apply.kinds import CHECK_LIMIT_S
from clprobe.apply.package_list import offered_versions, parse_list
from clprobe.apply.person import Person, environment
from clprobe.apply.runner import Ending, Finished
from clprobe.knowledge.package_manager_table import PackageManager
from clprobe.model.errors import ClprobeError


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
