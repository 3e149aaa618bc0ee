# SPDX-License-Identifier: MIT
"""kill -9 and Ctrl-C at many points of a run: the next one goes on, or takes it back."""

import json
import sys

import pytest

pytestmark = [pytest.mark.root, pytest.mark.slow]

# Cuts a run off as soon as its log, which holds all that commands print, says something.
_KILLER = """\
import signal, subprocess, sys, time
from pathlib import Path
from clprobe.apply.runner import Tree
how, text = sys.argv[1:]
folder = Path("/var/lib/clprobe/journals")
old = {path: path.stat().st_size for path in folder.glob("*.log")}
command = [sys.executable, "-m", "clprobe", "install-plan", "--apply", "--yes", "--backend", "pocl"]
process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=sys.stderr)
def new():
    return "".join(path.read_text()[old.get(path, 0):] for path in folder.glob("*.log"))
while text not in new() and process.poll() is None:
    time.sleep(0.002)
tree = Tree(process.pid)
if how == "interrupt":
    process.send_signal(signal.SIGINT)
elif how == "tree":
    tree.signal(signal.SIGKILL)
else:
    process.kill()
print(process.wait(120))
"""
# The journal is there and the first command begins; indexes are being read; before anything is
# unpacked; half-unpacked; unpacked but not set up; nearly done.
_MOMENTS = (
    "$ ",
    "Ign:1 ",
    "Need to get",
    "Unpacking libpocl2:",
    "Setting up libpocl2-",
    "Setting up pocl",
)
_ADDED = {"pocl-opencl-icd", "libpocl2", "libpocl2-common"}


# Killed alone, clprobe leaves apt at work; with all its tree, dpkg is cut off as well.
_CUTS = [("tree", moment) for moment in _MOMENTS] + [("alone", _MOMENTS[2]), ("alone", _MOMENTS[4])]


@pytest.mark.parametrize(("how", "moment"), _CUTS)
def test_a_killed_run_goes_on_and_can_then_be_taken_back(copy, how, moment):
    answer = copy.run(
        f"cat > /killer.py <<'END'\n{_KILLER}END\n"
        f"{sys.executable} /killer.py {how} '{moment}'\n"
        "ls /var/lib/clprobe/journals/*.json | wc -l\n"
        "apply --json\n"
        "test -e /etc/OpenCL/vendors/pocl.icd\n"
        "undo >&2; packages > /after; diff /before /after >&2\n",
    )
    ended, count, document = answer.split("\n", 2)
    report = json.loads(document)
    assert (ended, count) == ("-9", "1")
    assert report["outcome"] == "applied"
    # What a killed run added is on record, in the one journal that both wrote.
    assert {one.split()[0] for one in report["packages"]["added"]} == _ADDED


@pytest.mark.parametrize("how", ["alone", "tree"])
def test_what_a_killed_run_did_is_taken_back_without_going_on(copy, how):
    moments = " ".join(f"'{moment}'" for moment in _MOMENTS[1:])
    answer = copy.run(
        f"cat > /killer.py <<'END'\n{_KILLER}END\n"
        f'for moment in {moments}; do {sys.executable} /killer.py {how} "$moment"; undo >&2\n'
        "packages > /after; diff /before /after >&2; done\n",
    )
    assert answer.split() == ["-9"] * len(_MOMENTS[1:])


def test_ctrl_c_lets_dpkg_end_its_work_and_stops_behind_it(copy):
    # dpkg lingers behind what it unpacked, so that Ctrl-C surely comes while it works, however
    # late a loaded machine lets us see the line.
    answer = copy.run(
        f"cat > /killer.py <<'END'\n{_KILLER}END\n"
        "echo 'post-invoke=sleep 3' > /etc/dpkg/dpkg.cfg.d/slow\n"
        f"{sys.executable} /killer.py interrupt 'Unpacking libpocl2:'\n"
        "rm /etc/dpkg/dpkg.cfg.d/slow\n"
        'dpkg --audit >&2; test -z "$(dpkg --audit)"; test -e /etc/OpenCL/vendors/pocl.icd\n'
        "apply --json; undo >&2; packages > /after; diff /before /after >&2\n"
    )
    ended, document = answer.split("\n", 1)
    assert ended == "3"
    report = json.loads(document)
    assert report["outcome"] == "applied"
    assert {one.split()[0] for one in report["packages"]["added"]} == _ADDED
