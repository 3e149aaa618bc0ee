# SPDX-License-Identifier: MIT
"""Prints the table of what install-plan really installs in bare Debians, one row a cell.

    PYTHONPATH=tests/systems python tests/install/debian_table.py [RELEASE…]      11 12 13 sid

Needs root, debootstrap and Debian's archive; takes a quarter of an hour, and 4 GB in the folder
that CLPROBE_DEBIAN_ROOTS names (else in a temporary one, which is removed). Cells with the same
steps on the same release share one installation; what is looked at is the GPU of each.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from debian_cells import Cell, cell_of, cells, run
from debian_roots import CACHE, SUITES, DebianRoots, UnavailableError, needs
from opencl_looks import Outcome

from clprobe.knowledge.tables import Tables

# Routes that are not the first, but lead somewhere else.
MORE = (
    ("13", "Gen8", "compute-runtime-legacy1"), ("13", "Gen11", "compute-runtime-legacy1"),
    ("12", "Gen9.5", "rusticl"), ("sid", "Gen9.5", "rusticl"), ("11", "Gen7.5", "intel-cpu"),
    ("12", "Gen7.5", "intel-cpu"), ("13", "Gen7.5", "intel-cpu"), ("sid", "Gen7.5", "intel-cpu"),
)  # fmt: skip


def main(releases: list[str]) -> int:
    """Run all cells; return 1 if one failed."""
    lacking = needs()
    if lacking is not None:
        sys.exit(lacking)
    tables, failed = Tables.load(), 0
    with tempfile.TemporaryDirectory() as temporary:
        roots = DebianRoots(Path(os.environ.get(CACHE, f"{temporary}/roots")))
        asked = cells(tables, releases)
        asked += [cell_of(*one, tables) for one in MORE if one[0] in releases]
        _say("| Debian | generations | for | route | run | holds | what was seen, or why not |")
        _say("|---|---|---|---|---|---|---|")
        for row in rows(asked, roots, Path(temporary)):
            failed += "| NO |" in row
            _say(row)
    return 1 if failed else 0


def rows(asked: list[Cell], roots: DebianRoots, folder: Path) -> Iterator[str]:
    """Yield a row for each cell, those with the same installation together."""
    alike: dict[tuple[object, ...], list[Cell]] = {}
    for cell in asked:
        alike.setdefault(cell.install, []).append(cell)
    for number, group in enumerate(alike.values(), 1):
        started = time.monotonic()
        outcomes = _outcomes(group, roots, folder)
        seconds = time.monotonic() - started
        same: dict[tuple[str, ...], list[str]] = {}
        for cell, outcome in zip(group, outcomes, strict=True):
            same.setdefault(_told(cell, outcome), []).append(cell.generation)
        for told, generations in same.items():
            run_number = "-" if group[0].route is None else f"{number}, {seconds:.0f} s"
            row = (group[0].release, ", ".join(generations), *told[:2], run_number, *told[2:])
            yield f"| {' | '.join(row)} |"


def _told(cell: Cell, outcome: Outcome) -> tuple[str, ...]:
    place = "GPU" if cell.on_gpu else "CPU"
    if cell.route is None:
        return (place, "none", "-", cell.why_none)
    told = "; ".join(outcome.problems or outcome.seen).replace("\n", " ")
    return (place, cell.route.backend, "NO" if outcome.problems else "yes", told)


def _outcomes(group: list[Cell], roots: DebianRoots, folder: Path) -> list[Outcome]:
    if group[0].route is None:
        return [Outcome() for _ in group]
    with tempfile.TemporaryDirectory(dir=folder) as memory:
        try:
            return run(group, roots, Path(memory))
        except (UnavailableError, AssertionError, subprocess.TimeoutExpired) as error:
            return [Outcome(problems=[f"could not be tried: {error}"]) for _ in group]


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(SUITES)))
