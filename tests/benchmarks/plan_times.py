# SPDX-License-Identifier: MIT
"""How long planning takes on a quiet core: `pytest tests/benchmarks/plan_times.py`.

Not in the default run: a busy machine would fail it without a fault of ours.
"""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "install"))
from test_random_targets import TARGETS

from clprobe.install.planner import plan
from clprobe.knowledge.tables import Tables

_LIMIT_S = 0.3
_RUNS = 9


def test_each_of_the_random_targets_is_planned_in_time() -> None:
    tables = Tables.load()
    tables.gpus()  # read once, as a single plan reads only the file that it needs
    took_s = []
    for target, _, goal in TARGETS:
        started = time.perf_counter()
        plan(target, tables, goal)
        took_s.append(time.perf_counter() - started)
    print(f"planning: median {statistics.median(took_s):.3f} s, worst {max(took_s):.3f} s")  # noqa: T201
    assert max(took_s) <= _LIMIT_S


@pytest.mark.parametrize("goal", ["opencl", "pytorch", "inference"])
def test_planning_with_tables_that_nobody_has_read_keeps_its_time(goal: str) -> None:
    took_s = sorted(_fresh_plan_s(goal) for _ in range(_RUNS))
    spread_s = took_s[-1] - took_s[0]
    print(f"{goal}: median {statistics.median(took_s):.3f} s, spread {spread_s:.3f} s")  # noqa: T201
    assert statistics.median(took_s) <= _LIMIT_S


def _fresh_plan_s(goal: str) -> float:
    """Return the seconds that a new process plans for, its imports left out."""
    code = (
        "import json, sys, time\n"
        "from clprobe.knowledge.tables import Tables\n"
        "from clprobe.install.planner import plan\n"
        "from clprobe.install.target import Stated, described\n"
        "started = time.perf_counter()\n"
        "tables = Tables.load()\n"
        "stated = described(Stated(), tables, gpu='8086:5916', os='debian-13')\n"
        "made = plan(stated, tables, sys.argv[1])\n"
        "print(json.dumps([time.perf_counter() - started, len(made.routes)]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, goal],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    seconds, routes = json.loads(done.stdout)
    assert routes
    return float(seconds)
