# SPDX-License-Identifier: MIT
"""Whether the disk has room for what apt would install: a disk that fills up breaks dpkg."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from clprobe.apply.journal import Problem
from clprobe.apply.kinds import is_install
from clprobe.apply.questions import ask
from clprobe.apply.simulation import Incoming, parse
from clprobe.commands.packages import manager_of
from clprobe.knowledge.package_manager_table import PackageManager
from clprobe.model.plan import Step

_ARCHIVES, _PROGRAMS = "/var/cache/apt/archives", "/usr"
_MARGIN = 8 << 20
"""Bytes for dpkg's own lists and the journal."""


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


def would_bring(step: Step) -> str | None:
    """Return how much a step would bring as the package index stands; None if nothing tells."""
    manager = manager_of(step.action)
    if manager is None or manager.manager != "apt" or not is_install(step.action):
        return None
    trial = manager.simulating(step.argv)
    if trial is None:
        return None
    return amount(manager, parse(manager, ask(trial).printed).incoming)
