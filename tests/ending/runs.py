# SPDX-License-Identifier: MIT
"""Runs clprobe among faulty drivers, and finds what it left: folders, and processes of the drivers.

All that a run may leave has the path of its own `scratch` folder in its name, command line,
environment or mapped files, so other runs beside it do no harm.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from faults import POCL, compile_driver

PROGRAM = shutil.which("sleep") or "/bin/sleep"


class Place(NamedTuple):
    """Where one run works: `vendors` holds the `.icd` files, `temporary` is its TMPDIR."""

    scratch: Path
    vendors: Path
    temporary: Path

    def register(self, *faults: str) -> None:
        """Write an `.icd` file for each fault."""
        for fault in faults:
            library = compile_driver(self.scratch, fault)
            (self.vendors / f"{fault}.icd").write_text(f"{library}\n")

    def start(self, *arguments: str, **options: object) -> "subprocess.Popen[str]":
        """Start `python -m clprobe ARGUMENTS`, or the command that `command` gives."""
        return subprocess.Popen(
            options.pop("command", [sys.executable, "-m", "clprobe", *arguments]),
            cwd=self.scratch,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    def environment(self) -> dict[str, str]:
        """Return the environment of a run: only this place's drivers and folders."""
        steering = ("OCL_", "OPENCL_", "POCL_", "RUSTICL_", "CONDA_", "VIRTUAL_ENV")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(steering)}
        return {
            **kept,
            "OCL_ICD_VENDORS": f"{self.vendors}/",
            "TMPDIR": str(self.temporary),
            "FIXTURE_PROGRAM": str(self.scratch / "stranger"),
        }

    def folders(self) -> list[str]:
        """Return the names of what lies in the folder for temporary files."""
        return sorted(path.name for path in self.temporary.iterdir())

    def processes(self) -> list[str]:
        """Return the command lines of the processes that have to do with this place."""
        return [_command(process) for process in _processes() if self._is_of(process)]

    def stop_all(self, clprobe: int) -> list[int]:
        """Stop every process of this place, as a paused container is, and return their ids.

        `clprobe` is one of them: its environment cannot be read while its drivers are at work.
        """
        os.kill(clprobe, signal.SIGSTOP)
        stopped = [clprobe]
        # Twice: one of them may have started another meanwhile.
        for _ in range(2):
            for process in filter(self._is_of, _processes()):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(process.name), signal.SIGSTOP)
                    stopped.append(int(process.name))
        return stopped

    def wait_for(self, what: str, *, seconds: float = 60.0) -> None:
        """Wait until a process of this place has the text in its command line."""
        ends = time.monotonic() + seconds
        while not any(what in command for command in self.processes()):
            assert time.monotonic() < ends, f"no process {what} in {self.processes()}"
            time.sleep(0.01)

    def left(self, *, patience_s: float = 0.0) -> list[str]:
        """Return the processes that are left after at most `patience_s`."""
        ends = time.monotonic() + patience_s
        while (found := self.processes()) and time.monotonic() < ends:
            time.sleep(0.05)
        return found

    def _is_of(self, process: Path) -> bool:
        mark = os.fsencode(self.scratch)
        return any(mark in _content(process / name) for name in ("cmdline", "environ", "maps"))


def place_in(folder: Path, faults: Sequence[str] = ()) -> Place:
    """Return a new place with the faulty drivers, and with PoCL where it is installed."""
    place = Place(folder, folder / "vendors", folder / "temporary")
    place.vendors.mkdir()
    place.temporary.mkdir()
    shutil.copy(PROGRAM, folder / "stranger")
    if POCL.exists():
        shutil.copy(POCL, place.vendors / "pocl.icd")
    place.register(*faults)
    return place


def _processes() -> Iterator[Path]:
    return Path("/proc").glob("[0-9]*")


def _command(process: Path) -> str:
    words = _content(process / "cmdline").replace(b"\0", b" ").decode("utf-8", "replace")
    return words or f"{process.name}, which has ended"


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # the process has ended
        return b""
