# SPDX-License-Identifier: MIT
"""The log of Linux: which lines are kept, where they are read, and what a refusal says."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from everyones_python import AS_NOBODY, everyones_python
from inventing import MACHINE, invent_host

from clprobe.model.unknown import Unknown
from clprobe.probe.linux.linux import FILES, KMSG, LAST_BYTES, MATTERS, probe_linux_log
from clprobe.probe.live_host import LiveHost
from clprobe.resources import rules_path

_KMSG = f"{KMSG} {MATTERS} {LAST_BYTES}"
_KERN_LOG = f"{FILES[0]} {MATTERS} {LAST_BYTES}"
_START = f"Nov 20 09:00:00 pc kernel: [    0.000000] Linux version {MACHINE['release']} (gcc 12)"
_HANG = "Nov 20 09:30:00 pc kernel: [ 1800.000001] i915 0000:00:02.0: [drm] GPU HANG: ecode 9:1"


def _kmsg(*records: str) -> dict[str, Any]:
    return {"lines_in": {_KMSG: list(records)}}


def _ran(*argv: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(argv, check=False, capture_output=True, text=True, timeout=30)


def _from_file(folder: Path, *lines: str, uptime: str = "3600.00 7000.00\n") -> str | Unknown:
    refused = {_KMSG: {"error": "EPERM"}, _KERN_LOG: list(lines)}
    return probe_linux_log(invent_host(folder, lines_in=refused, read={"/proc/uptime": uptime}))


def test_records_of_linux_are_told_and_those_of_programs_are_not(tmp_path: Path) -> None:
    host = invent_host(
        tmp_path,
        **_kmsg(
            "6,12,345,-;[drm] Initialized i915 1.6.0 for 0000:00:02.0 on minor 1",
            "30,13,346,-;systemd[1]: Started nvidia-persistenced.service",
            "4,14,347,c;i915 0000:00:02.0: [drm] GPU HANG: ecode 9:1:85dffffb; stopped",
        ),
    )
    assert probe_linux_log(host) == (
        "[drm] Initialized i915 1.6.0 for 0000:00:02.0 on minor 1\n"
        "i915 0000:00:02.0: [drm] GPU HANG: ecode 9:1:85dffffb; stopped"
    )


def test_a_long_log_keeps_its_start_and_its_end(tmp_path: Path) -> None:
    records = [f"4,{n},{n},-;i915 0000:00:02.0: [drm] message {n}" for n in range(5000)]
    text = probe_linux_log(invent_host(tmp_path, **_kmsg(*records)))
    assert isinstance(text, str)
    lines = text.splitlines()
    assert len(lines) == 200
    assert lines[0].endswith("message 0")
    assert lines[-1].endswith("message 4999")


def test_a_line_that_repeats_is_told_once(tmp_path: Path) -> None:
    host = invent_host(tmp_path, **_kmsg(*(f"4,{n},{n},-;GPU HANG" for n in range(9))))
    assert probe_linux_log(host) == "GPU HANG"


def test_a_log_for_root_only_names_the_command_that_tells(tmp_path: Path) -> None:
    refused = {_KMSG: {"error": "EPERM"}}
    log = probe_linux_log(invent_host(tmp_path, lines_in=refused))
    assert isinstance(log, Unknown)
    assert log.unknown.startswith("Permission denied")
    assert "sudo dmesg" in log.unknown


def test_a_container_without_the_log_does_not_know_it(tmp_path: Path) -> None:
    assert isinstance(probe_linux_log(invent_host(tmp_path)), Unknown)


def test_the_file_of_the_log_daemon_answers_where_the_log_is_closed(tmp_path: Path) -> None:
    assert _from_file(tmp_path, _START, _HANG) == "i915 0000:00:02.0: [drm] GPU HANG: ecode 9:1"


def test_only_lines_since_the_last_start_count(tmp_path: Path) -> None:
    assert _from_file(tmp_path, _START, _HANG, _START) == ""


@pytest.mark.parametrize(
    "lines",
    [
        (_HANG,),
        (_START.replace(str(MACHINE["release"]), "5.10.0-8-amd64"), _HANG),
        (_START, _HANG.replace(" 1800.0", "99800.0")),
    ],
    ids=["no start in it", "another Linux was started", "later than now"],
)
def test_a_file_that_may_be_of_an_earlier_start_is_not_believed(
    lines: tuple[str, ...], tmp_path: Path
) -> None:
    assert isinstance(_from_file(tmp_path, *lines), Unknown)


def _logs_of_rules() -> list[str]:
    logs = []
    for path in sorted(rules_path().glob("*/*.cases.yaml")):
        document = yaml.safe_load(path.read_text())
        stated = [document.get("base", {}).get("system", {}).get("linux", {}).get("log")]
        stated += [case.get("but", {}).get("system.linux.log") for case in document["cases"]]
        logs += [text for text in stated if isinstance(text, str)]
    return logs


def test_every_line_that_a_rule_understands_is_kept() -> None:
    lines = [line for text in _logs_of_rules() for line in text.splitlines()]
    assert len(lines) > 15
    assert [line for line in lines if not re.search(MATTERS, line.lower())] == []


def test_of_a_file_that_is_too_long_the_end_is_searched(tmp_path: Path) -> None:
    path = tmp_path / "kern.log"
    path.write_text("".join(f"i915 line {n:05}\n" for n in range(10000)))
    found = LiveHost().lines_in(str(path), "i915", 160)
    assert found[-1] == "i915 line 09999"
    assert len(found) == 10


@pytest.mark.skipif(not os.access(KMSG, os.R_OK), reason="this system has no log to read")
def test_the_log_of_this_machine_holds_what_dmesg_shows() -> None:
    shown = _ran("dmesg", "-k", "-t")
    if shown.returncode:
        pytest.skip("dmesg may not be read here")
    log = probe_linux_log(LiveHost())
    assert isinstance(log, str)
    wanted = [line.strip() for line in shown.stdout.splitlines()]
    assert [line for line in log.splitlines() if line not in wanted] == []


@pytest.mark.root
def test_an_ordinary_user_meets_dmesg_restrict() -> None:
    if Path("/proc/sys/kernel/dmesg_restrict").read_text().strip() != "1":
        pytest.skip("everybody may read the log here")
    python = everyones_python()
    if python is None:
        pytest.skip("needs root, and a Python with clprobe that any user may run")
    script = (
        "from clprobe.probe.live_host import LiveHost\n"
        "from clprobe.probe.linux.linux import probe_linux_log\n"
        "print(probe_linux_log(LiveHost()))"
    )
    ran = _ran(*AS_NOBODY, python, "-c", script)
    assert ran.returncode == 0, ran.stderr
    assert "Permission denied" in ran.stdout
