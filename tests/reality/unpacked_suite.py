# SPDX-License-Identifier: MIT
"""Packages of another Debian suite, unpacked and run without being installed."""

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from debian_archive import Archive, SuiteUnreachableError

_LIBRARIES = "usr/lib/x86_64-linux-gnu"
_LINKER = "lib64/ld-linux-x86-64.so.2"
_C_LIBRARY = ("libc6", "libgcc-s1", "libstdc++6")
_SECONDS = 120


class UnpackedSuite:
    """Some packages of a suite under `root`, without what they depend on."""

    def __init__(
        self, archive: Archive, name: str, packages: Sequence[str], own_c_library: bool = True
    ) -> None:
        """Fetch and unpack them; with the suite's C library if it may be newer than this machine's.

        Raises: SuiteUnreachableError with apt's own words.
        """
        self.root = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=archive.folder))
        self._linker = self.root / "usr" / _LINKER if own_c_library else Path("/", _LINKER)
        wanted = (*packages, *_C_LIBRARY) if own_c_library else tuple(packages)
        suite = archive.suite(name, frozenset(wanted))
        lacking = set(wanted) - suite.packages.keys()
        if lacking:
            raise SuiteUnreachableError(f"{name} lacks {', '.join(sorted(lacking))}")
        self.versions = {package: suite.packages[package].version for package in wanted}
        files = archive.fetch(suite, wanted)
        if len(files) < len(wanted):
            missing = ", ".join(sorted(set(wanted) - files.keys()))
            raise SuiteUnreachableError(f"{name} lists these, but holds them no more: {missing}")
        for deb in files.values():
            subprocess.run(["dpkg-deb", "-x", deb, self.root], timeout=_SECONDS, check=True)

    def remove(self) -> None:
        """Remove what was unpacked."""
        shutil.rmtree(self.root, ignore_errors=True)

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
        folders = f"{self.root / _LIBRARIES}:/{_LIBRARIES}"
        return (
            str(self._linker), "--argv0", str(program), "--library-path", folders,
            str(program.resolve()),
        )  # fmt: skip
