# SPDX-License-Identifier: MIT
"""Times the commands that people wait for, and clinfo beside them: run it with python.

    python command_times.py [RUNS] [COMMAND…]

Each run is a process of its own, with what an earlier one left in the caches; the first is not
counted. Wall times say little on a machine with other work, so the time of the processor, with that
of all drivers' processes, is told as well. An editable install has no compiled modules where
PYTHONDONTWRITEBYTECODE is set, so measure an installed copy.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

_CLPROBE = str(Path(sys.executable).with_name("clprobe"))
_COMMANDS = (
    "--help",
    "explain Gen9",
    "explain vm-without-gpu",
    "explain debian-12",
    "rules matrix",
    "doctor",
    "doctor --no-kernel",
    "check --needs cpu-device",
)
_RUNS = 10


def timed(argv: list[str]) -> tuple[float, float]:
    """Return the seconds that one run took, and those of the processor."""
    started = time.perf_counter()
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return time.perf_counter() - started, usage.ru_utime + usage.ru_stime


def main(runs: int, commands: list[list[str]]) -> None:
    """Print a line per command."""
    for argv in commands:
        times = [timed(argv) for _ in range(runs + 1)][1:]
        shown = [
            f"{name} {min(seconds):.3f} (median {statistics.median(seconds):.3f})"
            for name, seconds in zip(("wall", "processor"), zip(*times, strict=True), strict=True)
        ]
        sys.stdout.write(f"{' '.join([Path(argv[0]).name, *argv[1:]]):30} {', '.join(shown)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    wanted = [[_CLPROBE, *text.split()] for text in sys.argv[2:] or _COMMANDS]
    main(int(sys.argv[1]) if len(sys.argv) > 1 else _RUNS, [["clinfo"], *wanted])
