# SPDX-License-Identifier: MIT
"""Trains known nets at their own size on each OpenCL implementation that is there: a program.

    python whole_nets.py [--on pocl intel-cpu rusticl nvidia] [--nets resnet18 …] [--small]

Five steps of each net as bench takes them, and through torch.compile with nothing falling back, are
held against eager torch. A row has how far the loss, all gradients together and the worst one of a
parameter are off at the step that comes nearest to a bound. A bound is twice the most that torch is
off from itself once its weights are moved by a millionth. Then come what fell back and how much of
a step that took, and what was bookkeeping. On rusticl only the nets over words are trained unless
others are named, for llvmpipe takes its time.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "icds"))

from implementations import (  # noqa: E402 - the folder has to be on the path
    INTEL_CPU,
    NVIDIA,
    ONLY_RUSTICL,
    POCL,
    RUSTICL,
    only,
    wheels_pocl,
)

PROGRAM = ROOT / "tests" / "aten" / "every_net.py"
TIME_LIMIT_S = 3600
_LIBRARIES = {
    "pocl": ("Portable", POCL),
    "wheels-pocl": ("Portable", wheels_pocl()),
    "intel-cpu": ("Intel", INTEL_CPU),
    "rusticl": ("rusticl", RUSTICL),
    "nvidia": ("NVIDIA", NVIDIA),
}
"""Part of the platform's name, and what is there if it is installed."""
_COLUMNS = "{:16} {:12} {:8} {:>4} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6}  {}"
_SLOW = ("gpt", "lstm")

Row = dict[str, Any]


def main() -> int:
    """Print the table; 1 if a net disagrees."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--on", nargs="+", choices=[*_LIBRARIES], default=[*_LIBRARIES])
    parser.add_argument("--nets", nargs="+", default=[])
    parser.add_argument("--small", action="store_true", help="as the tests train them")
    given = parser.parse_args()
    heads = (
        "net",
        "on",
        "way",
        "step",
        "loss",
        "bound",
        "gradient",
        "bound",
        "worst",
        "bound",
        "s",
        "on the CPU",
    )
    say(_COLUMNS.format(*heads))
    agree = True
    for name in given.on:
        platform, library = _LIBRARIES[name]
        if library is None or not library.exists():
            say(f"{name} is not installed")
            continue
        nets = given.nets or (_SLOW if name == "rusticl" else ())
        with tempfile.TemporaryDirectory() as folder:
            environment = ONLY_RUSTICL if name == "rusticl" else only(library, Path(folder))
            for row in rows(platform, environment, nets, is_full=not given.small):
                agree &= row["agrees"]
                say(shown(name, row))
    return int(not agree)


def rows(
    platform: str, environment: dict[str, str], nets: tuple[str, ...], *, is_full: bool
) -> Iterator[Row]:
    """Yield what a child process says of each net, and of itself if it fails."""
    options = [*(["--full"] if is_full else []), *(["--nets", *nets] if nets else [])]
    child = subprocess.Popen(
        ["timeout", str(TIME_LIMIT_S), sys.executable, PROGRAM, platform, *options],
        env=os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT}/tests/icds"} | environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    for line in child.stdout:
        if line.startswith("{"):
            yield json.loads(line)
    if child.wait() not in {0, 1}:
        yield {"net": "-", "way": "-", "agrees": False, "error": f"status {child.returncode}"}


def shown(name: str, row: Row) -> str:
    """Return a row of the table."""
    if "error" in row:
        return f"{row['net']:16} {name:12} {row['way']:8} {row['error'].strip()}"
    kinds = ("loss", "gradient", "worst")
    errors = [row[each] for kind in kinds for each in (kind, f"{kind}_bound")]
    named = ", ".join(f"{each} ({count})" for each, count in row.get("fallen_back", {}).items())
    kept = sum(row.get("bookkeeping", {}).values())
    on_cpu = [
        *([f"{row['share']:.0%} of a step: {named}"] if named else []),
        *([f"{kept} of {kept + row['on_device']} operations are bookkeeping"] if kept else []),
        *([] if row["agrees"] else ["DISAGREES"]),
    ]
    figures = (*(f"{each:.1e}" for each in errors), f"{row['seconds']:.1f}")
    where = (row["net"], name, row["way"], row["step"])
    return _COLUMNS.format(*where, *figures, "; ".join(on_cpu) or "nothing")


def say(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
