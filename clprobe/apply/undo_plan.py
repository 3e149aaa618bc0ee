# SPDX-License-Identifier: MIT
"""What takes one step back: exactly what its record says that it added."""

from collections.abc import Container, Iterable

import msgspec

from clprobe.apply.journal import Package, PackageChanges, StepRecord, Upgrade
from clprobe.apply.kinds import KINDS
from clprobe.knowledge.package_manager_table import PackageManager
from clprobe.model.action import MakeGroup


class PackageUndo(msgspec.Struct, frozen=True, kw_only=True):
    """Commands that return the package list: a trial first, then each in order.

    `downgrade` is the one of them that brings former versions back. `kept` are packages that stay
    in a newer version, because nothing here brings the old one.
    """

    trial: tuple[str, ...] | None = None
    commands: tuple[tuple[str, ...], ...] = ()
    downgrade: tuple[str, ...] | None = None
    kept: tuple[Upgrade, ...] = ()


def package_undo(
    manager: PackageManager,
    changes: PackageChanges,
    before: Iterable[Package],
    now: Iterable[Package],
    at_hand: Container[str],
) -> PackageUndo:
    """Return what undoes `changes`; `before` is the list before the first step.

    `at_hand` holds the former versions that the index still has, as "name=version".

    Packages that are gone by now are not named again, and one that had left its settings before
    is removed but not purged, so that it leaves them once more.
    """
    here = {package.name: package for package in now if package.status[1:2] != "n"}
    had_settings = {package.name for package in before if package.status[1:2] == "c"}
    names = [package.name for package in changes.added if package.name in here]
    purged = [name for name in names if name not in had_settings]
    removed = [name for name in names if name in had_settings and here[name].status[1:2] != "c"]
    broken = any(here[name].status[2:3] == "R" for name in names)
    force = ("--force-remove-reinstreq",) if broken and manager.manager == "apt" else ()
    commands: list[tuple[str, ...]] = []
    if removed:
        commands.append(("dpkg", *force, "--remove", *removed))
    if purged:
        program, *options = manager.erase
        commands.append((program, *force, *options, *purged))
    older = [u for u in changes.upgraded if u.name in here and here[u.name].version != u.before]
    offered = [u for u in older if f"{u.name}={u.before}" in at_hand]
    downgrade: tuple[str, ...] | None = None
    if offered:
        wanted = [f"{upgrade.name}={upgrade.before}" for upgrade in offered]
        downgrade = ("apt-get", "install", "--yes", "--allow-downgrades", *wanted)
        commands.append(downgrade)
    commands += _marks(manager, changes, here)
    program, *options = manager.try_erase
    return PackageUndo(
        trial=(program, *force, *options, *names) if names else None,
        commands=tuple(commands),
        downgrade=downgrade,
        kept=tuple(upgrade for upgrade in older if upgrade not in offered),
    )


def unsettled(before: Iterable[Package], now: Iterable[Package]) -> tuple[str, ...]:
    """Return what was set up before and is not now: dpkg was cut off in its triggers."""
    settled = {package.name for package in before if package.status == "ii"}
    return tuple(p.name for p in now if p.name in settled and p.status[1:2] in ("U", "F", "W", "t"))


def undo_command(record: StepRecord) -> tuple[str, ...] | None:
    """Return the command that undoes what is neither a package nor a file; None for the rest.

    A group that the step made is removed though plans say nothing of it.
    """
    if record.was_so or record.attempts == 0:
        return None
    if isinstance(record.action, MakeGroup):
        return ("groupdel", record.action.group)
    return record.undo if KINDS[type(record.action)].is_undone_by_command else None


def leaves_something(record: StepRecord) -> bool:
    """Whether there is anything of a step to take back, or nobody knows."""
    if record.state not in ("running", "done", "failed"):
        return False
    written = record.file is not None or record.folder is not None
    changed = record.changes != PackageChanges() or undo_command(record) is not None
    return record.state == "running" or written or changed


def _marks(
    manager: PackageManager, changes: PackageChanges, here: dict[str, Package]
) -> list[tuple[str, ...]]:
    commands: list[tuple[str, ...]] = []
    remarked = [package for package in changes.remarked if package.name in here]
    # apt marks as asked for whatever it is told to install, an older version too.
    upgraded = [here[u.name] for u in changes.upgraded if u.name in here]
    named = {package.name for package in remarked}
    wanted = [*remarked, *(package for package in upgraded if package.name not in named)]
    for automatic in (True, False):
        names = [package.name for package in wanted if package.automatic is automatic]
        if names and manager.manager == "apt":
            commands.append(("apt-mark", "auto" if automatic else "manual", *names))
        elif names and manager.manager == "pacman":
            option = "--asdeps" if automatic else "--asexplicit"
            commands.append(("pacman", "--database", option, *names))
    return commands
