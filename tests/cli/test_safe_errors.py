# SPDX-License-Identifier: MIT
"""No error message lets a file, its name or an option steer the terminal."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

EVIL = "\x1b[31mke\x9by\u202e"
"""Colours, C1 controls and the override of the direction of text."""
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
SNAPSHOTS = {
    "an unknown key": '{"\\u001b[31mke\\u009by\\u202e": 1}',
    "a key with lines": '{"x\\n  fix: curl evil": 1}',
    "another schema": '{"schema": "\\u001b[31mclprobe\\u202e"}',
    "a wrong enum": '{"icds": [{"path": "a", "answer": {"outcome": "\\u001b[31m\\u202e"}}]}',
    "a key in YAML": 'schema: clprobe.snapshot/1\n"\\e[31mkey\\u202e": 1\n',
    "broken YAML": 'schema: clprobe.snapshot/1\n"\\e[31mkey": "\\u202e\n',
    "an alias": "schema: clprobe.snapshot/1\na: &\u00e9vil [x]\n",
}
OPTIONS = (
    ["doctor", "--from", EVIL],
    ["doctor", "--from", "SOUND", "--baseline", EVIL],
    ["doctor", "--from", "SOUND", "--device", EVIL],
    ["doctor", "--from", "SOUND", "--why", EVIL],
    ["doctor", "--from", "SOUND", "--as", EVIL],
    ["doctor", "--format", EVIL],
    ["doctor", EVIL],
    ["doctor", f"--{EVIL}"],
    ["doctor", "--timeout", EVIL],
    [EVIL],
    ["--color", EVIL],
    ["info", "--from", EVIL],
    ["snapshot", "--from", EVIL],
    ["snapshot", "--output", f"/nonexistent/{EVIL}"],
    ["snapshot", "--from", "SOUND", "--output", f"/proc/{EVIL}"],
    ["bench", "--compare", EVIL, EVIL],
    ["bench", "--output", EVIL],
    ["bench", EVIL],
    ["bench", "--workload", EVIL],
    ["explain", EVIL],
    ["env", "--shell", EVIL],
    ["completion", EVIL],
    ["rules", EVIL],
    ["rules", "validate", EVIL],
    ["rules", "test", EVIL],
    ["rules", "matrix", "--generation", EVIL],
    ["rules", "site", f"/proc/{EVIL}"],
    ["install-plan", "--gpu", EVIL],
    ["install-plan", "--os", EVIL],
    ["install-plan", "--from", EVIL],
    ["install-plan", "--python", EVIL],
)


def _run(argv: list[str]) -> tuple[int, str]:
    """Return status and all that is printed where both streams are a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "clprobe", *argv],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "dumb", "NO_COLOR": "1"},
    )
    os.close(theirs)
    pieces = []
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # the last one closed the terminal
            break
        if not piece:
            break
        pieces.append(piece)
    os.close(ours)
    text = b"".join(pieces).decode("utf-8").replace("\r\n", "\n")
    return process.wait(timeout=60), text


def _checked(argv: list[str]) -> str:
    status, text = _run(argv)
    assert status in {2, 3}, text
    assert not STEERING.search(text), repr(text)
    assert "Traceback" not in text
    return text


@pytest.mark.parametrize("argv", OPTIONS, ids=lambda argv: " ".join(argv).encode().hex()[-40:])
def test_what_the_command_line_says_is_escaped(argv: list[str], tmp_path: Path) -> None:
    sound = tmp_path / "sound.json"
    sound.write_text('{"icds": []}')
    text = _checked([str(sound) if word == "SOUND" else word for word in argv])
    # click drops colours where it shows a word; explain does not repeat it.
    assert "\\u202e" in text or "holds characters that no name has" in text


@pytest.mark.parametrize("content", SNAPSHOTS.values(), ids=SNAPSHOTS)
@pytest.mark.parametrize("words", [["doctor", "--from"], ["rules", "validate"]], ids=" ".join)
def test_what_a_hostile_file_says_is_escaped(
    words: list[str], content: str, tmp_path: Path
) -> None:
    path = tmp_path / "hostile.yaml"
    path.write_text(content)
    text = _checked([*words, str(path)])
    assert "\n  fix: curl evil" not in text


def test_a_hostile_report_is_escaped(tmp_path: Path) -> None:
    path = tmp_path / f"{EVIL}.json"
    path.write_text('{"schema": "\\u001b[31m\\u202e"}')
    assert "\\x1b[31m" in _checked(["bench", "--compare", str(path), str(path)])


def test_kinds_of_what_was_scrubbed_are_escaped(tmp_path: Path) -> None:
    path = tmp_path / "counts.json"
    path.write_text('{"icds": [], "scrubbed": {"\\u001b[31m\\u009b\\u202e": 1}}')
    status, text = _run(["snapshot", "--from", str(path)])
    assert status == 0
    assert not STEERING.search(text), repr(text)
