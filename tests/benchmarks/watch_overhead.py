# SPDX-License-Identifier: MIT
"""What counting costs a program: python tests/benchmarks/watch_overhead.py [--rounds N].

The same program runs in turns alone, counted, and counted without times; each figure is the median
of what it took from its first queue to its end, with the quartiles. A busy machine says little: the
spread of the program alone tells how little.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from clprobe.model.unknown import Unknown
from clprobe.watch.counting import ProcessCounts, library, read_counts

SOURCE = Path(__file__).parents[1] / "watch" / "launch.c"
TURNS = int(os.environ.get("TURNS", "100"))
"""Of a kernel's loop: some 20 us on the machine on which this was written."""
PROGRAMS = {
    "many small kernels, each waited for": ("kernels=4000", f"turns={TURNS}", "finish_every=1"),
    "many small kernels, a hundred at a time": (
        "kernels=4000",
        f"turns={TURNS}",
        "finish_every=100",
    ),
    "many tiny kernels": ("kernels=20000", "turns=10", "finish_every=100"),
    "few large kernels": ("kernels=10", "items=16384", "turns=2000", "finish_every=1"),
}
WAYS = {"alone": None, "counted": "1", "without times": "0"}


def main() -> None:
    """Compare the ways for each program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--loader", default="libOpenCL.so.1")
    parser.add_argument("--platform", default="Portable")
    options = parser.parse_args()
    counter = library()
    if isinstance(counter, Unknown):
        sys.exit(counter.unknown)
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "launch")
        command = ["cc", "-O1", "-w", SOURCE, "-o", program, "-ldl", "-pthread"]
        subprocess.run([*map(str, command)], check=True)
        told = (f"library={options.loader}", f"platform={options.platform}")
        for name, arguments in PROGRAMS.items():
            compare(name, [str(program), *told, *arguments], counter, options.rounds)


def compare(name: str, command: list[str], counter: Path, rounds: int) -> None:
    """Run a program in turns and print what each way took."""
    took_s: dict[str, list[float]] = {way: [] for way in WAYS}
    counts: ProcessCounts | Unknown | None = None
    for turn in range(rounds + 1):
        for way, times in WAYS.items():
            # One thread: how threads of PoCL find each other differs from run to run.
            environment = {**os.environ, "POCL_MAX_PTHREAD_COUNT": "1"}
            with tempfile.TemporaryDirectory() as folder:
                if times is not None:
                    environment |= {"LD_AUDIT": str(counter), "CLPROBE_WATCH": folder}
                    environment["CLPROBE_WATCH_TIMES"] = times
                done = subprocess.run(
                    command, env=environment, capture_output=True, text=True, check=True
                )
                found = re.search(r"took (\S+) s", done.stdout)
                assert found, done.stdout
                if turn > 0:  # the first one fills caches
                    took_s[way].append(float(found[1]))
                counts = read_counts(Path(folder))[0] if times == "1" else counts
    assert isinstance(counts, ProcessCounts)
    (device,) = counts.devices
    alone_s = statistics.median(took_s["alone"])
    each_us = alone_s / device.enqueued * 1e6
    say(f"{name}: {device.enqueued} kernels of {each_us:.1f} us on {device.name}")
    say(f"  timed {device.timed}; device time {device.device_ns} ns")
    for way, times in took_s.items():
        first, median, third = statistics.quantiles(times, n=4)
        share = f"{median / alone_s - 1:+.1%}"
        least = f"least {min(times) / min(took_s['alone']) - 1:+.1%}"
        spread = f"{first * 1e3:.1f} to {third * 1e3:.1f}"
        say(f"  {way:14} {median * 1e3:8.1f} ms ({spread})  {share:>7}  {least}")


def say(line: str) -> None:
    """Print a line of the answer."""
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
