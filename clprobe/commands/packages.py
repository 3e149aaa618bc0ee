# SPDX-License-Identifier: MIT
"""Packages: each manager's commands come from its record in the tables."""

from collections.abc import Callable
from typing import Any

from clprobe.commands.lines import Commands
from clprobe.knowledge.package_manager_table import PackageManager
from clprobe.knowledge.package_managers import manager_named
from clprobe.model.action import Install, InstallFiles, Refresh, Reinstall, Remove
from clprobe.model.mending import Argv

# Neither has a record of its own: they belong to an environment, not to a distribution.
_OWN_REINSTALL: dict[str, Argv] = {
    "pip": ("python3", "-m", "pip", "install", "--force-reinstall"),
    "conda": ("conda", "install", "--force-reinstall"),
}


def manager_of(action: object) -> PackageManager | None:
    """Return the package manager by which an action works, None for other actions."""
    if isinstance(action, Refresh | Install | InstallFiles | Remove):
        return manager_named(action.manager)
    return None


def _refresh(action: Refresh) -> Commands:
    argv = manager_named(action.manager).unattended.refresh
    if argv is None:
        raise ValueError(f"{action.manager} reads its index by itself")
    return Commands(argv=argv, needs_root=True)


def asked_for(action: Install | InstallFiles) -> Argv:
    """Return how the manager is told what to install, a word for each package."""
    if isinstance(action, InstallFiles):
        return tuple(f"./{file}" for file in action.files)
    suite = f"/{action.suite}" if action.suite is not None else ""
    return tuple(f"{name}{suite}" for name in action.packages)


def _install(action: Install | InstallFiles) -> Commands:
    manager = manager_named(action.manager)
    return Commands(
        argv=(*manager.unattended_command("install"), *asked_for(action)),
        needs_root=True,
        undo=(*manager.unattended_command("remove"), *action.packages),
        verify=(*manager.query, *action.packages),
    )


def _remove(action: Remove) -> Commands:
    manager = manager_named(action.manager)
    return Commands(
        argv=(*manager.unattended_command("remove"), *action.packages),
        needs_root=True,
        undo=(*manager.unattended_command("install"), *action.packages),
    )


def _refresh_by_hand(action: Refresh) -> Commands:
    words = manager_named(action.manager).by_hand.refresh
    return Commands(argv=words, needs_root=True) if words is not None else _refresh(action)


def _install_by_hand(action: Install | InstallFiles) -> Commands:
    words = manager_named(action.manager).by_hand
    return Commands(
        argv=(*words.install, *asked_for(action)),
        needs_root=True,
        undo=(*words.remove, *action.packages),
    )


def _remove_by_hand(action: Remove) -> Commands:
    words = manager_named(action.manager).by_hand
    return Commands(
        argv=(*words.remove, *action.packages),
        needs_root=True,
        undo=(*words.install, *action.packages),
    )


def _reinstall(action: Reinstall) -> Commands:
    own = _OWN_REINSTALL.get(action.manager)
    if own is not None:
        return Commands(argv=(*own, action.package))
    words = manager_named(action.manager).by_hand
    return Commands(argv=(*words.reinstall, action.package), needs_root=True)


BUILDERS: dict[type, Callable[[Any], Commands]] = {
    Refresh: _refresh,
    Install: _install,
    InstallFiles: _install,
    Remove: _remove,
    Reinstall: _reinstall,
}
BY_HAND: dict[type, Callable[[Any], Commands]] = {
    Refresh: _refresh_by_hand,
    Install: _install_by_hand,
    InstallFiles: _install_by_hand,
    Remove: _remove_by_hand,
}
"""What people type in place of what plans run."""
