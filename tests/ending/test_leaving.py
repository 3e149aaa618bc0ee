# SPDX-License-Identifier: MIT
"""How clprobe leaves once it is done: with its status and all that was to be said and done."""

import gc
import subprocess
import sys

import pytest

_PROGRAM = """\
import atexit, gc, sys
from clprobe.cli.exit.ending import run

class Last:
    def __del__(self):
        print("freed by Python")

last = Last()
last.itself = last
atexit.register(lambda: print("at exit", gc.get_threshold()[0], flush=True))
{more}
sys.argv = ["clprobe", *{words}]
run()
"""


def leave(*words: str, more: str = "") -> "subprocess.CompletedProcess[str]":
    """Run clprobe in a Python that tells what happens at its end."""
    code = _PROGRAM.format(words=words, more=more)
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize(("words", "status"), [(["rules", "list"], 0), (["rules", "none"], 2)])
def test_what_was_printed_and_what_atexit_holds_is_not_lost(words: list[str], status: int) -> None:
    done = leave(*words)
    assert done.returncode == status, done.stderr
    assert done.stdout.endswith("at exit 400000\n")
    assert status or len(done.stdout.splitlines()) > 150


def test_libraries_that_hold_devices_end_as_python_ends_them() -> None:
    done = leave("rules", "list", more="sys.modules['pyopencl'] = sys")
    assert done.stdout.endswith("at exit 400000\nfreed by Python\n")


def test_bench_looks_for_garbage_as_often_as_python_does() -> None:
    pytest.importorskip("numpy", reason="bench is not installed")
    done = leave("bench", "--compare", "none.json", "none.json")
    assert done.returncode == 2, done.stderr
    assert f"at exit {gc.get_threshold()[0]}\n" in done.stdout
