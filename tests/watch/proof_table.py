# SPDX-License-Identifier: MIT
"""Prints what clprobe counts of each program of proof.yaml, beside what others count.

    PYTHONPATH=tests/systems:tests/icds python tests/watch/proof_table.py [PROGRAM…] [--rounds N]

A row is a program with one use: a device that says it is a GPU, the CPU, no OpenCL. It is right
where clprobe names the same devices, types and numbers of kernels as the layer and PoCL's trace,
and says so in words. What is not installed is left out and named at the end. With --rounds each
runs so often alone and watched in turns, without the other counts: what being watched costs, by
medians of wall time, by the least of it, and by medians of processors' time of the program, which
other load disturbs less.

Figures of 2026-11-27: 42 of 42 rows right, of fourteen programs.

Run it as root, and programs run as nobody, or as CLPROBE_ORDINARY_USER; else as you.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from proof import Desk, LackingError
from proof_cases import Answer, Case, cases

HEAD = (
    *("program", "use", "clprobe", "layer", "PoCL", "right"),
    *("alone", "wall", "least", "processor"),
)
_TIMES = """
import json, os, resource, subprocess, sys, time
from clprobe.watch.watching import watch_run
argv, rounds, times = sys.argv[2:], int(sys.argv[1]), []
def used_s():
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return now.ru_utime + now.ru_stime
with open(os.devnull, "wb") as nowhere:
    for turn in range(rounds + 1):
        began, used = time.monotonic(), used_s()
        subprocess.run(argv, check=False, stdout=nowhere, stderr=nowhere)
        alone, alone_used = time.monotonic() - began, used_s() - used
        used = used_s()
        watched = watch_run(argv, {}, output=nowhere.fileno()).program.elapsed_ms / 1000
        times.append((alone, watched, alone_used, used_s() - used))
print(json.dumps(times[1:]))
"""


def main() -> int:
    """Print a row for each program and use; return 1 if one is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--rounds", type=int, default=0)
    asked = parser.parse_args()
    right = wrong = 0
    lacking = {}
    _say(HEAD)
    _say(("---",) * len(HEAD))
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(Path(folder))
        for case in cases():
            if asked.programs and case.told["program"] not in asked.programs:
                continue
            try:
                answer = desk.answer(case)
            except LackingError as error:
                lacking[case.told["program"]] = str(error)
                continue
            mistakes = answer.mistakes(case)
            right, wrong = right + (not mistakes), wrong + bool(mistakes)
            costs = _costs(desk, case, asked.rounds) if asked.rounds else ("", "", "", "")
            _say((*_counts(case, answer), "; ".join(mistakes) or "yes", *costs))
    for program, what in lacking.items():
        sys.stdout.write(f"left out: {program}, for it needs {what}\n")
    sys.stdout.write(f"{right} of {right + wrong} right\n")
    return 1 if wrong else 0


def _counts(case: Case, answer: Answer) -> Iterator[str]:
    yield case.told["program"]
    yield case.use + (f" ({case.own['refused']})" if "refused" in case.own else "")
    for found in (answer.counted, answer.beside):
        yield ", ".join(f"{count} on {kind} {name}" for (kind, name), count in found.items()) or "0"
    yield "" if answer.traced is None else str(answer.traced)


def _costs(desk: Desk, case: Case, rounds: int) -> tuple[str, str, str, str]:
    """Return what a run takes alone, and what watching adds to its wall and processor time."""
    argv = [desk.python, "-c", _TIMES, str(rounds), *desk.command(case)]
    done = desk.run(argv, case)
    if done.returncode:
        return ("?", done.stderr.strip().rpartition("\n")[2], "?", "?")
    alone, watched, used, used_watched = zip(*json.loads(done.stdout), strict=True)
    return (
        f"{median(alone):.2f} s",
        _more(median(alone), median(watched)),
        _more(min(alone), min(watched)),
        _more(median(used), median(used_watched)),
    )


def _more(before_s: float, after_s: float) -> str:
    return f"{1000 * (after_s - before_s):+.0f} ms, {after_s / before_s - 1:+.1%}"


def _say(cells: tuple[str, ...]) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
