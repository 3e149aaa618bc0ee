# SPDX-License-Identifier: MIT
"""`--from` of doctor, info and install-plan takes pastes as well as snapshots."""

import json
import subprocess
import sys

import pytest

LIMIT_S = 60
PASTE = (
    "Nobody knows\n\n$ lspci -nn | grep VGA\n"
    "00:02.0 VGA compatible controller [0300]: Intel Corporation UHD Graphics 620 [8086:5917]\n"
    "$ ls -l /dev/dri\ncrw-rw---- 1 root render 226, 128 Mar  3 12:00 renderD128\n"
    "$ id\nuid=1000(alice) gid=1000(alice) groups=1000(alice)\n"
    "$ clinfo\nNumber of platforms                               0\n"
)


def _clprobe(*argv: str, given: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "clprobe", *argv],
        input=given,
        capture_output=True,
        timeout=LIMIT_S,
        check=False,
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_doctor_answers_a_paste_in_any_encoding(encoding: str) -> None:
    result = _clprobe("doctor", "--from", "-", "--json", given=PASTE.encode(encoding))
    document = json.loads(result.stdout)
    assert (result.returncode, document["root_cause"]) == (1, "render-node-not-accessible")
    assert document["unread"] == ["Nobody knows"]


def test_the_screen_counts_what_was_not_understood_and_shows_it_when_asked() -> None:
    short = _clprobe("doctor", "--from", "-", given=PASTE.encode()).stdout.decode()
    long = _clprobe("doctor", "--from", "-", "-v", given=PASTE.encode()).stdout.decode()
    assert "Not understood: 1 line" in short
    assert "Nobody knows" not in short
    assert "Nobody knows" in long


def test_what_nobody_understood_keeps_a_report_from_being_healthy() -> None:
    devices = "[opencl_init] device 0: `NVIDIA GeForce GTX 970' is available\n"
    complaint = "but all exported images come out white\n"
    report = _clprobe("doctor", "--from", "-", given=(devices + complaint).encode())
    assert b"Healthy" not in report.stdout
    assert report.returncode == 3


def test_no_report_shows_the_name_of_a_person() -> None:
    for form in ("text", "json", "markdown"):
        argv = ("doctor", "--from", "-", "--format", form)
        assert b"alice" not in _clprobe(*argv, given=PASTE.encode()).stdout


def test_info_and_install_plan_take_the_same_text() -> None:
    info = _clprobe("info", "--from", "-", "--json", given=PASTE.encode())
    assert json.loads(info.stdout)["gpus"][0]["pci_id"] == "8086:5917"
    plan = _clprobe("install-plan", "--from", "-", "--json", given=PASTE.encode())
    assert "8086:5917" in json.loads(plan.stdout)["target"]["gpu"]


@pytest.mark.parametrize("given", [b"", b"just a few words\n", b"\x00\xff" * 999, b"- a list\n"])
def test_a_text_that_says_nothing_is_a_usage_error(given: bytes) -> None:
    result = _clprobe("doctor", "--from", "-", given=given)
    assert (result.returncode, result.stdout) == (2, b"")
    assert b"nothing-understood" in result.stderr
    assert b"lspci" in result.stderr


@pytest.mark.parametrize(
    "given", [b'{"gpus": [', b"gpus: [\n", b'{"schema": "clprobe.snapshot/9"}']
)
def test_a_damaged_snapshot_keeps_its_own_error(given: bytes) -> None:
    result = _clprobe("doctor", "--from", "-", given=given)
    assert result.returncode == 2
    assert b"snapshot-" in result.stderr


def test_bytes_that_a_terminal_obeys_never_reach_it() -> None:
    evil = PASTE.replace("Hello", "\x1b]0;owned\x07\x9b31mHello\u202e").encode()
    result = _clprobe("doctor", "--from", "-", "-v", given=evil)
    assert not set(result.stdout.decode()) & {"\x1b", "\x07", "\x9b", "\u202e"}
