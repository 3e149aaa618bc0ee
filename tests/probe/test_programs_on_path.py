# SPDX-License-Identifier: MIT
"""Looking at a host runs none of the programs that PATH offers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# What others call to learn what clprobe learns, and what Python's own modules may call.
_NAMES = (
    *("dmesg", "lspci", "lsb_release", "uname", "clinfo", "dpkg", "dpkg-query", "rpm", "pacman"),
    *("ldd", "ldconfig", "ld", "cc", "gcc", "objdump", "readelf", "modinfo", "modprobe", "sh"),
    *("systemctl", "systemd-detect-virt", "loginctl", "id", "getent", "getfacl", "which", "file"),
    *("nvidia-smi", "udevadm", "journalctl", "mount", "python3"),
)


@pytest.mark.parametrize(
    "command", ["doctor --no-kernel --exit-zero", "snapshot --no-kernel", "install-plan", "cache"]
)
def test_no_program_on_path_is_run(command: str, tmp_path: Path) -> None:
    folder, ran, vendors = tmp_path / "bin", tmp_path / "ran", tmp_path / "vendors"
    for made in (folder, vendors):
        made.mkdir()
    for name in _NAMES:
        (folder / name).write_text(f"#!/bin/sh\necho {name} >> '{ran}'\n")
        (folder / name).chmod(0o755)
    surroundings = {**os.environ, "PATH": str(folder), "OCL_ICD_VENDORS": f"{vendors}/"}

    done = subprocess.run(
        [sys.executable, "-m", "clprobe", *command.split()],
        env=surroundings,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    assert not ran.exists(), ran.read_text()
    subprocess.run(["uname"], env=surroundings, timeout=60, check=True)
    assert ran.read_text() == "uname\n"  # as it would read, had one been run
