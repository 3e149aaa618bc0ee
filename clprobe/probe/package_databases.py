# SPDX-License-Identifier: MIT
"""Reads the databases of package managers: their files where those are plain, else a command."""

import re
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from clprobe.probe.host import PackageRecord

_DPKG = Path("/var/lib/dpkg")
_PACMAN = Path("/var/lib/pacman/local")
_APK = Path("/lib/apk/db/installed")
_RPM_FOLDERS = (Path("/var/lib/rpm"), Path("/usr/lib/sysimage/rpm"))
_RPM_LIMIT_S = 3.0


class PackageDatabases:
    """The package managers of this host."""

    def __init__(self) -> None:
        self._names: list[str] = []

    def find(self, pattern: str) -> tuple[PackageRecord, ...]:
        """Return the installed packages whose name the pattern finds, sorted by name."""
        wanted = re.compile(pattern)
        records = [*_dpkg(), *_pacman(), *_apk(), *_rpm()]
        found = [record for record in records if wanted.search(record.name)]
        self._names = [record.name for record in found]
        return tuple(sorted(found, key=lambda record: (record.name, record.architecture)))

    def owners(self, paths: tuple[str, ...]) -> dict[str, str | None]:
        """Return the package that owns each path; packages found before are looked at first."""
        owners: dict[str, str | None] = dict.fromkeys(paths)
        if (_DPKG / "info").is_dir():
            owners |= self._dpkg_owners(paths)
        elif _PACMAN.is_dir():
            owners |= _owners_in_lists(
                paths, self._preferred(_PACMAN.glob("*/files")), _pacman_name
            )
        elif _APK.is_file():
            owners |= _apk_owners(paths)
        elif _has_rpm():
            owners |= _rpm_owners(paths)
        return owners

    def _dpkg_owners(self, paths: tuple[str, ...]) -> dict[str, str]:
        return _owners_in_lists(paths, self._preferred((_DPKG / "info").glob("*.list")), _dpkg_name)

    def _preferred(self, lists: Iterable[Path]) -> list[Path]:
        names = set(self._names)

        def is_other(path: Path) -> bool:
            return _dpkg_name(path) not in names and _pacman_name(path) not in names

        return sorted(lists, key=is_other)


def _dpkg() -> list[PackageRecord]:
    try:
        text = (_DPKG / "status").read_text("utf-8", "replace")
    except OSError:
        return []
    records = []
    for paragraph in text.split("\n\n"):
        fields = dict(re.findall(r"^(Package|Status|Version|Architecture): (.*)$", paragraph, re.M))
        if fields.get("Status", "").endswith(" installed"):
            records.append(
                PackageRecord(
                    name=fields.get("Package", ""),
                    version=fields.get("Version", ""),
                    manager="dpkg",
                    architecture=fields.get("Architecture", ""),
                )
            )
    return records


def _pacman() -> list[PackageRecord]:
    if not _PACMAN.is_dir():
        return []
    entries = [folder.name.rsplit("-", 2) for folder in _PACMAN.iterdir()]
    return [
        PackageRecord(name=parts[0], version="-".join(parts[1:]), manager="pacman")
        for parts in entries
        if len(parts) == 3
    ]


def _apk() -> list[PackageRecord]:
    try:
        text = _APK.read_text("utf-8", "replace")
    except OSError:
        return []
    paragraphs = (dict(re.findall(r"^([PVA]):(.*)$", part, re.M)) for part in text.split("\n\n"))
    return [
        PackageRecord(
            name=fields["P"],
            version=fields.get("V", ""),
            manager="apk",
            architecture=fields.get("A", ""),
        )
        for fields in paragraphs
        if "P" in fields
    ]


def _rpm() -> list[PackageRecord]:
    # Debian's rpm package has an empty database too: where dpkg is in charge, rpm is a tool.
    if (_DPKG / "status").exists() or not _has_rpm():
        return []
    output = _run_rpm("-qa", "--qf", r"%{NAME}\t%{VERSION}-%{RELEASE}\t%{ARCH}\n")
    rows = [line.split("\t") for line in output.splitlines()]
    return [
        PackageRecord(name=row[0], version=row[1], manager="rpm", architecture=row[2])
        for row in rows
        if len(row) == 3
    ]


def _has_rpm() -> bool:
    return any(folder.is_dir() for folder in _RPM_FOLDERS)


def _run_rpm(*arguments: str) -> str:
    result = subprocess.run(
        ["/usr/bin/rpm", *arguments],
        capture_output=True,
        timeout=_RPM_LIMIT_S,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return result.stdout.decode("utf-8", "replace")


def _rpm_owners(paths: tuple[str, ...]) -> dict[str, str]:
    owners = {}
    for path in paths:
        output = _run_rpm("-qf", "--qf", r"%{NAME}\n", path).strip()
        if output and " " not in output:
            owners[path] = output.splitlines()[0]
    return owners


def _apk_owners(paths: tuple[str, ...]) -> dict[str, str]:
    wanted = {name.lstrip("/"): path for path in paths for name in _spellings(path)}
    owners = {}
    package = folder = ""
    for line in _APK.read_text("utf-8", "replace").splitlines():
        key, _, value = line.partition(":")
        if key == "P":
            package = value
        elif key == "F":
            folder = value
        elif key == "R" and f"{folder}/{value}" in wanted:
            owners[wanted[f"{folder}/{value}"]] = package
    return owners


def _owners_in_lists(
    paths: tuple[str, ...], lists: list[Path], name_of: Callable[[Path], str]
) -> dict[str, str]:
    pending = {path: _spellings(path) for path in paths}
    owners: dict[str, str] = {}
    for file in lists:
        if not pending:
            break
        raw = b"\n" + file.read_bytes()
        for path, names in list(pending.items()):
            if any(_lists(raw, name) for name in names):
                owners[path] = name_of(file)
                del pending[path]
    return owners


def _lists(raw: bytes, name: str) -> bool:
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


def _dpkg_name(path: Path) -> str:
    return path.name.removesuffix(".list").partition(":")[0]


def _pacman_name(path: Path) -> str:
    return path.parent.name.rsplit("-", 2)[0]
