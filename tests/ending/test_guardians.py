# SPDX-License-Identifier: MIT
"""Whatever a driver starts, and whatever it does to its guardian, is gone when clprobe is done."""

import ctypes
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from faults import POCL
from runs import place_in

from clprobe.probe.descendants import adoption, end_orphans
from clprobe.probe.guardian import GUARD

_GET_DUMPABLE = 3  # prctl(2)

# fault → how the driver's answer ends
FAULTS = {
    "leaves_stranger": "ok",
    "leaves_chain": "ok",
    "daemonises": "ok",
    "stranger_then_hang": "hang",
    "stranger_then_kills_parent": "crash",
    "hang_without_signals": "hang",
    "kills_group": "crash",
}


@pytest.fixture(autouse=True)
def _compiler() -> None:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")


@pytest.mark.parametrize("fault", FAULTS)
def test_nothing_that_a_driver_started_stays(fault: str, tmp_path: Path) -> None:
    place = place_in(tmp_path, (fault,))

    process = place.start("doctor", "--json", "--timeout=8")
    out = process.communicate(timeout=60)[0]

    assert (place.left(), place.folders()) == ([], [])
    outcomes = {driver["icd"].rpartition("/")[2]: driver for driver in json.loads(out)["drivers"]}
    assert outcomes[f"{fault}.icd"]["outcome"] == FAULTS[fault]
    if POCL.exists():
        assert outcomes["pocl.icd"]["outcome"] == "ok"


def test_no_driver_writes_into_what_clprobe_prints(tmp_path: Path) -> None:
    place = place_in(tmp_path, ("writes_to_outputs_above",))

    out, errors = place.start("snapshot").communicate(timeout=60)

    assert "FORGED" not in errors
    icd = next(one for one in json.loads(out)["icds"] if "writes_to" in one["path"])
    assert icd["answer"]["outcome"] == "ok"


def test_clprobe_is_open_again_once_no_child_is_left() -> None:
    opened = ctypes.CDLL(None).prctl
    before = opened(_GET_DUMPABLE, 0, 0, 0, 0)
    adoption.begin()
    during = opened(_GET_DUMPABLE, 0, 0, 0, 0)
    adoption.end()
    assert (before, during, opened(_GET_DUMPABLE, 0, 0, 0, 0)) == (1, 0, 1)


def test_commands_of_our_own_are_no_orphans() -> None:
    before = subprocess.Popen(["sleep", "60"], start_new_session=True)
    adoption.begin()
    command = subprocess.Popen(["sleep", "60"])
    try:
        end_orphans()
        assert (before.poll(), command.poll()) == (None, None)
    finally:
        adoption.end()
        for process in (before, command):
            process.kill()
            process.wait()


def test_an_adopted_process_is_ended() -> None:
    orphaning = "import os, sys, time\nos.setsid()\nif os.fork(): os._exit(0)\n"
    orphaning += "print(os.getpid(), flush=True)\ntime.sleep(60)\n"
    adoption.begin()
    try:
        process = subprocess.Popen([sys.executable, "-c", orphaning], stdout=subprocess.PIPE)
        process.wait()
        orphan = int(process.stdout.readline())
        assert Path(f"/proc/{orphan}").exists()
        end_orphans()
        assert not Path(f"/proc/{orphan}").exists()
    finally:
        adoption.end()
        process.stdout.close()


_STOPS_ITS_GUARDIAN = """\
import os, signal, sys, time
from clprobe.probe.guardian import stand_guard
stand_guard()
print(os.getpid(), flush=True)
os.kill(os.getppid(), signal.SIGSTOP)
time.sleep(60)
"""


def test_a_stopped_guardian_goes_on_by_itself(tmp_path: Path) -> None:
    # As where clprobe is gone already when the driver stops the guardian: nothing else wakes it.
    folder = tmp_path / "clprobe-folder"
    folder.mkdir()
    lifeline, ours = os.pipe()
    guardian = subprocess.Popen(
        [sys.executable, "-c", _STOPS_ITS_GUARDIAN],
        env={**os.environ, GUARD: f"{lifeline}:{os.getpid()}:{folder}"},
        pass_fds=(lifeline,),
        stdout=subprocess.PIPE,
        text=True,
    )
    os.close(lifeline)
    assert guardian.stdout is not None
    driver = Path("/proc", guardian.stdout.readline().strip())
    state = Path(f"/proc/{guardian.pid}/stat")
    ends = time.monotonic() + 5
    while state.read_text().rpartition(")")[2].split()[0] != "T" and time.monotonic() < ends:
        time.sleep(0.01)
    os.close(ours)
    try:
        guardian.wait(30)
    finally:
        guardian.kill()
        guardian.stdout.close()
    assert not driver.exists()
    assert not folder.exists()
