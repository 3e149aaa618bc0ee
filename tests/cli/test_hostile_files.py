# SPDX-License-Identifier: MIT
"""Files that users name: what is no file, no text or a trap is told, with line and remedy."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ALIASES = "schema: clprobe.snapshot/1\nmessages: &a [x, x]\n"
BOMB = ALIASES + "".join(
    f"k{level}: &{chr(98 + level)} [{', '.join(['*' + chr(97 + level)] * 9)}]\n"
    for level in range(12)
)
WRONG_RULES = {
    "a list as a key": (b"id: a\n? [a, b]\n: 1\n", 2, "a key is a word"),
    "a list as a key, in one line": (b"a: {[]: 1}\n", 1, "a key is a word"),
    "NUL": (b"id: a\nb: \x00\n", 2, "U+0000"),
    "a control character": (b'id: a\nb: "\x01"\n', 2, "U+0001"),
    "20000 brackets": (b"[" * 20000, 1, "nested deeper than 64 levels"),
    "a number of 6000 digits": (b"a: b\nid: " + b"9" * 6000, 2, "6000 digits"),
    "no UTF-8": (b"id: a\n\xff\n", 2, "the byte 0xff is no UTF-8"),
    "an alias": (b"id: &a b\ntitle: *a\n", 1, "aliases"),
}


def _clprobe(*argv: str, limit_s: float = 60) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "clprobe", *argv]
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", timeout=limit_s, check=False
    )
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.parametrize("case", WRONG_RULES.values(), ids=WRONG_RULES)
def test_a_rule_file_that_is_no_yaml_of_ours_is_named_with_file_and_line(
    case: tuple[bytes, int, str], tmp_path: Path
) -> None:
    content, line, problem = case
    path = tmp_path / "a-rule.yaml"
    path.write_bytes(content)
    done = _clprobe("rules", "validate", str(path))
    assert done.returncode == 2
    first = done.stderr.splitlines()[0]
    assert first.startswith(f"{path}:{line}: ")
    assert problem in first


@pytest.mark.parametrize("option", ["--from", "--baseline"])
def test_aliases_in_a_snapshot_are_refused_before_they_grow(option: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb.yaml"
    path.write_text(BOMB)
    sound = tmp_path / "sound.json"
    sound.write_text('{"icds": []}')
    more = ["--from", str(sound)] if option == "--baseline" else []
    done = _clprobe("doctor", *more, option, str(path))
    assert done.returncode == 2
    assert f"{path} is neither JSON nor YAML that can be read: line 2: anchors" in done.stderr
    assert "  fix: " in done.stderr


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('{"views": ' + "[" * 400 + "]" * 400 + "}", "nested deeper than 64 levels"),
        ('{"views": ' + "[" * 100_000, "recursion"),
        ('{"unread": [' + "1," * 300_000 + "1]}", "more than 250,000 values"),
        ('{"icds": [' + '{"path": "/a.icd"},' * 300 + '{"path": "/b.icd"}]}', "icds holds 301"),
        ('{"schema": "clprobe.snapshot/1", "icds": ' + "9" * 6000 + "}", "integer string"),
        ('{"device_nodes": [{"path": "/dev/dri/card0", "mode": "rw"}]}', "which is not octal"),
        ('{"icds":\n[{"path": "/a\\uD800.icd"}]}', "line 2: \\ud800 is half a character"),
    ],
    ids=[
        "deep",
        "deeper",
        "many values",
        "many drivers",
        "a long number",
        "a mode",
        "half a letter",
    ],
)
def test_a_snapshot_that_is_too_deep_or_too_much_is_refused(
    content: str, problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    done = _clprobe("doctor", "--from", str(path))
    assert done.returncode == 2
    assert problem in done.stderr


def test_half_a_character_in_a_report_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"schema": "clprobe.bench/1",\n"results": [],\n"clprobe": "\\udc80"}')
    done = _clprobe("bench", "--compare", str(path), str(path))
    assert done.returncode == 2
    assert f"{path} is no JSON document: line 3: \\udc80 is half a character" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        "doctor --from {}",
        "doctor --from {sound} --baseline {}",
        "info --from {}",
        "snapshot --from {}",
        "install-plan --from {}",
        "bench --compare {} {}",
        "rules validate {}",
        "rules test {}",
    ],
)
def test_what_is_no_file_is_told_and_never_waited_for(words: str, tmp_path: Path) -> None:
    sound = tmp_path / "sound.json"
    sound.write_text('{"icds": []}')
    pipe, endless = tmp_path / "pipe", tmp_path / "endless"
    os.mkfifo(pipe)
    endless.symlink_to("/dev/zero")
    for path, problem in ((pipe, "it is a named pipe"), (endless, "it is a device")):
        argv = [word.format(path, sound=sound) for word in words.split()]
        done = _clprobe(*argv, limit_s=30)
        assert done.returncode == 2
        assert f"{path}: {problem}" in done.stderr


def test_a_pipe_that_the_shell_opened_is_read(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b'{"icds": []}')
    os.close(writing)
    argv = [sys.executable, "-m", "clprobe", "info", "--json", "--from", f"/dev/fd/{reading}"]
    done = subprocess.run(
        argv, pass_fds=[reading], capture_output=True, timeout=60, check=False, cwd=tmp_path
    )
    os.close(reading)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("content", ["\n" * 100_001, "x\r" * 100_001, "word " * 900_000])
def test_a_text_too_long_to_be_read_in_time_is_refused_with_the_limit(
    content: str, tmp_path: Path
) -> None:
    path = tmp_path / "long.txt"
    path.write_text(content)
    done = _clprobe("doctor", "--from", str(path))
    assert done.returncode == 2
    assert "holds more than" in done.stderr
    assert "the most that" in done.stderr
