# SPDX-License-Identifier: MIT
"""Package lists as package managers print them, how two of them differ, and what undoes that."""

import re
from collections.abc import Container, Iterable

import msgspec
from msgspec.structs import replace

from clprobe.apply.journal import Package, PackageChanges, StepRecord, Upgrade
from clprobe.apply.kinds import KINDS
from clprobe.knowledge.package_manager_table import PackageManager
from clprobe.model.action import MakeGroup

_APK = re.compile(r"(?P<name>.+)-(?P<version>\d[^-]*-r\d+)")


def parse_list(
    manager: PackageManager, listed: str, marks: str, native: str
) -> tuple[Package, ...]:
    """Return the packages, by name; `native` is the architecture that names may leave out."""
    automatic = {_short(name, native) for name in marks.split()}
    packages = []
    for line in listed.splitlines():
        found = _fields(manager.database, line)
        if found is not None:
            name, version, status = found
            short = _short(name, native)
            packages.append(Package(short, version, status.strip(), short in automatic))
    return tuple(sorted(packages, key=lambda package: package.name))


def offered_versions(table: str) -> frozenset[str]:
    """Return what `apt-cache madison` lists, as "name=version": what indexes hold, no more."""
    rows = (line.split("|") for line in table.splitlines())
    return frozenset(f"{row[0].strip()}={row[1].strip()}" for row in rows if len(row) == 3)


def changes_between(before: Iterable[Package], after: Iterable[Package]) -> PackageChanges:
    """Return what turns `before` into `after`; one that left only settings counts as absent."""
    was, is_now = _present(before), _present(after)
    both = [(was[name], is_now[name]) for name in was if name in is_now]
    return PackageChanges(
        added=tuple(package for name, package in is_now.items() if name not in was),
        upgraded=tuple(
            Upgrade(old.name, old.version, new.version)
            for old, new in both
            if old.version != new.version
        ),
        removed=tuple(package for name, package in was.items() if name not in is_now),
        remarked=tuple(old for old, new in both if old.automatic != new.automatic),
    )


def differences(before: Iterable[Package], after: Iterable[Package]) -> tuple[str, ...]:
    """Return in words how the lists differ, marks and left settings too; () if they are equal."""
    was = {package.name: package for package in before}
    is_now = {package.name: package for package in after}
    said = [f"{name} {is_now[name].version} is there" for name in is_now if name not in was]
    said += [f"{name} {was[name].version} is gone" for name in was if name not in is_now]
    for name, old in was.items():
        new = is_now.get(name, old)
        if new.version != old.version:
            said.append(f"{name} is {new.version}, was {old.version}")
        elif new.status != old.status:
            said.append(f"{name} is in state {new.status}, was {old.status}")
        elif new.automatic != old.automatic:
            mark = "automatically" if new.automatic else "manually"
            said.append(f"{name} is marked as {mark} installed")
    return tuple(sorted(said))


def merged(first: PackageChanges, second: PackageChanges) -> PackageChanges:
    """Return the changes of two attempts, one after the other."""
    ours = {package.name for package in first.added}
    gone = {package.name for package in second.removed}
    newest = {upgrade.name: upgrade.after for upgrade in second.upgraded}
    added = [
        replace(package, version=newest.get(package.name, package.version))
        for package in first.added
        if package.name not in gone
    ]
    # What the first attempt says of the time before counts.
    upgraded = {u.name: u for u in (*second.upgraded, *first.upgraded) if u.name not in ours | gone}
    remarked = {p.name: p for p in (*second.remarked, *first.remarked) if p.name not in ours}
    return PackageChanges(
        added=(*added, *second.added),
        upgraded=tuple(
            Upgrade(name, upgrade.before, newest.get(name, upgrade.after))
            for name, upgrade in upgraded.items()
        ),
        removed=(*first.removed, *(p for p in second.removed if p.name not in ours)),
        remarked=tuple(remarked.values()),
    )


def not_installed(named: Iterable[str], packages: Iterable[Package]) -> tuple[str, ...]:
    """Return which of the packages that a command named are not there and set up, with states.

    Names may carry a version or a release: "name=1.0", "name/sid"; rpm's list adds the
    architecture. Gentoo's begin with a category and may end with a slot: "dev-libs/name:legacy".
    """
    states = {package.name: package.status for package in packages}
    states |= {name.rpartition(".")[0]: status for name, status in states.items() if "." in name}
    ends = ":" if any("/" in name for name in states) else "/"
    wanted = [name.partition("=")[0].partition(ends)[0] for name in named]
    return tuple(
        f"{name} ({states.get(name, 'absent')})"
        for name in wanted
        if not states.get(name, "").startswith(("ii", "hi"))
    )


def _present(packages: Iterable[Package]) -> dict[str, Package]:
    """Return what has files on the disk, even if it is only unpacked, by name."""
    return {p.name: p for p in packages if p.status[1:2] not in ("c", "n")}


def _short(name: str, native: str) -> str:
    return name.removesuffix(f":{native}") if native else name


def _fields(database: str, line: str) -> tuple[str, str, str] | None:
    if database == "apk":
        found = _APK.fullmatch(line.strip())
        return (found["name"], found["version"], "ii") if found is not None else None
    if database == "pacman":
        name, _, version = line.partition(" ")
        return (name, version, "ii") if version else None
    parts = line.split("\t")
    return (parts[0], parts[1], parts[2]) if len(parts) == 3 else None


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
