# SPDX-License-Identifier: MIT
"""Real shells complete clprobe's words with the script that it prints."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clprobe.ruleset.rules import load_rules

RULES = sorted(rule.id for rule in load_rules())
LIMIT_S = 1.5
"""Of one answer, start of Python included, on a busy machine; an idle one takes 0.1 s."""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment whose first clprobe on PATH is this one."""
    folder = tmp_path_factory.mktemp("bin")
    command = folder / "clprobe"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m clprobe "$@"\n', "utf-8")
    command.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}


def _in_bash(line: str, environment: dict[str, str], folder: Path | None = None) -> list[str]:
    words = line.split(" ")
    given = " ".join(f"'{word}'" for word in words)
    script = (
        'eval "$(clprobe completion bash)"\n'
        f"COMP_WORDS=({given}); COMP_CWORD={len(words) - 1}\n"
        "compopt() { echo \"compopt $*\"; }\n"
        "_clprobe_completion clprobe\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )  # fmt: skip
    result = subprocess.run(
        ["bash", "--norc", "-c", script],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert result.stderr == ""
    return result.stdout.split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("clprobe doc", ["doctor"]),
        ("clprobe doctor --basel", ["--baseline"]),
        ("clprobe doctor --why no-opencl-d", ["no-opencl-device"]),
        ("clprobe explain igc-does", ["igc-does-not-fit"]),
        ("clprobe explain HD Graphics 62", ["620"]),
        ("clprobe explain kaby", ["Kaby"]),
        ("clprobe explain Kaby ", ["Lake"]),
        ("clprobe explain compute-runtime-l", ["compute-runtime-legacy1"]),
        ("clprobe explain ubuntu-24.0", ["ubuntu-24.04"]),
        ("clprobe explain darkt", ["darktable", "darktable-cli", "darktable-cltest"]),
        ("clprobe explain darktable kaby", ["Kaby"]),
        ("clprobe explain darktable HD Graphics 62", ["620"]),
        ("clprobe doctor --device g", ["gpu"]),
        ("clprobe info --device c", ["cpu"]),
        ("clprobe doctor --format sa", ["sarif"]),
        ("clprobe doctor --from x", ["compopt", "-o", "default"]),
        ("clprobe completion z", ["zsh"]),
    ],
)
def test_bash_completes(line: str, expected: list[str], environment: dict[str, str]) -> None:
    assert sorted(_in_bash(line, environment)) == sorted(expected)


def test_every_rule_can_be_completed(environment: dict[str, str]) -> None:
    assert sorted(_in_bash("clprobe doctor --why ", environment)) == RULES


@pytest.mark.alone
@pytest.mark.parametrize("line", ["clprobe doctor --why no-", "clprobe explain HD "])
def test_an_answer_comes_at_once(line: str, environment: dict[str, str]) -> None:
    words = line.split(" ")
    asked = {**environment, "_CLPROBE_COMPLETE": "bash_complete", "COMP_WORDS": line,
             "COMP_CWORD": str(len(words) - 1)}  # fmt: skip
    started = time.monotonic()
    subprocess.run(["clprobe"], env=asked, check=True, capture_output=True, timeout=30)
    assert time.monotonic() - started < LIMIT_S


@pytest.mark.parametrize(("shell", "check"), [("zsh", ["-n"]), ("fish", ["--no-execute"])])
def test_other_shells_accept_their_script(
    shell: str, check: list[str], environment: dict[str, str], tmp_path: Path
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / f"completion.{shell}"
    printed = subprocess.run(
        ["clprobe", "completion", shell],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    script.write_text(printed.stdout, "utf-8")
    assert "_CLPROBE_COMPLETE" in printed.stdout
    subprocess.run([shell, *check, script], check=True, timeout=30)
