# SPDX-License-Identifier: MIT
"""A slow driver is named on stderr while it is waited for, on a real terminal, and erased again."""

import io
import os
import pty
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from faults import compile_driver

from clprobe.cli.progress import Progress
from clprobe.scrub import Known, Person, scrub_text

TIMEOUT_S = 3
TELLS = re.compile(r"waiting for \S+/slow\.icd, \d s of 3 s")


@pytest.fixture
def hanging(tmp_path: Path) -> Path:
    """A folder with one driver that never answers."""
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler: gcc and libc6-dev")
    folder = tmp_path / "vendors"
    folder.mkdir()
    (folder / "slow.icd").write_text(f"{compile_driver(tmp_path, 'entry_hang')}\n")
    return folder


def _start(
    vendors: Path, *options: str, stderr: int, command: str = "doctor", **more: str
) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "clprobe", command, "--timeout", str(TIMEOUT_S), *options],
        env={**os.environ, "OCL_ICD_VENDORS": str(vendors), "TERM": "dumb", **more},
        stdout=subprocess.PIPE,
        stderr=stderr,
    )


def _all_of(descriptor: int) -> str:
    pieces = []
    while True:
        try:
            piece = os.read(descriptor, 4096)
        except OSError:  # the terminal's other end was closed
            break
        if not piece:
            break
        pieces.append(piece)
    return b"".join(pieces).decode()


def test_a_terminal_shows_what_is_slow_and_is_clean_again(hanging: Path) -> None:
    ours, theirs = pty.openpty()
    process = _start(hanging, "--json", stderr=theirs)
    os.close(theirs)
    shown = _all_of(ours)
    os.close(ours)
    stdout, _ = process.communicate(timeout=30)
    assert len(TELLS.findall(shown)) >= 2
    assert shown.endswith("\r")
    assert shown.rsplit("\r", 2)[1].strip() == ""
    assert "\x1b" not in shown
    assert b"waiting" not in stdout


def test_a_file_is_told_nothing_unless_verbose(hanging: Path) -> None:
    _, quiet = _start(hanging, stderr=subprocess.PIPE).communicate(timeout=30)
    assert quiet == b""
    stdout, verbose = _start(hanging, "-v", stderr=subprocess.PIPE).communicate(timeout=30)
    lines = verbose.decode().splitlines()
    assert sum(TELLS.fullmatch(line) is not None for line in lines) == 1
    assert verbose.decode().replace("\n", "").isprintable()
    assert b"waiting for" not in stdout


def test_a_quick_run_says_nothing(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    process = _start(tmp_path, "--from", "-", stderr=theirs)
    os.close(theirs)
    process.communicate(timeout=30)
    shown = _all_of(ours)
    os.close(ours)
    assert "waiting" not in shown


def test_a_home_folder_is_not_named_in_what_gets_posted() -> None:
    stream = io.StringIO()
    known = Known(people=(Person(name="canary", uid=1000, home="/home/canary"),))
    progress = Progress(
        limit_s=1, verbose=True, stream=stream, shown_as=lambda text: scrub_text(text, known)
    )
    with progress.waiting("/home/canary/vendors/slow.icd"):
        deadline = time.monotonic() + 30
        while not stream.getvalue() and time.monotonic() < deadline:
            time.sleep(0.05)
    assert stream.getvalue().startswith("waiting for /home/user/vendors/slow.icd, ")


@pytest.mark.parametrize("command", ["doctor", "info", "snapshot"])
def test_no_command_shows_who_waits_on_the_terminal(hanging: Path, command: str) -> None:
    vendors = hanging.rename(hanging.with_name("canary"))
    ours, theirs = pty.openpty()
    process = _start(vendors, stderr=theirs, command=command, USER="canary")
    os.close(theirs)
    shown = _all_of(ours)
    os.close(ours)
    process.communicate(timeout=30)
    assert "/slow.icd, " in shown
    assert "canary" not in shown
