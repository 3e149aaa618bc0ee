# SPDX-License-Identifier: MIT
"""The most memory that a command takes, all its processes together.

    python tests/benchmarks/peak_memory.py [--limit-gib 1.5] -- clprobe bench --quick

Every 50 ms the proportional set sizes (Pss in proc_pid_smaps(5)) of the command and all that
descends from it are added up, so what two of them share counts once. Exit status 1: more than the
limit was seen; else the command's own.
"""

import argparse
import ctypes
import subprocess
import sys
import threading
import time
from pathlib import Path

INTERVAL_S = 0.05
TIME_LIMIT_S = 600
_LOOK_AGAIN_S = 0.01
_PR_SET_CHILD_SUBREAPER = 36


def peak_bytes(command: list[str]) -> tuple[int, float, int]:
    """Run a command; return the most its processes took, for how many seconds, and its status."""
    # Whoever loses its parent becomes a child of this process, and is still counted.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    me = threading.get_native_id()
    peak, started = 0, time.monotonic()
    with subprocess.Popen(command) as process:
        while process.poll() is None:
            if time.monotonic() - started > TIME_LIMIT_S:
                process.kill()
                break
            began = time.monotonic()
            peak = max(peak, sum(map(_pss_bytes, _descendants(me))))
            time.sleep(max(_LOOK_AGAIN_S, INTERVAL_S - (time.monotonic() - began)))
    return peak, time.monotonic() - started, process.returncode


def _descendants(root: int) -> set[int]:
    found: set[int] = set()
    left = [root]
    while left:
        for children in Path(f"/proc/{left.pop()}/task").glob("*/children"):
            try:
                new = {int(each) for each in children.read_text().split()} - found
            except OSError:  # it has ended
                continue
            found |= new
            left += new
    return found


def _pss_bytes(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:  # it has ended
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def main() -> int:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit-gib", type=float, default=float("inf"))
    parser.add_argument("command", nargs="+")
    given = parser.parse_args()
    peak, took_s, status = peak_bytes(given.command)
    if not peak:
        sys.exit("Nothing was seen: this needs /proc with smaps_rollup and children.")
    gib = peak / (1 << 30)
    print(f"most memory: {gib:.2f} GiB, in {took_s:.1f} s, exit status {status}", file=sys.stderr)  # noqa: T201
    return 1 if gib > given.limit_gib else status


if __name__ == "__main__":
    sys.exit(main())
