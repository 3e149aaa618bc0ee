# SPDX-License-Identifier: MIT
"""Tools are run for a limited time, from the system's folders, with few variables."""

import time
from pathlib import Path

import pytest

from clprobe.probe import tools
from clprobe.probe.host import ToolAnswer
from clprobe.probe.tools import run_tool


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder that tools are taken from."""
    monkeypatch.setattr(tools, "_FOLDERS", (str(tmp_path),))
    return tmp_path


def made(folder: Path, text: str) -> None:
    tool = folder / "podman"
    tool.write_text(f"#!/bin/sh\n{text}\n")
    tool.chmod(0o755)


def test_output_complaint_and_status_are_kept(folder: Path) -> None:
    made(folder, 'printf "%s" "$1"; echo woe >&2; exit 3')
    answer = run_tool("podman", ("a b",), 30, "", {})

    assert (answer.ended, answer.status, answer.printed) == ("exit", 3, b"a b")
    assert answer.complaint == "woe"


def test_a_tool_that_hangs_is_ended_with_what_it_started(folder: Path, tmp_path: Path) -> None:
    made(folder, f"(/bin/sleep 2; : > '{tmp_path}/late') & /bin/sleep 60")
    started = time.monotonic()
    answer = run_tool("podman", (), 0.5, "", {})
    took_s = time.monotonic() - started
    time.sleep(2.5)

    assert answer.ended == "timeout"
    assert took_s < 20
    assert not (tmp_path / "late").exists()


def test_what_path_offers_is_not_run(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    made(other, "echo run")

    assert run_tool("podman", (), 30, "", {"PATH": str(other)}).ended == "absent"
    assert folder.is_dir()


def test_variables_that_load_code_or_lead_elsewhere_are_left_out(folder: Path) -> None:
    made(folder, "/usr/bin/env")
    given = {
        "LD_PRELOAD": "/x.so",
        "DOCKER_HOST": "tcp://elsewhere:2375",
        "CONTAINER_HOST": "unix:///run/podman.sock",
        "XDG_RUNTIME_DIR": "/run/user/1",
        "SECRET": "s",
    }
    printed = run_tool("podman", (), 30, "", given).printed.decode()

    assert "CONTAINER_HOST=unix:///run/podman.sock" in printed
    assert "XDG_RUNTIME_DIR=/run/user/1" in printed
    assert not any(name in printed for name in ("LD_PRELOAD", "DOCKER_HOST", "SECRET"))


def test_a_tool_that_is_no_program_is_told(folder: Path) -> None:
    (folder / "podman").write_bytes(b"\x7fELF nonsense")
    (folder / "podman").chmod(0o755)
    answer = run_tool("podman", (), 30, "", {})

    assert (answer.ended, answer.status) == ("exit", 126)


def test_a_script_of_ours_is_what_it_reads(folder: Path) -> None:
    made(folder, "/bin/cat")

    assert b"SPDX-License-Identifier" in run_tool("podman", (), 30, "inside.sh", {}).printed


def test_one_that_prints_without_end_is_ended(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools, "_MOST_BYTES", 1 << 20)
    made(folder, "while :; do echo more; done")
    started = time.monotonic()

    assert run_tool("podman", (), 60, "", {}) == ToolAnswer(ended="timeout")
    assert time.monotonic() - started < 40


def test_what_it_leaves_running_keeps_nobody_waiting(folder: Path) -> None:
    made(folder, "/bin/sleep 5 > /dev/null 2>&1 & echo done")

    assert run_tool("podman", (), 30, "", {}).printed == b"done\n"
