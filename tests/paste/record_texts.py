# SPDX-License-Identifier: MIT
"""Records what commands print here into texts/, and renews what each text is expected to tell.

`python tests/paste/record_texts.py` records; with --expect it only renews the .json files, whose
differences are then to be looked at.
"""

import subprocess
import sys

import msgspec
from pastes import TEXTS, read

from clprobe.model.codec import snapshot_to_json

DRIVER = "/usr/lib/x86_64-linux-gnu/libMesaOpenCL.so.1"
NODES = (
    "mkdir -p /dev/dri; mount -t tmpfs none /dev/dri; mknod -m 660 /dev/dri/card0 c 226 0; "
    "mknod -m 660 /dev/dri/renderD128 c 226 128; chgrp video /dev/dri/card0; "
    "chgrp 7777 /dev/dri/renderD128; setfacl -m u:2000:rw /dev/dri/card0; "
)
LOOKS = (
    "ls -l /dev/dri",
    "ls -ln /dev/dri",
    "getfacl -n /dev/dri/card0",
    "stat /dev/dri/renderD128",
)
COMMANDS: dict[str, tuple[str, ...]] = {
    "lspci": ("lspci -nnk",),
    "lspci-parts": ("lspci -vmmk",),
    "os": ("cat /etc/os-release", "lsb_release -a"),
    "users": ("id", "id nobody", "groups nobody", "getent group video"),
    "packages": ("dpkg -l | grep -iE 'opencl|igc|gmm|mesa'", "apt-cache policy pocl-opencl-icd"),
    "apt-list": ("apt list --installed 2>/dev/null | grep -iE 'opencl|clinfo'",),
    "apt-fails": ("apt-get install -s no-such-opencl-icd",),
    "icds": (
        "ls -l /etc/OpenCL/vendors", "cat /etc/OpenCL/vendors/*.icd",
        "grep . /etc/OpenCL/vendors/*", "ldconfig -p | grep -i opencl",
    ),
    "linking": (f"ldd {DRIVER}", f"readelf -d {DRIVER}"),
    "strace": ("strace -f -e trace=openat,read clinfo -l 2>&1 | grep -E 'OpenCL|dri|ig|icd'",),
    "ld-debug": ("LD_DEBUG=libs clinfo -l 2>&1 | grep -E 'init:|error|find library'",),
    "hashcat": ("hashcat -I",),
    "no-gpu": ("ls -l /dev/dri", "vainfo", "vulkaninfo --summary", "rocminfo", "glxinfo -B"),
    "crash": ("(kill -SEGV $BASHPID); true",),
}  # fmt: skip


def main() -> None:
    """Record all commands unless only the expectations are wanted."""
    if "--expect" not in sys.argv:
        for name, commands in COMMANDS.items():
            (TEXTS / f"{name}.txt").write_text("".join(map(_output, commands)), "utf-8")
        nodes = "; ".join(f"echo '$ {look}'; {look} 2>&1" for look in LOOKS)
        output = _run(["unshare", "-m", "bash", "-c", NODES + nodes])
        (TEXTS / "nodes.txt").write_text(output, "utf-8")
    for path in sorted(TEXTS.glob("*.txt")):
        found = msgspec.structs.replace(read(path.read_text("utf-8")), told=())
        expected = snapshot_to_json(found)
        path.with_suffix(".json").write_text(expected, "utf-8")


def _output(command: str) -> str:
    return f"$ {command}\n{_run(['bash', '-c', command])}"


def _run(argv: list[str]) -> str:
    run = subprocess.run(
        argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False
    )
    return run.stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    main()
