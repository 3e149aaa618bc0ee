# SPDX-License-Identifier: MIT
"""Where limits are tight, clprobe works without threads, or says in a line which one to raise."""

import errno
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from faults import POCL
from runs import place_in

from clprobe.cli.exit.shortage import shortage

_MIB = 1 << 20


def limited(
    folder: Path, limit: int, value: int, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """Run clprobe under a limit, which it gets once Python has started."""
    program = f"import resource; resource.setrlimit({limit}, ({value}, {value}))\n"
    program += f"import sys; sys.argv[1:] = {list(arguments)!r}\n"
    program += "from clprobe.cli.exit.ending import run; run()\n"
    place = place_in(folder)
    process = place.start(command=[sys.executable, "-c", program])
    out, error = process.communicate(timeout=120)
    assert (place.left(), place.folders()) == ([], [])
    return subprocess.CompletedProcess([], process.returncode, out, error)


@pytest.mark.parametrize("mebibytes", [256, 512])
def test_drivers_are_asked_without_threads(mebibytes: int, tmp_path: Path) -> None:
    if not POCL.exists():
        pytest.skip("PoCL is not installed system-wide")

    done = limited(
        tmp_path, resource.RLIMIT_AS, mebibytes * _MIB, "doctor", "--json", "--timeout=60"
    )

    assert done.stderr == ""
    drivers = json.loads(done.stdout)["drivers"]
    assert [driver["stage"] for driver in drivers if driver["icd"].endswith("/pocl.icd")] != []


@pytest.mark.parametrize("files", [6, 8, 12])
def test_few_open_files_give_no_traceback(files: int, tmp_path: Path) -> None:
    done = limited(tmp_path, resource.RLIMIT_NOFILE, files, "doctor")

    assert "Traceback" not in done.stderr
    # A driver for which there was no room beside others is asked after them.
    assert done.returncode in (1, 3) or "OpenCL device" in done.stdout


def test_too_little_memory_is_told_in_a_line(tmp_path: Path) -> None:
    # In front of click: there is no memory for it.
    (tmp_path / "click.py").write_text("raise MemoryError\n")

    done = subprocess.run(
        [sys.executable, "-m", "clprobe", "doctor"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("clprobe: not finished: this process may have no more memory")
    assert done.stderr.count("\n") == 1


def test_with_hardly_any_memory_python_itself_fails() -> None:
    done = subprocess.run(
        ["sh", "-c", 'ulimit -v 8192; exec "$@"', "sh", sys.executable, "-m", "clprobe", "doctor"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode not in (0, 2, 3), done.stdout) == (True, "")
    assert "clprobe:" not in done.stderr


@pytest.mark.parametrize(
    ("error", "limit"),
    [
        (OSError(errno.EMFILE, "Too many open files"), "ulimit -n"),
        (BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"), "ulimit -u"),
        (RuntimeError("can't start new thread"), "ulimit -u"),
        (MemoryError(), "ulimit -v"),
        (ImportError("x.so: failed to map segment from shared object"), "ulimit -v"),
    ],
)
def test_the_limit_to_raise_is_named(error: Exception, limit: str) -> None:
    assert f"({limit}" in str(shortage(error))


def test_a_bug_is_no_shortage() -> None:
    assert shortage(KeyError("generation")) is None
