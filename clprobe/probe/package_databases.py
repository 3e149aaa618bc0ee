# SPDX-License-Identifier: MIT
"""Reads the databases of package managers: their files where those are plain, else a command."""

# ruff: noqa: PTH208, S108 - paths are texts, as databases have them; /tmp/ is only a prefix

import errno
import functools
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from clprobe.probe.host import PackageRecord

_DPKG = Path("/var/lib/dpkg")
_PACMAN = Path("/var/lib/pacman/local")
_APK = Path("/lib/apk/db/installed")
_RPM_FOLDERS = (Path("/var/lib/rpm"), Path("/usr/lib/sysimage/rpm"))
_RPM_LIMIT_S = 3.0


# Where no distribution's package keeps files: nothing is searched for paths under these.
_UNOWNED = ("/home/", "/root/", "/tmp/", "/usr/local/", "/mnt/", "/media/", "/srv/", "/run/",
            "/nix/", "/gnu/", "/dev/")  # fmt: skip


class PackageDatabases:
    """The package managers of this host, pip of this Python included."""

    def __init__(self, pip: "PipFiles") -> None:
        self._pip = pip
        self._names: set[str] = set()

    def find(self, pattern: str) -> tuple[PackageRecord, ...]:
        """Return the installed packages whose name the pattern finds, sorted by name."""
        wanted = re.compile(pattern)
        found = [*_dpkg(wanted), *_pacman(wanted), *_apk(wanted), *_rpm(wanted)]
        self._names = {record.name for record in found}
        return tuple(sorted(found, key=lambda record: (record.name, record.architecture)))

    def owners(self, paths: tuple[str, ...]) -> dict[str, str | None]:
        """Return the package that owns each path; packages found before are looked at first."""
        owners: dict[str, str | None] = {path: self._pip.owner(path) for path in paths}
        paths = tuple(
            path
            for path in paths
            if not path.startswith(_UNOWNED) and not self._pip.is_inside(path)
        )
        if not paths:
            return owners
        if (_DPKG / "info").is_dir():
            owners |= self._owners_in_lists(paths, _dpkg_lists())
        elif _PACMAN.is_dir():
            owners |= self._owners_in_lists(paths, _pacman_lists())
        elif _APK.is_file():
            owners |= _apk_owners(paths)
        elif _has_rpm():
            owners |= _rpm_owners(paths)
        return owners

    def _owners_in_lists(
        self, paths: tuple[str, ...], lists: list[tuple[str, str]]
    ) -> dict[str, str]:
        """Search (package, file list) pairs; whole lists are read, so the likely ones first."""
        pending = {path: _spellings(path) for path in paths}
        owners: dict[str, str] = {}
        for package, file in sorted(lists, key=lambda pair: pair[0] not in self._names):
            if not pending:
                break
            raw = b"\n" + Path(file).read_bytes()
            for path, names in list(pending.items()):
                if any(_lists(raw, name) for name in names):
                    owners[path] = package
                    del pending[path]
        return owners


class PipFiles:
    """Which pip package brought a file: wheels list their files in RECORD."""

    def __init__(self, prefix: str, package_folders: tuple[str, ...]) -> None:
        # The system's own Python shares its prefix with the distribution's packages.
        self._prefix = None if prefix in ("/", "/usr") else f"{prefix}/"
        self._folders = package_folders

    def is_inside(self, path: str) -> bool:
        """Tell whether the path lies in an environment that no distribution manages."""
        return self._prefix is not None and path.startswith(self._prefix)

    def owner(self, path: str) -> str | None:
        """Return the package whose RECORD has the path; only OpenCL's packages are asked."""
        if not path.startswith((self._prefix or "\0", *self._folders)):
            return None
        for folder, package, record in self._records:
            if f"\n{os.path.relpath(path, folder)}," in record:
                return package
        return None

    @functools.cached_property
    def _records(self) -> list[tuple[str, str, str]]:
        return [
            (folder, name.partition("-")[0].replace("_", "-").lower(), text)
            for folder in self._folders
            for name in os.listdir(folder)
            if name.endswith(".dist-info") and _BRINGS_OPENCL.search(name)
            if (text := _record(f"{folder}/{name}/RECORD")) is not None
        ]


_BRINGS_OPENCL = re.compile(r"(?i)opencl|ocl|intel_|level_zero")


def _record(path: str) -> str | None:
    try:
        return "\n" + Path(path).read_text("utf-8", "replace")
    except OSError:
        return None


def _dpkg(wanted: re.Pattern[str]) -> Iterator[PackageRecord]:
    try:
        text = (_DPKG / "status").read_text("utf-8", "replace")
    except OSError:
        return
    for paragraph in ("\n" + text).split("\nPackage: ")[1:]:
        name, _, rest = paragraph.partition("\n")
        if wanted.search(name):
            fields = dict(re.findall(r"^(Status|Version|Architecture): (.*)$", rest, re.M))
            if fields.get("Status", "").endswith(" installed"):
                yield PackageRecord(
                    name=name,
                    version=fields.get("Version", ""),
                    manager="dpkg",
                    architecture=fields.get("Architecture", ""),
                )


def _pacman(wanted: re.Pattern[str]) -> Iterator[PackageRecord]:
    for folder in _PACMAN.iterdir() if _PACMAN.is_dir() else ():
        name, *version = folder.name.rsplit("-", 2)
        if len(version) == 2 and wanted.search(name):
            yield PackageRecord(name=name, version="-".join(version), manager="pacman")


def _apk(wanted: re.Pattern[str]) -> Iterator[PackageRecord]:
    try:
        text = _APK.read_text("utf-8", "replace")
    except OSError:
        return
    for paragraph in text.split("\n\n"):
        fields = dict(re.findall(r"^([PVA]):(.*)$", paragraph, re.M))
        if wanted.search(fields.get("P", "")):
            yield PackageRecord(
                name=fields["P"],
                version=fields.get("V", ""),
                manager="apk",
                architecture=fields.get("A", ""),
            )


def _rpm(wanted: re.Pattern[str]) -> Iterator[PackageRecord]:
    # Debian's rpm package has an empty database too: where dpkg is in charge, rpm is a tool.
    if (_DPKG / "status").exists() or not _has_rpm():
        return
    output = _run_rpm("-qa", "--qf", r"%{NAME}\t%{VERSION}-%{RELEASE}\t%{ARCH}\n")
    for name, version, architecture in re.findall(r"^(.*)\t(.*)\t(.*)$", output, re.M):
        if wanted.search(name):
            yield PackageRecord(
                name=name, version=version, manager="rpm", architecture=architecture
            )


def _has_rpm() -> bool:
    return any(folder.is_dir() for folder in _RPM_FOLDERS)


def _run_rpm(*arguments: str) -> str:
    try:
        result = subprocess.run(
            ["/usr/bin/rpm", *arguments],
            capture_output=True,
            timeout=_RPM_LIMIT_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise OSError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT), "rpm") from None
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


def _dpkg_lists() -> list[tuple[str, str]]:
    folder = f"{_DPKG}/info"
    return [
        (name.removesuffix(".list").partition(":")[0], f"{folder}/{name}")
        for name in os.listdir(folder)
        if name.endswith(".list")
    ]


def _pacman_lists() -> list[tuple[str, str]]:
    return [(name.rsplit("-", 2)[0], f"{_PACMAN}/{name}/files") for name in os.listdir(_PACMAN)]


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
