# SPDX-License-Identifier: MIT
"""Package lists as package managers print them, and how two of them differ."""

import re
from collections.abc import Iterable

from msgspec.structs import replace

from clprobe.apply.journal import Package, PackageChanges, Upgrade
from clprobe.knowledge.package_manager_table import PackageManager

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
    architecture.
    """
    states = {package.name: package.status for package in packages}
    states |= {name.rpartition(".")[0]: status for name, status in states.items() if "." in name}
    wanted = [name.partition("=")[0].partition("/")[0] for name in named]
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
