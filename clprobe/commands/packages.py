# SPDX-License-Identifier: MIT
"""Packages: each manager's commands come from its record in the tables."""

from collections.abc import Callable
from typing import Any

from clprobe.commands.lines import Commands
from clprobe.knowledge.package_manager_table import PackageManager
from clprobe.knowledge.package_managers import manager_named
from clprobe.model.action import EnableRepository, Install, InstallFiles, Refresh, Reinstall, Remove
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


def _install(action: Install) -> Commands:
    manager = manager_named(action.manager)
    asked = action.packages
    if action.suite is not None:
        asked = tuple(f"{name}/{action.suite}" for name in asked)
    return _unattended(manager, asked, action.packages)


def _install_files(action: InstallFiles) -> Commands:
    manager = manager_named(action.manager)
    return _unattended(manager, tuple(f"./{file}" for file in action.files), action.packages)


def _unattended(manager: PackageManager, asked: Argv, names: Argv) -> Commands:
    return Commands(
        argv=(*manager.unattended_command("install"), *asked),
        needs_root=True,
        undo=(*manager.unattended_command("remove"), *names),
        verify=(*manager.query, *names),
    )


def _remove(action: Remove) -> Commands:
    manager = manager_named(action.manager)
    return Commands(
        argv=(*manager.unattended_command("remove"), *action.packages),
        needs_root=True,
        undo=(*manager.unattended_command("install"), *action.packages),
    )


def _enable(action: EnableRepository) -> Commands:
    return Commands(argv=action.argv, needs_root=True, undo=action.undo, verify=action.verify)


def _install_by_hand(action: Install) -> Commands:
    words = manager_named(action.manager).by_hand
    return Commands(
        argv=(*words.install, *action.packages),
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
    InstallFiles: _install_files,
    Remove: _remove,
    Reinstall: _reinstall,
    EnableRepository: _enable,
}
BY_HAND: dict[type, Callable[[Any], Commands]] = {
    Install: _install_by_hand,
    Remove: _remove_by_hand,
}
"""What people type in place of what plans run."""
