# SPDX-License-Identifier: MIT
"""What being watched costs a program: python tests/benchmarks/watching_times.py [-- PROGRAM ARG…].

The program runs in turns alone and watched, after one round that is not counted; medians of its own
time from start to end, with quartiles. Without a program: one that is over at once, one that
sleeps, and one that starts two hundred others.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from clprobe.watch.watching import watch_run

ROUNDS = 15
PROGRAMS = (
    ("true",),
    ("sleep", "0.5"),
    ("sh", "-c", "for i in $(seq 200); do head -c 1 /etc/passwd > /dev/null; done"),
)


def main() -> None:
    """Print a line for each program."""
    given = tuple(sys.argv[2:]) if sys.argv[1:2] == ["--"] else ()
    with Path(os.devnull).open("wb") as nowhere:
        for argv in (given,) if given else PROGRAMS:
            alone: list[float] = []
            watched: list[float] = []
            for _ in range(ROUNDS + 1):
                began = time.monotonic()
                subprocess.run(argv, check=False, stdout=nowhere, stderr=nowhere)
                alone.append(1000 * (time.monotonic() - began))
                program = watch_run(argv, {}, output=nowhere.fileno()).program
                assert isinstance(program.elapsed_ms, int)
                watched.append(float(program.elapsed_ms))
            one, two = (_words(times[1:]) for times in (alone, watched))
            print(f"{' '.join(argv)[:60]}: alone {one}, watched {two}")  # noqa: T201 - a benchmark


def _words(times: list[float]) -> str:
    low, middle, high = statistics.quantiles(times, n=4)
    return f"{middle:.1f} ms ({low:.1f} to {high:.1f})"


if __name__ == "__main__":
    main()
