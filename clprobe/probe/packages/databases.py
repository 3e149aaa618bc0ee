# SPDX-License-Identifier: MIT
"""Installed packages and the owners of files: the distribution's manager, and pip beside it."""

import functools
import os
import re
from pathlib import Path

from clprobe.probe.host import PackageRecord
from clprobe.probe.packages.managers import Manager, Wanted

# Where no distribution's package keeps files: nothing is searched for paths under these.
_UNOWNED = ("/home/", "/root/", "/tmp/", "/usr/local/", "/mnt/", "/media/", "/srv/", "/run/",  # noqa: S108 - a prefix
            "/nix/", "/gnu/", "/dev/")  # fmt: skip
_ANY_CASE = "(?i)"
_BRINGS_OPENCL = re.compile(r"(?i)opencl|ocl|intel_|level_zero")


class PackageDatabases:
    """The package managers of this host, pip of this Python included."""

    def __init__(self, managers: tuple[Manager, ...], pip: "PipFiles") -> None:
        self._managers = managers
        self._pip = pip
        self._likely: set[str] = set()
        self._found: dict[str, tuple[PackageRecord, ...]] = {}

    def find(self, pattern: str) -> tuple[PackageRecord, ...]:
        """Return the installed packages whose name the pattern finds, sorted by name."""
        if pattern not in self._found:
            wanted = _wanted(pattern)
            found = [record for manager in self._managers for record in manager.find(wanted)]
            found.sort(key=lambda record: (record.name, record.architecture))
            self._found[pattern] = tuple(found)
            self._likely = {record.name for record in found}
        return self._found[pattern]

    def owners(self, paths: tuple[str, ...]) -> dict[str, str | None]:
        """Return the package that owns each path; packages found before are looked at first."""
        owners: dict[str, str | None] = {path: self._pip.owner(path) for path in paths}
        system = tuple(
            path
            for path in paths
            if not path.startswith(_UNOWNED) and not self._pip.is_inside(path)
        )
        for manager in self._managers if system else ():
            owners |= manager.owners(system, self._likely)
        return owners


def _wanted(pattern: str) -> Wanted:
    """Return what finds something in each name that is wanted.

    To search small letters takes a fifth of the time that a search without regard to case takes.
    """
    small = pattern.removeprefix(_ANY_CASE)
    if small == pattern or small != small.lower():
        return re.compile(pattern).search
    form = re.compile(small)
    return lambda name: form.search(name.lower())


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
            (folder, info.name.partition("-")[0].replace("_", "-").lower(), text)
            for folder in self._folders
            for info in Path(folder).glob("*.dist-info")
            if _BRINGS_OPENCL.search(info.name)
            if (text := _record(info / "RECORD")) is not None
        ]


def _record(path: Path) -> str | None:
    try:
        return "\n" + path.read_text("utf-8", "replace")
    except OSError:
        return None
