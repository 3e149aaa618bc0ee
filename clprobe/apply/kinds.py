# SPDX-License-Identifier: MIT
"""What a command of a plan is, told from its words: how long it may take, what it leaves behind."""

import itertools
from collections.abc import Sequence
from typing import Literal

from clprobe.knowledge.package_manager_table import PackageManager
from clprobe.knowledge.package_managers import manager_of_program

# One line a word would be long: steps of package managers, of Python, of files, and the rest.
Kind = Literal[
    "refresh", "install", "repository", "environment", "pip", "file", "group", "check", "look",
    "other",
]  # fmt: skip

LIMITS_S: dict[Kind, float] = {
    "refresh": 600,
    "install": 3600,
    "repository": 600,
    "environment": 300,
    "pip": 3600,  # a build of PyTorch is a gigabyte and more
    "file": 30,
    "group": 60,
    "check": 30,
    "look": 120,
    "other": 3600,
}
"""Seconds that a step may take before it counts as hanging."""

CHECK_LIMIT_S = 120.0
"""Seconds for the command that proves a step, and for questions to the package manager."""

_BY_NAME: dict[str, Kind] = {
    "add-apt-repository": "repository",
    "clprobe": "look",
    **dict.fromkeys(("groupadd", "usermod", "gpasswd"), "group"),
    **dict.fromkeys(("test", "getent", "id", "dpkg-query", "rpm"), "check"),
}
_MODULES: dict[str, Kind] = {"venv": "environment", "pip": "pip"}


def program(argv: Sequence[str]) -> tuple[str, ...]:
    """Return the command without `env NAME=VALUE…` in front."""
    if not argv or argv[0] != "env":
        return tuple(argv)
    start = next((i for i, word in enumerate(argv) if i and "=" not in word), len(argv))
    return tuple(argv[start:])


def manager_of(argv: Sequence[str]) -> PackageManager | None:
    """Return the package manager that a command calls, None for other commands."""
    words = program(argv)
    return manager_of_program(words[0]) if words else None


def kind_of(argv: Sequence[str]) -> Kind:
    """Return what sort of step a command is."""
    words = program(argv)
    if not words:
        return "other"
    name = words[0].rpartition("/")[2]
    manager = manager_of_program(words[0])
    if manager is not None:
        return _manager_kind(words, manager)
    if name.startswith("python"):
        return _python_kind(words)
    return _BY_NAME.get(name, "other")


def packages_of(argv: Sequence[str]) -> tuple[str, ...]:
    """Return the packages that an install command names; files are left out."""
    words, manager = program(argv), manager_of(argv)
    verb = manager.words.install if manager is not None else ""
    values = ("--target-release", "-t", "-o", "--option")
    named = [
        word
        for before, word in itertools.pairwise(words)
        if not word.startswith(("-", ".", "/")) and before not in values
    ]
    return tuple(word.partition("/")[0] for word in named if word != verb)


def written_path(undo: Sequence[str] | None) -> str | None:
    """Return the file that a step writes, which its undo removes."""
    return undo[2] if undo is not None and len(undo) == 3 and undo[:2] == ("rm", "-f") else None


def made_folder(undo: Sequence[str] | None) -> str | None:
    """Return the folder that a step makes, which its undo removes."""
    if undo is None or len(undo) != 3 or undo[0] != "rm":
        return None
    return undo[2] if undo[1] in ("-r", "-rf") else None


def may_be_so_already(kind: Kind) -> bool:
    """Whether a step need not run where its proof succeeds beforehand.

    A file may hold something else, pip's check knows nothing of missing packages, and package
    managers find out by themselves.
    """
    return kind in ("group", "environment", "other")


def is_proved_after_a_break(kind: Kind) -> bool:
    """Whether the proof of a step tells that a run which was killed got through it.

    Half a virtual environment and half a file pass theirs; they are made again.
    """
    return kind in ("install", "group")


def _manager_kind(words: Sequence[str], manager: PackageManager) -> Kind:
    if manager.words.install in words:
        return "install"
    return "refresh" if manager.words.refresh in words else "other"


def _python_kind(words: Sequence[str]) -> Kind:
    if words[1:2] == ("-m",) and len(words) > 2:
        return _MODULES.get(words[2], "other")
    return "file" if words[1:2] == ("-c",) and "write_text" in words[-1] else "other"
