# SPDX-License-Identifier: MIT
"""A signal ends clprobe wherever it is, with that signal's status, and nothing is left behind."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from kill_trials import trials
from runs import Place, place_in

DEADLY = (signal.SIGTERM, signal.SIGHUP)
HANGING = ("entry_hang", "stranger_then_hang")
COMMANDS = (
    ("doctor",),
    ("doctor", "--json", "-v"),
    ("info",),
    ("snapshot",),
    ("env",),
    ("bench", "--quick", "--workload=launch"),
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    return place_in(tmp_path, ("daemonises", *HANGING))


def hanging(place: Place, *arguments: str, **options: object) -> "subprocess.Popen[str]":
    """Start clprobe and return it once a driver hangs, which takes a busy machine long to see."""
    patient = [] if arguments[:1] in ((), ("bench",)) else ["--timeout=60"]
    process = place.start(*arguments, *patient, **options)
    place.wait_for("/stranger 600")
    return process


@pytest.mark.parametrize("number", DEADLY)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
def test_a_deadly_signal_leaves_nothing_and_is_the_status(
    place: Place, command: tuple[str, ...], number: signal.Signals
) -> None:
    if command[0] == "bench":
        pytest.importorskip("pyopencl", reason="bench is not installed")
    process = hanging(place, *command)

    process.send_signal(number)
    error = process.communicate(timeout=60)[1]

    assert place.left() == []
    assert place.folders() == []
    assert process.returncode == -number
    assert "Traceback" not in error


def test_ctrl_c_leaves_nothing_and_keeps_its_status(place: Place) -> None:
    process = hanging(place, "doctor")

    process.send_signal(signal.SIGINT)
    error = process.communicate(timeout=60)[1]

    assert (place.left(), place.folders(), error.strip()) == ([], [], "clprobe: interrupted")
    assert process.returncode == 3


def test_a_killed_clprobe_leaves_no_process_and_its_guardians_remove_the_folders(
    place: Place,
) -> None:
    process = hanging(place, "doctor")
    at_work = _folders_of_hanging_drivers(place)

    process.kill()
    process.communicate(timeout=60)

    assert place.left(patience_s=30) == []
    # The folder of a child that had ended was clprobe's own to remove, and may stay.
    assert at_work
    assert not at_work & set(place.folders())


def _folders_of_hanging_drivers(place: Place) -> set[str]:
    """Return the names of the folders of the drivers that never end by themselves."""
    over = time.monotonic() + 30  # a driver that has just been started may not show its command yet
    while not (found := _folders_of_workers(place)) and time.monotonic() < over:
        time.sleep(0.05)
    return found


def _folders_of_workers(place: Place) -> set[str]:
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_text()
            folder = (process / "cwd").resolve()
        except OSError:  # it has ended
            continue
        libraries = (str(place.scratch / f"lib{fault}.so") for fault in HANGING)
        if any(library in command for library in libraries) and "opencl_worker" in command:
            found.add(folder.relative_to(place.temporary).parts[0])
    return found


def test_two_signals_at_once_do_no_more_than_one(place: Place) -> None:
    process = hanging(place, "doctor")

    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGHUP)
    error = process.communicate(timeout=60)[1]

    assert (place.left(), place.folders()) == ([], [])
    assert process.returncode in (-signal.SIGTERM, -signal.SIGHUP)
    assert "Traceback" not in error


def test_signals_during_the_clean_up_do_not_stop_it(place: Place) -> None:
    process = hanging(place, "doctor")

    for _ in range(400):
        process.send_signal(signal.SIGTERM)
        if process.poll() is not None:
            break
        time.sleep(0.003)
    error = process.communicate(timeout=60)[1]

    assert (place.left(), place.folders(), process.returncode) == ([], [], -signal.SIGTERM)
    assert "Traceback" not in error


def test_a_signal_to_the_whole_process_group_leaves_nothing(place: Place) -> None:
    process = hanging(place, "doctor", start_new_session=True)

    os.killpg(process.pid, signal.SIGTERM)
    process.communicate(timeout=60)

    assert (place.left(), place.folders(), process.returncode) == ([], [], -signal.SIGTERM)


def test_a_hang_up_that_is_ignored_stays_ignored(place: Place) -> None:
    ignoring = "import os, signal, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN); "
    ignoring += (
        f"os.execv({sys.executable!r}, [{sys.executable!r}, '-m', 'clprobe', *sys.argv[1:]])"
    )
    command = [sys.executable, "-c", ignoring, "doctor", "--timeout=6", "--json"]
    process = hanging(place, command=command)

    process.send_signal(signal.SIGHUP)
    out = process.communicate(timeout=60)[0]

    assert process.returncode in (0, 1, 3)
    assert out.startswith("{")


@pytest.mark.parametrize("number", [signal.SIGINT, *DEADLY])
def test_a_signal_while_modules_load_gives_no_traceback(
    tmp_path: Path, number: signal.Signals
) -> None:
    # A module that takes long to load, in front of click: the signal surely comes within.
    slow = tmp_path / "click.py"
    slow.write_text("import time\nprint('loading', flush=True)\ntime.sleep(60)\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "clprobe", "doctor"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "loading\n"

    process.send_signal(number)
    error = process.communicate(timeout=60)[1]

    assert error == "clprobe: interrupted\n"
    assert process.returncode == (3 if number == signal.SIGINT else -number)


@pytest.mark.slow
def test_kills_at_random_moments_leave_nothing(place: Place) -> None:
    del place  # which skips without a compiler
    pytest.importorskip("pyopencl", reason="bench is not installed")
    seed = 14

    dirty = [trial for trial in trials(16, seed) if not trial.is_clean]

    assert dirty == []


def test_whoever_ignores_the_end_of_children_gets_the_same_answer(tmp_path: Path) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    place = place_in(tmp_path, ("answers_late",))
    process = place.start("doctor", "--json", preexec_fn=_ignore_children)

    answer, error = process.communicate(timeout=60)

    drivers = {Path(each["icd"]).stem: each for each in json.loads(answer)["drivers"]}
    assert drivers["answers_late"]["outcome"] == "ok"
    assert "Traceback" not in error


def _ignore_children() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)


# The pause finds us between the start of a driver and the first look at it.
_LOOKS_LATE = """
import sys, time
from clprobe.cli.exit.ending import run
from clprobe.probe.opencl import children

start = children.started
children.started = lambda work: (time.sleep(0.7), start(work))[1]
run()
"""


@pytest.mark.parametrize("program", [["-m", "clprobe"], ["-c", _LOOKS_LATE]], ids=["", "early"])
def test_drivers_are_not_blamed_for_a_pause_of_all(tmp_path: Path, program: list[str]) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    place = place_in(tmp_path, ("answers_late",))
    command = [sys.executable, *program, "doctor", "--json", "--timeout=10"]
    process = place.start(command=command, start_new_session=True)
    place.wait_for("answers_late")  # in its command line: what starts later has less time

    stopped = place.stop_all(process.pid)
    time.sleep(11)
    for pid in stopped:
        # A guardian goes on by itself, and is gone if its driver had answered before.
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
    answer = process.communicate(timeout=60)[0]

    drivers = {Path(each["icd"]).stem: each for each in json.loads(answer)["drivers"]}
    assert drivers["answers_late"]["outcome"] == "ok"
