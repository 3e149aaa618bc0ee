# SPDX-License-Identifier: MIT
"""A run of these checks ends with how many facts it compared."""

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SECONDS = 120


def told_by(check: str, *options: str) -> list[str]:
    """Return the line of counts that a run of one file ends with, if there is one."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, HERE / check],
        cwd=HERE.parent.parent, capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    return [line for line in done.stdout.splitlines() if "facts compared with reality" in line]


def test_a_run_tells_the_facts_that_it_compared_and_the_zeros() -> None:
    (line,) = told_by("test_distribution_tables.py")
    counts = {subject: int(number) for number, subject in re.findall(r"(\d+) ([\w ]+)", line)}
    assert counts["Debian"] == counts["NEO"] == counts["ocloc"] == counts["Beignet"] == 0
    assert counts["distribution answers"] >= 500


def test_a_run_that_compares_nothing_says_zero() -> None:
    (line,) = told_by("test_distribution_tables.py", "-k", "promised")
    assert line.endswith(" 0 distribution answers")
