# SPDX-License-Identifier: MIT
"""The script that measures the memory of a bench sees all that the bench starts."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "peak_memory.py"
MIB = 64
HOLDS = f"import time; held = bytearray(range(256)) * {MIB << 12}; time.sleep(0.6)"
# Two at once, one of which has lost its parent.
TWO = f'"$0" -c "{HOLDS}" & ("$0" -c "{HOLDS}" &); wait; sleep 0.3'


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="/proc tells no Pss")
def test_what_children_and_their_orphans_hold_is_added_up() -> None:
    command = [sys.executable, SCRIPT, "--limit-gib", "0.01", "--", "sh", "-c", TWO, sys.executable]

    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    found = re.search(r"most memory: (\S+) GiB", done.stderr)
    assert found, done.stderr
    assert 2 * MIB <= float(found[1]) * 1024 < 4 * MIB
    assert done.returncode == 1
