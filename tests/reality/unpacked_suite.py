# SPDX-License-Identifier: MIT
"""Packages of another Debian suite, unpacked and run with that suite's own C library."""

import subprocess
from pathlib import Path

from debian_archive import Archive, SuiteUnreachableError

_LIBRARIES = "usr/lib/x86_64-linux-gnu"
_C_LIBRARY = ("libc6", "libgcc-s1", "libstdc++6")
_SECONDS = 120


class UnpackedSuite(Archive):
    """Some packages of a suite under `root`, without what they depend on but the C library."""

    def __init__(self, folder: Path, name: str, packages: tuple[str, ...]) -> None:
        """Fetch and unpack them.

        Raises: SuiteUnreachableError with apt's own words.
        """
        super().__init__(folder)
        self.root = folder / "root"
        wanted = (*packages, *_C_LIBRARY)
        listed = self.suite(name, frozenset(wanted)).packages
        self.versions = {
            package: listed[package].version for package in wanted if package in listed
        }
        if len(self.versions) < len(wanted):
            raise SuiteUnreachableError(f"{name} lacks {set(wanted) - set(self.versions)}")
        debs = folder / name / "unpacked"
        debs.mkdir()
        done = self._apt(name, "download", *wanted, cwd=debs)
        if len(list(debs.glob("*.deb"))) < len(wanted):
            raise SuiteUnreachableError(f"{name}: {done.stderr.strip()[-300:]}")
        for deb in debs.glob("*.deb"):
            subprocess.run(["dpkg-deb", "-x", deb, self.root], timeout=_SECONDS, check=True)

    def file(self, pattern: str) -> Path:
        """Return the one file that fits the pattern.

        Raises: SuiteUnreachableError if there are none or several.
        """
        found = sorted(path for path in self.root.glob(pattern) if path.is_file())
        if len(found) != 1:
            raise SuiteUnreachableError(f"{pattern} fits {len(found)} files of the packages")
        return found[0]

    def command(self, program: Path) -> tuple[str, ...]:
        """Return how to start a program, of the suite or of this machine, with its libraries."""
        linker = self.file("usr/lib64/ld-linux-x86-64.so.2")
        folders = f"{self.root / _LIBRARIES}:/{_LIBRARIES}"
        return (
            str(linker), "--argv0", str(program), "--library-path", folders,
            str(program.resolve()),
        )  # fmt: skip
