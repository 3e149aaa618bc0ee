# SPDX-License-Identifier: MIT
"""Reads lists of installed packages as each package manager prints them."""

import re
from collections.abc import Callable, Iterator

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Package
from clprobe.model.unknown import NOT_STATED, Fact
from clprobe.paste.reading import Context, Paste, Reading

_FORMS = Forms("packages")
# Each line is tried, so they are not looked up among what re has compiled.
_PIP = re.compile(r"(?:python\S* -m )?pip3? (?:list|show)|uv pip list")
_CONDA = re.compile(r"(?:conda|mamba|micromamba) list")
_WHOLE_SYSTEM = 150
"""So many packages are a whole system's: nobody picks them by hand."""


class _Listed(msgspec.Struct):
    """A line of a list: the package, unless it is not installed."""

    package: Package | None


def read_packages(paste: Paste) -> Iterator[Reading]:
    """Give the packages of each manager's lists, those asked under one circumstance together."""
    installed = _below_installed(paste)
    for manager, parse in _MANAGERS.items():
        lists: dict[Context, list[tuple[int, Package | None]]] = {}
        for index, line in paste.free():
            context = paste.contexts[index]
            found = parse(line, context.command)
            if index in installed and manager == "pacman":
                # Without its mark, a line of a search tells that only where somebody says so.
                named = _FORMS.pacman.match(line)
                found = _package(named, manager) if named is not None else found
            if found is not None:
                lists.setdefault(context, []).append((index, found.package))
        for entries in lists.values():
            yield _reading(manager, entries, paste)


def _below_installed(paste: Paste) -> frozenset[int]:
    """Return the lines between the fences below a line that says that they are installed."""
    found: set[int] = set()
    for index in paste.may_hold(_FORMS.says_installed):
        if index in paste.fenced or not _FORMS.says_installed.match(paste.lines[index].strip()):
            continue
        below = next((at for at in range(index + 1, index + 4) if at in paste.fenced), None)
        while below is not None and below in paste.fenced:
            found.add(below)
            below += 1
    return frozenset(found)


def _reading(manager: str, entries: list[tuple[int, Package | None]], paste: Paste) -> Reading:
    found = [package for _, package in entries if package is not None]
    unique = {
        (one.name, str(one.architecture)): one for one in found if _FORMS.matters.search(one.name)
    }
    is_system = manager in ("dpkg", "rpm", "pacman", "apk") and len(found) >= _WHOLE_SYSTEM
    command = paste.contexts[entries[0][0]].command
    return Reading(
        lines=tuple(index for index, _ in entries),
        facts=Snapshot(packages=tuple(unique.values())) if unique else Snapshot(),
        whole=("packages",) if is_system and "grep" not in command else (),
    )


def _dpkg(line: str, command: str) -> _Listed | None:
    found = _FORMS.dpkg.match(line)
    if found is not None:
        state = _FORMS.tables["states"].get(found["state"][1])
        if state is None or found["version"] == "<none>":
            return _Listed(None)  # known to dpkg, but not installed
        architecture = found["arch2"] or found["arch"]
        return _package(found, "dpkg", state=state, architecture=architecture or NOT_STATED)
    if _FORMS.dpkg_head.match(line):
        return _Listed(None)
    listed = _FORMS.apt_list.match(line)
    if listed is not None:
        return _from_apt_list(listed)
    if command.startswith(("dpkg-query", "dpkg -W")) and (pair := _FORMS.two_columns.match(line)):
        return _package(pair, "dpkg")
    return None


def _from_apt_list(found: re.Match[str]) -> _Listed:
    note = found["note"] or ""
    if note.startswith("upgradable from: "):
        version = note.partition(": ")[2]
        return _package(
            found, "dpkg", version=version, state="installed", architecture=found["arch"]
        )
    if not note.startswith(("installed", "residual-config")) or note.startswith("residual"):
        return _Listed(None)
    origin = "by hand" if "local" in note else NOT_STATED
    return _package(found, "dpkg", state="installed", architecture=found["arch"], origin=origin)


def _rpm(line: str, command: str) -> _Listed | None:  # noqa: ARG001 - all have one signature
    found = _FORMS.rpm.match(line)
    if found is not None:
        return _package(found, "rpm", architecture=found["arch"])
    found = _FORMS.dnf.match(line)
    if found is not None:
        if not found["origin"].startswith("@") and "installed" not in found["origin"]:
            return _Listed(None)  # offered by a repository only
        return _package(
            found, "rpm", architecture=found["arch"], origin=found["origin"].lstrip("@")
        )
    found = _FORMS.zypper.match(line)
    return _package(found, "rpm") if found is not None and found["state"] != "v" else None


def _pacman(line: str, command: str) -> _Listed | None:
    found = _FORMS.pacman.match(line)
    if found is None:
        return None
    if found["repo"] not in (None, "local") and "[" not in line:
        return _Listed(None)  # a search result that is not installed
    is_told = found["repo"] or command.startswith(("pacman", "yay", "paru"))
    is_sure = is_told or "-" in found["version"][-4:]
    if not is_sure or not found["version"][0].isalnum():
        return None
    # Other managers print a name and a version, too, and so do people.
    return _package(found, "pacman") if is_told else _package(found, NOT_STATED)


def _apk(line: str, command: str) -> _Listed | None:  # noqa: ARG001
    found = _FORMS.apk.match(line)
    return _package(found, "apk") if found is not None else None


def _pip(line: str, command: str) -> _Listed | None:
    found = _FORMS.pip_freeze.match(line)
    if found is None and _PIP.match(command):
        found = _FORMS.two_columns.match(line)
        if found is None and _FORMS.pip_heads.match(line):
            return _Listed(None)
    return _package(found, "pip") if found is not None else None


def _conda(line: str, command: str) -> _Listed | None:
    if not _CONDA.match(command):
        return None
    if _FORMS.pip_heads.match(line) or line.startswith("#"):
        return _Listed(None)
    found = _FORMS.two_columns.match(line)
    return _package(found, "conda", origin=found["origin"] or NOT_STATED) if found else None


def _portage(line: str, command: str) -> _Listed | None:  # noqa: ARG001
    found = _FORMS.portage.match(line)
    return _package(found, "portage") if found is not None else None


def _nix(line: str, command: str) -> _Listed | None:
    found = _FORMS.nix.match(line)
    if found is None and command.startswith("nix"):
        found = re.match(r"(?P<name>[a-z][\w+-]*?)-(?P<version>\d[\w.+]*)$", line)
    return _package(found, "nix") if found is not None else None


def _package(found: re.Match[str], manager: Fact[str], **more: object) -> _Listed:
    name = found["name"]
    changes = {key: value for key, value in more.items() if value is not None}
    package = Package(name=name, version=found["version"], manager=manager)
    return _Listed(msgspec.structs.replace(package, **changes))


_MANAGERS: dict[str, Callable[[str, str], _Listed | None]] = {
    "dpkg": _dpkg,
    "rpm": _rpm,
    "conda": _conda,
    "pip": _pip,
    "apk": _apk,
    "nix": _nix,
    "portage": _portage,
    "pacman": _pacman,
}
