# SPDX-License-Identifier: MIT
"""Prints what comes of pasting each route's lines in bare Debians, one row for each.

    PYTHONPATH=tests/systems python tests/install/pasting_table.py [RELEASE|GOAL…]

Needs root, debootstrap and Debian's archive; see debian_table.py about the folder of systems.
Routes that print the same lines on a release are pasted once. A row ends with one of:

    passes          every line ends with 0, and the check shows the platform or the loaded driver;
                    what computes on the CPU builds and runs a kernel, too
    FAILS           a line or the check does not, or no kernel is built
    needs the GPU   every line ends with 0; the check runs, and ends with 1 for lack of a GPU
    needs another CPU  the same, and the plan said so, for it did not know this processor
    out of reach    the lines before one that needs a host or a program which is not to be had here
    no lines        a person builds it; nothing is printed to paste

Figures of 2026-11-24, texts for the goal opencl on the first run: Debian 11 4 pass, 2 fail, 5 out
of reach; 12 8, 4, 6; 13 9, 2, 6. Of the 8 that failed, 7 took a suite or a component that was not
switched on; one is an archive that lacks a file of its own list (Mesa of Debian 11).
"""

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from debian_roots import CACHE, SUITES, DebianRoots, needs
from pasting import GOALS, Desk, Group, Outcome, groups, processor

from clprobe.knowledge.tables import Tables


def main(releases: list[str], goals: list[str]) -> int:
    """Paste everything; return 1 if something failed."""
    lacking = needs()
    if lacking is not None:
        sys.exit(lacking)
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        roots = DebianRoots(Path(os.environ.get(CACHE, f"{temporary}/roots")))
        core = processor(Tables.load())
        _say(f"On a processor that is {core.name if core is not None else 'in no table'}:\n")
        _say("| Debian | for | route | lines | result | seconds | what was seen, or why |")
        _say("|---|---|---|---|---|---|---|")
        sums = []
        for release in releases:
            texts: Counter[str] = Counter()
            routes: Counter[str] = Counter()
            for group, outcome, seconds in _outcomes(release, goals, roots, Path(temporary)):
                texts[outcome.result] += 1
                routes[outcome.result] += len(group.cells)
                _say(_row(group, outcome, seconds))
            failed += texts["FAILS"]
            sums.append(f"Debian {release}: {_sum(texts)} of texts; {_sum(routes)} of routes")
        for line in sums:
            _say(line)
    return 1 if failed else 0


def _outcomes(
    release: str, goals: list[str], roots: DebianRoots, folder: Path
) -> Iterator[tuple[Group, Outcome, float]]:
    """Yield what came of each group of a release, and the seconds it took."""
    left = groups(Tables.load(), [release], goals=goals)
    while left:
        with (
            tempfile.TemporaryDirectory(dir=folder) as memory,
            Desk(release, roots, Path(memory)) as desk,
        ):
            while left:
                group, started, broken = left.pop(0), time.monotonic(), False
                try:
                    outcome = desk.paste(group)
                except (AssertionError, subprocess.TimeoutExpired) as error:
                    outcome, broken = Outcome("FAILS", f"could not be tried: {error}"), True
                yield group, outcome, time.monotonic() - started
                if broken:
                    break  # for the next one in a new copy


def _row(group: Group, outcome: Outcome, seconds: float) -> str:
    names = dict.fromkeys(f"{cell.gpu} {cell.goal} {cell.route.rank}" for cell in group.cells)
    route = group.cells[0].route
    name = " on ".join(filter(None, (route.stack, route.backend)))
    way = f"{name} ({route.how})"
    count = f"{outcome.lines_done} of {len(group.printed.lines)}"
    why = outcome.why.replace("\n", " ").replace("|", "/")
    release = group.printed.release
    row = (release, ", ".join(names), way, count, outcome.result, f"{seconds:.0f}", why)
    return f"| {' | '.join(row)} |"


def _sum(results: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(results.items()))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    words = sys.argv[1:]
    asked = [[one for one in known if one in words] or list(known) for known in (SUITES, GOALS)]
    sys.exit(main(*asked))
