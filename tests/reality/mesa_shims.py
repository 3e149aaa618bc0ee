# SPDX-License-Identifier: MIT
"""Mesa of a Debian suite, asked by clinfo while its own test libraries play a GPU.

Debian's mesa-drm-shim stands in for a kernel driver: Mesa's real drivers then list the GPU that a
variable names. Kernels would compute nothing, but what a driver takes and offers is its own answer.
"""

import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from debian_archive import Archive, SuiteUnreachableError

from clprobe.model.opencl import Device
from clprobe.model.unknown import listed
from clprobe.paste.clinfo.reader import clinfo_runs

_ASKED = ("mesa-opencl-icd", "mesa-drm-shim", "clinfo")
_FOR_PYTHON = ("libffi8", "zlib1g", "libexpat1", "libssl3t64")
_PYTHON = "/opt/python"
_OF_NO_USE = shutil.ignore_patterns(
    "test", "tests", "site-packages", "__pycache__", "include", "*.a"
)
_NEEDED = ("click", "msgspec", "rich", "yaml", "pygments", "markdown_it", "mdurl", "packaging")
_CLPROBE = Path(__file__).resolve().parents[2]
_MERGED = ("bin", "sbin", "lib", "lib64")
_SECONDS = 180
"""Time for one answer; it takes a quarter of a second, on a busy machine in sid a minute."""


class ShimmedMesa:
    """Mesa and what it needs, unpacked into a folder that a command can take for its root."""

    def __init__(
        self,
        archive: Archive,
        suite: str,
        packages: Sequence[str] = _ASKED,
        *,
        with_clprobe: bool = False,
    ) -> None:
        """Fetch and unpack them, with clprobe and this Python if they are wanted.

        Raises: SuiteUnreachableError with apt's own words, or if this user may not change the root.
        """
        if os.geteuid() != 0:
            raise SuiteUnreachableError("only root may start a command in another root")
        self.suite = suite
        names = archive.needed(suite, (*packages, *(_FOR_PYTHON if with_clprobe else ())))
        found = archive.suite(suite, frozenset(names))
        self.version = found.packages["mesa-opencl-icd"].version
        self._root = Path(tempfile.mkdtemp(prefix=f"{suite}-mesa-", dir=archive.folder))
        unpack(archive, suite, names, self._root)
        if with_clprobe:
            self._bring_clprobe()

    def _bring_clprobe(self) -> None:
        """Copy clprobe, this Python and the packages in: Debian's msgspec is too old for us."""
        if sys.base_prefix == "/usr":
            raise SuiteUnreachableError("this Python cannot be told from the rest of /usr")
        (self._root / "tmp").mkdir(mode=0o1777, exist_ok=True)
        shutil.copytree(sys.base_prefix, f"{self._root}{_PYTHON}", symlinks=True, ignore=_OF_NO_USE)
        for name in ("clprobe", "rules"):
            shutil.copytree(_CLPROBE / name, self._root / "clprobe" / name)
        for name in _NEEDED:
            (found,) = importlib.import_module(name).__path__
            shutil.copytree(found, self._root / "clprobe" / name)

    def doctor(self, shim: str, variables: dict[str, str]) -> dict[str, Any]:
        """Return what `clprobe doctor --json` says in there, with the shim before all libraries."""
        python = f"{_PYTHON}/bin/python{sys.version_info[0]}.{sys.version_info[1]}"
        command = ("chroot", str(self._root), python, "-m", "clprobe", "doctor", "--json")
        done = subprocess.run(
            command,
            env={
                "PATH": os.environ["PATH"], "HOME": "/", "PYTHONPATH": "/clprobe",
                "LD_LIBRARY_PATH": f"{_PYTHON}/lib",
                "LD_PRELOAD": f"lib{shim}_noop_drm_shim.so", **variables,
            },
            capture_output=True, text=True, timeout=_SECONDS, check=False,
        )  # fmt: skip
        assert done.stdout, done.stderr[-500:]
        report: dict[str, Any] = json.loads(done.stdout)
        return report

    def add_shim(self, library: Path, name: str) -> None:
        """Add a shim that is not Debian's; `name` is what `devices` gets to use it."""
        shutil.copy(library, self._root / "usr/lib" / f"lib{name}_noop_drm_shim.so")

    def devices(self, shim: str, variables: dict[str, str]) -> dict[str, Device]:
        """Return the GPU that each platform lists as one of these variables, by platform."""
        command = (
            "chroot", str(self._root), "/lib64/ld-linux-x86-64.so.2",
            "--preload", f"lib{shim}_noop_drm_shim.so", "/usr/bin/clinfo", "--raw",
        )  # fmt: skip
        done = subprocess.run(
            # Mesa keeps what it compiles once for all chips in its home, in the unpacked root.
            command, env={"PATH": os.environ["PATH"], "HOME": "/", **variables},
            capture_output=True, text=True, timeout=_SECONDS, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-500:]
        (run,) = clinfo_runs(done.stdout.splitlines())
        return {
            str(platform.name): device
            for platform in listed(run.answer.platforms)
            for device in listed(platform.devices)
        }


def unpack(archive: Archive, suite: str, names: Sequence[str], root: Path) -> None:
    """Fetch these packages and unpack them into an empty folder that can then be a root.

    Raises: SuiteUnreachableError with apt's own words.
    """
    for name in _MERGED:
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    (root / "dev").mkdir()
    (root / "dev" / "null").touch()  # what a shim opens in place of a render node
    files = archive.fetch(archive.suite(suite, frozenset(names)), names)
    if len(files) < len(names):
        raise SuiteUnreachableError(f"{suite} lists packages that it holds no more")
    for deb in files.values():
        subprocess.run(["dpkg-deb", "-x", deb, root], timeout=_SECONDS, check=True)
