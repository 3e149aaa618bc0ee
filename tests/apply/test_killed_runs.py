# SPDX-License-Identifier: MIT
"""kill -9 and Ctrl-C at many points of a run: the next one goes on, or takes it back."""

import json
import sys

import pytest

pytestmark = [pytest.mark.root, pytest.mark.slow]

_KILLER = """\
import os, signal, subprocess, sys, time
from clprobe.apply.process_tree import Tree
how, delays = sys.argv[1], [float(word) for word in sys.argv[2:]]
command = [sys.executable, "-m", "clprobe", "install-plan", "--apply", "--yes", "--backend", "pocl"]
ended = []
for delay in delays:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=sys.stderr)
    time.sleep(delay)
    if how == "interrupt":
        process.send_signal(signal.SIGINT)
    elif how == "tree":
        Tree(process.pid).signal(signal.SIGKILL)
    else:
        process.kill()
    ended.append(process.wait(120))
print(*ended)
"""
# A whole run takes three seconds here and longer on a busy machine; the kills fall everywhere.
_DELAYS = {
    "alone": "1.2 2.0 2.4 2.8 3.2 3.6 4.0",
    "tree": "1.2 2.0 2.4 2.8 3.2 3.6 4.0",
    "interrupt": "1.5 2.5 3.5",
}


@pytest.mark.parametrize("how", ["alone", "tree", "interrupt"])
def test_a_run_that_was_cut_off_goes_on_and_can_be_taken_back(copy, how):
    answer = copy.run(
        f"cat > /killer.py <<'END'\n{_KILLER}END\n"
        f"{sys.executable} /killer.py {how} {_DELAYS[how]}\n"
        "ls /var/lib/clprobe/journals/*.json | wc -l\n"
        "apply --json\n"
        "test -e /etc/OpenCL/vendors/pocl.icd\n"
        "undo >&2; packages > /after; diff /before /after >&2\n",
        seconds=500,
    )
    ended, count, document = answer.split("\n", 2)
    report = json.loads(document)
    assert report["outcome"] == "applied"
    # One journal, which each run went on with; what a killed run added is on record.
    assert count == "1"
    assert {one.split()[0] for one in report["packages"]["added"]} == {
        *("pocl-opencl-icd", "libpocl2", "libpocl2-common"),
    }
    cut_off = "3" if how == "interrupt" else "-9"
    assert set(ended.split()) <= {cut_off, "0"}
    assert cut_off in ended.split()


@pytest.mark.parametrize("how", ["alone", "tree"])
def test_what_a_killed_run_did_is_taken_back_without_going_on(copy, how):
    copy.run(
        f"cat > /killer.py <<'END'\n{_KILLER}END\n"
        f"for delay in 2.4 2.8 3.2 3.6; do {sys.executable} /killer.py {how} $delay; undo >&2\n"
        "packages > /after; diff /before /after >&2; done\n",
        seconds=500,
    )
