# SPDX-License-Identifier: MIT
"""A watched program behaves as without us: its status, output, signals, descriptors, terminal."""

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clprobe.watch.running import Ended, run


def ran(*argv: str) -> Ended:
    """Run a program that prints nowhere."""
    with Path(os.devnull).open("wb") as nowhere:
        return run(argv, os.environ, lambda _: 0.05, output=nowhere.fileno())


def clprobe_run(code: str, **more: object) -> "subprocess.CompletedProcess[bytes]":
    """Run a program by `run` in a Python of its own, with outputs as they come."""
    text = (
        "import os, sys\nfrom clprobe.watch.running import run\n"
        "ended = run(sys.argv[1:], os.environ, lambda _: 0.05)\n"
        "os._exit(ended.status if ended.status >= 0 else 100 - ended.status)\n"
    )
    argv = [sys.executable, "-c", text, "sh", "-c", code]
    return subprocess.run(argv, timeout=60, check=False, **more)  # type: ignore[call-overload]


@pytest.mark.parametrize("status", [0, 1, 3, 77, 255])
def test_the_exit_status_is_the_programs(status: int) -> None:
    assert ran("sh", "-c", f"exit {status}").status == status


@pytest.mark.parametrize("name", ["SEGV", "ABRT", "KILL", "TERM"])
def test_a_signal_is_told(name: str) -> None:
    assert ran("sh", "-c", f"kill -{name} $$").status == -getattr(signal, f"SIG{name}")


def test_what_it_prints_comes_out_unchanged_and_where_it_belongs() -> None:
    code = "head -c 300000 /dev/zero | tr '\\0' x; printf 'a\\377\\000b' >&2; exit 5"
    done = clprobe_run(code, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (done.returncode, len(done.stdout), done.stderr) == (5, 300000, b"a\xff\0b")


def test_one_output_stays_one_in_its_order() -> None:
    code = "for i in 1 2 3 4; do echo o$i; echo e$i >&2; done"
    done = clprobe_run(code, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.stdout.split() == [b"o1", b"e1", b"o2", b"e2", b"o3", b"e3", b"o4", b"e4"]


def test_it_reads_our_standard_input() -> None:
    done = clprobe_run("cat", input=b"through", stdout=subprocess.PIPE)
    assert done.stdout == b"through"


def test_the_last_of_what_it_printed_is_kept() -> None:
    ended = ran("sh", "-c", "head -c 400000 /dev/zero | tr '\\0' x; echo end")
    assert ended.printed.endswith(b"xend\n")
    assert len(ended.printed) <= (1 << 18) + 1


def test_what_it_leaves_running_is_not_waited_for() -> None:
    started = time.monotonic()
    ended = ran("sh", "-c", "sleep 20 & echo started")
    assert ended.printed == b"started\n"
    assert time.monotonic() - started < 10


def test_a_terminal_stays_a_terminal() -> None:
    ours, theirs = pty.openpty()
    code = "test -t 1 && test -t 2 && echo both"
    done = clprobe_run(code, stdout=theirs, stderr=theirs)
    os.close(theirs)
    assert (done.returncode, os.read(ours, 100).strip()) == (0, b"both")
    os.close(ours)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
def test_signals_sent_to_us_reach_it(number: signal.Signals, tmp_path: Path) -> None:
    name = number.name.removeprefix("SIG")
    code = f"trap 'exit 9' {name}; touch {tmp_path}/ready; while :; do sleep 0.05; done"
    text = (
        "import os, sys\nfrom clprobe.watch.running import run\n"
        "os._exit(run(sys.argv[1:], os.environ, lambda _: 0.05).status)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", text, "sh", "-c", code])
    while not (tmp_path / "ready").exists():
        time.sleep(0.02)
    process.send_signal(number)
    assert process.wait(30) == 9


def test_ctrl_c_is_the_programs() -> None:
    """It goes to the whole group: the program decides what it means, we wait for it."""
    text = (
        "import os, sys\nfrom clprobe.watch.running import run\n"
        "os._exit(run(sys.argv[1:], os.environ, lambda _: 0.05).status)\n"
    )
    code = "trap 'exit 8' INT; echo ready; while :; do sleep 0.05; done"
    process = subprocess.Popen(
        [sys.executable, "-c", text, "sh", "-c", code],
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(30) == 8
    process.stdout.close()


def test_descriptors_that_were_open_stay_open() -> None:
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    assert ran("sh", "-c", f"echo there > /proc/self/fd/{writer}").status == 0
    assert os.read(reader, 10) == b"there\n"
    os.close(reader)
    os.close(writer)


def test_what_cannot_be_started_is_an_error() -> None:
    with pytest.raises(OSError, match="No such file"):
        ran("/nowhere/program")
