# SPDX-License-Identifier: MIT
"""Runs shell commands as root of a copy of this system, which is thrown away afterwards."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import distro
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
# Everything is written to memory, on top of this system's files; the mounts end with the process.
_IN_A_COPY = """\
set -eu
mount --make-rprivate /
mount -t tmpfs tmpfs "$1"
mkdir "$1/changed" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/changed,workdir=$1/work" "$1/root"
for folder in proc sys dev; do mount --rbind "/$folder" "$1/root/$folder"; done
exec chroot "$1/root" sh -eu -c "$2"
"""
_UNPREPARED = 75
# packages: the package list as dpkg and apt know it, to be compared.
PRELUDE = f"""\
export LC_ALL=C.UTF-8
clprobe() {{ "{sys.executable}" -m clprobe "$@"; }}
packages() {{
    dpkg-query --show --showformat='${{binary:Package}} ${{Version}} ${{db:Status-Abbrev}}\\n'
    apt-mark showauto; apt-mark showmanual; apt-mark showhold
}}
apply() {{ clprobe install-plan --apply --yes --backend pocl "$@"; }}
undo() {{ clprobe install-plan --undo --yes "$@"; }}
"""
PREPARE = f"""\
{{
    apt-get update && apt-get purge --yes pocl-opencl-icd libpocl2 libpocl2-common && apt-get clean
}} >&2 || exit {_UNPREPARED}
packages > /before
"""


class SystemCopy:
    """Copies of this system, made afresh for each call of `run`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def run(self, commands: str, *, seconds: float = 300, prepare: bool = True) -> str:
        """Return what the commands print on stdout; they must end well.

        PoCL is not installed in the copy, and /before holds its package list.
        """
        done = self.attempt(commands, seconds=seconds, prepare=prepare)
        assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout

    def attempt(
        self, commands: str, *, seconds: float = 300, prepare: bool = True
    ) -> "subprocess.CompletedProcess[str]":
        """Run the commands and return what came of it."""
        text = PRELUDE + (PREPARE if prepare else "") + commands
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", _IN_A_COPY, "sh", str(self._folder), text],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
            cwd="/",
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        )
        if done.returncode == _UNPREPARED:
            pytest.skip("apt cannot reach its archive")
        return done


def made_in(folder: Path) -> SystemCopy:
    """Return copies that are mounted in `folder`; the test is skipped where there can be none."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to install packages in a copy of this system")
    if (distro.id(), distro.major_version()) != ("debian", "12"):
        pytest.skip("is about Debian 12")
    if shutil.which("unshare") is None:
        pytest.skip("needs unshare")
    copy = SystemCopy(folder)
    tried = copy.attempt("true", prepare=False, seconds=30)
    if tried.returncode != 0:
        pytest.skip(f"no overlay here: {tried.stderr.strip()[-200:]}")
    return copy
