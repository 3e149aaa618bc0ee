# SPDX-License-Identifier: MIT
"""Reads the databases of package managers: their files where those are plain, else a command."""

import contextlib
import errno
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from msgspec.structs import replace

from clprobe.probe.host import PackageRecord
from clprobe.probe.packages.sources import origins

Wanted: TypeAlias = Callable[[str], object]
"""Finds something in the name of a package that is wanted."""
_RPM_LIMIT_S = 3.0
# ~/.rpmmacros may name commands that rpm runs, and `sudo -E` keeps the caller's HOME.
_RPM_ENVIRONMENT = {"HOME": "/", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
_RPM_FIELDS = r"%{NAME}\t%{VERSION}-%{RELEASE}\t%{ARCH}\t%{VENDOR}\n"
# dpkg(1): of these packages all files are there, what is left to do are others' triggers.
_WHOLE = ("installed", "triggers-awaited", "triggers-pending")
_BROKEN_OFF = ("half-installed", "unpacked", "half-configured")


def managers(root: Path = Path("/")) -> "tuple[Manager, ...]":
    """Return the managers that are present; where dpkg is in charge, rpm is only a tool."""
    known: tuple[Manager, ...] = (Dpkg(root), Pacman(root), Apk(root), Rpm(root))
    return tuple(manager for manager in known if manager.is_present)[:1]


class Dpkg:
    """Debian, Ubuntu and their like."""

    def __init__(self, root: Path) -> None:
        self._status = root / "var/lib/dpkg/status"
        self._updates = root / "var/lib/dpkg/updates"
        self._info = root / "var/lib/dpkg/info"
        self._lists = root / "var/lib/apt/lists"
        self.is_present = self._status.is_file()

    def find(self, wanted: Wanted) -> Iterator[PackageRecord]:
        """Read the status file, and where apt's lists say that packages came from."""
        found = tuple(self._recorded(wanted))
        known = origins(self._lists, [(record.name, record.version) for record in found])
        for record in found:
            yield replace(record, origin=known.get((record.name, record.version), ""))

    def _recorded(self, wanted: Wanted) -> Iterator[PackageRecord]:
        newest: dict[tuple[str, str], dict[str, str]] = {}
        for text in self._texts():
            for paragraph in text.split("\nPackage: ")[1:]:
                name, _, rest = paragraph.partition("\n")
                if wanted(name):
                    fields = dict(re.findall(r"^(Status|Version|Architecture): (.*)$", rest, re.M))
                    newest[name, fields.get("Architecture", "")] = fields
        for (name, _), fields in newest.items():
            wanted_state, _, flags = fields.get("Status", "").partition(" ")
            flag, _, state = flags.partition(" ")
            if state in _WHOLE or state in _BROKEN_OFF:
                yield PackageRecord(
                    name=name,
                    version=fields.get("Version", ""),
                    manager="dpkg",
                    architecture=fields.get("Architecture", ""),
                    state=state if state in _BROKEN_OFF else "installed",
                    held=wanted_state == "hold",
                    damaged=flag == "reinstreq",
                )

    def _texts(self) -> Iterator[str]:
        """Give the status file, then what dpkg, being cut off, did not come to merge into it."""
        files = self._updates.glob("[0-9]*") if self._updates.is_dir() else ()
        yield "\n" + self._status.read_text("utf-8", "replace")
        for file in sorted(files):
            with contextlib.suppress(FileNotFoundError):  # dpkg is merging it now
                yield "\n" + file.read_text("utf-8", "replace")

    def owners(self, paths: tuple[str, ...], likely: set[str]) -> dict[str, str]:
        """Search the file lists."""
        lists = [
            (name.removesuffix(".list").partition(":")[0], f"{self._info}/{name}")
            for name in _names_in(self._info)
            if name.endswith(".list")
        ]
        return _owners_in_lists(paths, lists, likely)


class Pacman:
    """Arch and its like: one folder per package, NAME-VERSION-RELEASE."""

    def __init__(self, root: Path) -> None:
        self._folder = root / "var/lib/pacman/local"
        self.is_present = self._folder.is_dir()

    def find(self, wanted: Wanted) -> Iterator[PackageRecord]:
        """Read the names of the folders."""
        for folder in self._folder.iterdir():
            name, *version = folder.name.rsplit("-", 2)
            if len(version) == 2 and wanted(name):
                yield PackageRecord(
                    name=name,
                    version="-".join(version),
                    manager="pacman",
                    origin="unsigned" if _is_unsigned(folder) else "",
                )

    def owners(self, paths: tuple[str, ...], likely: set[str]) -> dict[str, str]:
        """Search the file lists."""
        lists = [
            (file.parent.name.rsplit("-", 2)[0], str(file)) for file in self._folder.glob("*/files")
        ]
        return _owners_in_lists(paths, lists, likely)


class Apk:
    """Alpine: one file of paragraphs with one-letter keys."""

    def __init__(self, root: Path) -> None:
        self._installed = root / "lib/apk/db/installed"
        self.is_present = self._installed.is_file()

    def find(self, wanted: Wanted) -> Iterator[PackageRecord]:
        """Read the P, V and A lines; letters in an f line tell what failed or how it was hashed."""
        for paragraph in self._installed.read_text("utf-8", "replace").split("\n\n"):
            fields = dict(re.findall(r"^([PVAf]):(.*)$", paragraph, re.M))
            if wanted(fields.get("P", "")):
                yield PackageRecord(
                    name=fields["P"],
                    version=fields.get("V", ""),
                    manager="apk",
                    architecture=fields.get("A", ""),
                    # What `apk fix` would install once more: files and scripts.
                    damaged=not {"f", "s"}.isdisjoint(fields.get("f", "")),
                )

    def owners(self, paths: tuple[str, ...], likely: set[str]) -> dict[str, str]:  # noqa: ARG002 - one file holds all
        """Read the F (folder) and R (file) lines."""
        wanted = {name.lstrip("/"): path for path in paths for name in _spellings(path)}
        owners = {}
        package = folder = ""
        for line in self._installed.read_text("utf-8", "replace").splitlines():
            key, _, value = line.partition(":")
            if key == "P":
                package = value
            elif key == "F":
                folder = value
            elif key == "R" and f"{folder}/{value}" in wanted:
                owners[wanted[f"{folder}/{value}"]] = package
        return owners


class Rpm:
    """Fedora, openSUSE and their like: a binary database, so rpm itself is asked."""

    def __init__(self, root: Path) -> None:
        folders = (root / "var/lib/rpm", root / "usr/lib/sysimage/rpm")
        self.is_present = any(folder.is_dir() for folder in folders)
        self._program = root / "usr/bin/rpm"

    def find(self, wanted: Wanted) -> Iterator[PackageRecord]:
        """Ask for all packages."""
        output = _run_rpm(self._program, "-qa", "--qf", _RPM_FIELDS)
        fields = r"^(.*)\t(.*)\t(.*)\t(.*)$"
        for name, version, architecture, vendor in re.findall(fields, output, re.M):
            if wanted(name):
                yield PackageRecord(
                    name=name,
                    version=version,
                    manager="rpm",
                    architecture=architecture,
                    origin=vendor if vendor != "(none)" else "",
                )

    def owners(self, paths: tuple[str, ...], likely: set[str]) -> dict[str, str]:  # noqa: ARG002 - rpm has an index
        """Ask for each path."""
        asking = (self._program, "-qf", "--qf", r"%{NAME}\n")
        answers = {path: _run_rpm(*asking, path).strip() for path in paths}
        # "file … is not owned by any package" is a sentence, a name has no blanks.
        return {path: text.split("\n")[0] for path, text in answers.items() if " " not in text}


Manager: TypeAlias = Dpkg | Pacman | Apk | Rpm


def _is_unsigned(folder: Path) -> bool:
    """Tell whether pacman had no signature to check: it was built here, as those of the AUR are."""
    try:
        text = (folder / "desc").read_text("utf-8", "replace")
    except OSError:
        return False
    return "%VALIDATION%\nnone\n" in text


def _run_rpm(program: Path, *arguments: str) -> str:
    try:
        result = subprocess.run(
            [program, *arguments],
            env=_RPM_ENVIRONMENT,
            capture_output=True,
            timeout=_RPM_LIMIT_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise OSError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT), "rpm") from None
    return result.stdout.decode("utf-8", "replace")


def _names_in(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - a path of each name takes ten times as long
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []


def _owners_in_lists(
    paths: tuple[str, ...], lists: list[tuple[str, str]], likely: set[str]
) -> dict[str, str]:
    """Search (package, file list) pairs; whole lists are read, so the likely ones first."""
    pending = {path: _spellings(path) for path in paths}
    owners: dict[str, str] = {}
    for package, file in sorted(lists, key=lambda pair: pair[0] not in likely):
        if not pending:
            break
        raw = b"\n" + Path(file).read_bytes()
        for path, names in list(pending.items()):
            if any(_lists(raw, name) for name in names):
                owners[path] = package
                del pending[path]
    return owners


def _lists(raw: bytes, name: str) -> bool:
    """Tell whether a list has the name; dpkg writes a slash in front, pacman none."""
    encoded = name.encode("utf-8", "surrogateescape")
    return b"\n" + encoded + b"\n" in raw or b"\n" + encoded[1:] + b"\n" in raw


def _spellings(path: str) -> list[str]:
    """Databases may keep a file of /usr/lib under /lib, from before the two were merged."""
    for folder in ("/lib", "/bin", "/sbin"):
        if path.startswith(folder):
            return [path, "/usr" + path]
        if path.startswith("/usr" + folder):
            return [path, path[4:]]
    return [path]
