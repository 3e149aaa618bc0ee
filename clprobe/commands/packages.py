# SPDX-License-Identifier: MIT
"""Packages: each manager's commands come from its record in the tables."""

from clprobe.commands.lines import Commands, commands_of, typed
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
    if isinstance(action, Reinstall) and action.manager in _OWN_REINSTALL:
        return None
    if isinstance(action, Refresh | Install | InstallFiles | Remove | Reinstall):
        return manager_named(action.manager)
    return None


@commands_of.register
def _(action: Refresh) -> Commands:
    argv = manager_named(action.manager).unattended.refresh
    if argv is None:
        raise ValueError(f"{action.manager} reads its index by itself")
    return Commands(argv=argv, needs_root=True)


def asked_for(action: Install | InstallFiles) -> Argv:
    """Return how the manager is told what to install, a word for each package."""
    if isinstance(action, InstallFiles):
        return tuple(f"./{file}" for file in action.files)
    return action.packages


def _from_suite(action: Install | InstallFiles) -> Argv:
    """Return the words by which the manager takes packages, and what these need, from a suite."""
    if isinstance(action, InstallFiles) or action.suite is None:
        return ()
    return (*manager_named(action.manager).from_suite, action.suite)


@commands_of.register(Install)
@commands_of.register(InstallFiles)
def _(action: Install | InstallFiles) -> Commands:
    manager = manager_named(action.manager)
    return Commands(
        argv=(*manager.unattended_command("install"), *_from_suite(action), *asked_for(action)),
        needs_root=True,
        undo=(*manager.unattended_command("remove"), *action.packages),
        verify=(*manager.query, *action.packages),
    )


@commands_of.register
def _(action: Remove) -> Commands:
    words = manager_named(action.manager).unattended_command
    return _changed(words("remove"), words("install"), action.packages)


@commands_of.register
def _(action: EnableRepository) -> Commands:
    return Commands(argv=action.argv, needs_root=True, undo=action.undo, verify=action.verify)


@typed.register
def _(action: Refresh) -> Commands:
    words = manager_named(action.manager).by_hand.refresh
    return Commands(argv=words, needs_root=True) if words is not None else commands_of(action)


@typed.register(Install)
@typed.register(InstallFiles)
def _(action: Install | InstallFiles) -> Commands:
    words = manager_named(action.manager).by_hand
    return Commands(
        argv=(*words.install, *_from_suite(action), *asked_for(action)),
        needs_root=True,
        undo=(*words.remove, *action.packages),
    )


@typed.register
def _(action: Remove) -> Commands:
    words = manager_named(action.manager).by_hand
    return _changed(words.remove, words.install, action.packages)


def _changed(does: Argv, undoes: Argv, packages: Argv) -> Commands:
    return Commands(argv=(*does, *packages), needs_root=True, undo=(*undoes, *packages))


@commands_of.register
def _(action: Reinstall) -> Commands:
    """Return the commands; none for the environment of a shell, where no step would find it."""
    if action.manager in _OWN_REINSTALL:
        return Commands(argv=None)
    manager = manager_named(action.manager)
    return Commands(
        argv=(*manager.unattended_command("reinstall"), action.package),
        needs_root=True,
        verify=(*manager.query, action.package),
    )


@typed.register
def _(action: Reinstall) -> Commands:
    own = _OWN_REINSTALL.get(action.manager)
    if own is not None:
        return Commands(argv=(*own, action.package))
    words = manager_named(action.manager).by_hand
    return Commands(argv=(*words.reinstall, action.package), needs_root=True)
