# SPDX-License-Identifier: MIT
"""Asks pip's resolver what it would install for another Python and C library, installing nothing.

Markers such as `python_version < "3.10"` of dependencies are judged by pip for the Python that
runs it, which is no other than this one; wheel tags and Requires-Python for the one asked for.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SECONDS = 150
"""Time for one resolution; the largest, of torch with CUDA, takes 10 s on a usual line."""
_OLDEST_MANYLINUX = 5


class UnreachableError(Exception):
    """There is no network, or no registry in it."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """What pip would install, name to version; or `refused`, in its own words."""

    versions: dict[str, str]
    refused: str | None = None


class Resolver:
    """A pip of its own: only a new one learns dependencies without fetching whole wheels."""

    def __init__(self, folder: Path) -> None:
        """Make it. Raises: UnreachableError"""
        self._folder = folder
        self._pip = str(folder / "pip" / "bin" / "pip")
        made = [sys.executable, "-m", "venv", str(folder / "pip")]
        subprocess.run(made, check=True, timeout=SECONDS, capture_output=True)
        try:
            done = self._run("install", "--quiet", "--upgrade", "pip")
        except subprocess.TimeoutExpired as error:
            raise UnreachableError("pip waits for its registry in vain") from error
        if done.returncode:
            raise UnreachableError(f"pip cannot reach its registry: {done.stderr[-200:]}")

    def resolve(
        self, wanted: Sequence[str], *, python: str, glibc: str, dependencies: bool = True
    ) -> Resolved:
        """Return what pip would install for a release's Python and C library on x86-64."""
        return self._resolve(tuple(wanted), python, glibc, dependencies)

    @cache  # noqa: B019 - one resolver lives as long as the tests
    def _resolve(
        self, wanted: tuple[str, ...], python: str, glibc: str, dependencies: bool
    ) -> Resolved:
        with tempfile.TemporaryDirectory(dir=self._folder) as folder:
            report = Path(folder) / "report.json"
            options = [
                *("--dry-run", "--ignore-installed", "--quiet", "--only-binary", ":all:"),
                *("--use-feature", "fast-deps", "--report", str(report)),
                *("--target", f"{folder}/target", "--python-version", python),
                *(word for tag in _platforms(glibc) for word in ("--platform", tag)),
                *(() if dependencies else ("--no-deps",)),
            ]
            try:
                done = self._run("install", *options, *wanted)
            except subprocess.TimeoutExpired:
                return Resolved({}, f"no answer within {SECONDS} s")
            if done.returncode:
                errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
                return Resolved({}, " ".join(errors) or done.stderr[-400:])
            found = [one["metadata"] for one in json.loads(report.read_text())["install"]]
        return Resolved({one["name"].lower(): one["version"] for one in found})

    def _run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        # The registry alone: a wheel or a limit that only this machine has proves nothing. An empty
        # word would leave the limits of pip's own files.
        alone = {"PIP_EXTRA_INDEX_URL": "", "PIP_FIND_LINKS": "", "PIP_CONSTRAINT": os.devnull}
        environment = {**os.environ, **alone, "PIP_CACHE_DIR": str(self._folder / "cache")}
        return subprocess.run(
            [self._pip, *arguments], env=environment, capture_output=True, text=True,
            timeout=SECONDS, check=False, cwd=self._folder,
        )  # fmt: skip


def _platforms(glibc: str) -> list[str]:
    newest = int(glibc.partition(".")[2])
    old = ("manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64", "linux_x86_64")
    since = [f"manylinux_2_{minor}_x86_64" for minor in range(newest, _OLDEST_MANYLINUX - 1, -1)]
    return [*since, *old]
