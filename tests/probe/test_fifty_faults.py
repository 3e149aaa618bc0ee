# SPDX-License-Identifier: MIT
"""`clprobe doctor --json` beside a faulty driver: PoCL stays, culprit and stage are named.

Every run is a whole process with a time limit; each fault has a row in fault_table.py.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from asking import environment
from everyones_python import AS_NOBODY, everyones_python
from fault_table import FAULTS, KERNEL_FAULTS, TWO_DEVICES, UNREADABLE, Row
from faults import POCL, register_fault
from log_checks import ends_at_the_root_cause

_LIMIT_S = 3
_TRIES = 3
_POCL = "Portable Computing Language"


def _apart(rows: dict[str, Row]) -> list[object]:
    """Return the faults as parameters; those that use up the time limit are run alone."""
    marks = {fault: (pytest.mark.alone,) * (row.outcome == "hang") for fault, row in rows.items()}
    return [pytest.param(fault, marks=marks[fault]) for fault in rows]


@pytest.mark.parametrize("fault", _apart(FAULTS))
def test_pocl_stays_and_the_faulty_driver_is_named(
    fault: str, vendors: Path, tmp_path: Path
) -> None:
    row = FAULTS[fault]
    icd = register_fault(fault, vendors, _libraries(tmp_path))
    report = _doctor(vendors, "--no-kernel", "--log", icd.name)
    _judge(report, icd, row)
    assert ends_at_the_root_cause(report)
    # Warnings of this machine may be there; nothing else here is an error.
    named = _about(report, icd, row)
    is_error = bool(named) and named[0]["severity"] == "error"
    assert report["root_cause"] == (row.finding if is_error else None)


@pytest.mark.usefixtures("compiled_once")
@pytest.mark.parametrize("fault", _apart(KERNEL_FAULTS))
def test_a_fault_of_the_compiler_or_of_a_kernel_is_named(
    fault: str, vendors: Path, tmp_path: Path
) -> None:
    icd = register_fault(fault, vendors, _libraries(tmp_path))
    report = _doctor(vendors, "--log", icd.name)
    _judge(report, icd, KERNEL_FAULTS[fault])
    assert ends_at_the_root_cause(report)
    kernels = {device["name"]: device["kernel"] for device in report["devices"]}
    expected = "wrong" if KERNEL_FAULTS[fault].finding == "device-computes-wrong" else "failed"
    assert kernels["Fixture GPU"] == expected
    assert report["status"] == "problems"


@pytest.mark.usefixtures("compiled_once")
@pytest.mark.parametrize("fault", TWO_DEVICES)
def test_each_device_is_tried_in_a_process_of_its_own(
    fault: str, vendors: Path, tmp_path: Path
) -> None:
    row, kernels = TWO_DEVICES[fault]
    icd = register_fault(fault, vendors, _libraries(tmp_path))
    report = _doctor(vendors)
    _judge(report, icd, row)
    assert [one["kernel"] for one in report["devices"] if one["icd"] == str(icd)] == kernels


def test_a_faulty_kernel_is_not_met_where_none_is_wanted(vendors: Path, tmp_path: Path) -> None:
    icd = register_fault("build_abort", vendors, _libraries(tmp_path))
    report = _doctor(vendors, "--no-kernel")
    assert (_driver(report, icd)["stage"], _driver(report, icd)["outcome"]) == ("queries", "ok")
    assert {device["kernel"] for device in report["devices"]} == {"not-run"}


@pytest.mark.root
@pytest.mark.parametrize("fault", UNREADABLE)
def test_what_another_user_may_not_read_is_named(fault: str, vendors: Path) -> None:
    python = everyones_python()
    if python is None:
        pytest.skip("needs root, and a Python with clprobe that any user may run")
    # pytest's own folders are closed to other users.
    shared = Path("/var/tmp") / f"clprobe-test-{os.getpid()}-{fault}"  # noqa: S108
    shared.mkdir(mode=0o755)
    try:
        folder = shutil.copytree(vendors, shared / "vendors")
        icd = register_fault(fault, folder, _libraries(shared))
        # PoCL wants a folder for its cache.
        (shared / "home").mkdir(mode=0o777)
        (shared / "home").chmod(0o777)
        report = _doctor(
            folder, "--log", icd.name, python=(*AS_NOBODY, f"HOME={shared / 'home'}", python)
        )
        _judge(report, icd, UNREADABLE[fault])
        assert ends_at_the_root_cause(report)
        assert report["root_cause"] == UNREADABLE[fault].finding
    finally:
        shutil.rmtree(shared)


@pytest.mark.alone
def test_nothing_that_a_driver_started_stays_behind(vendors: Path, tmp_path: Path) -> None:
    for fault in ("forks", "daemonises", "hang_without_signals"):
        icd = register_fault(fault, vendors, _libraries(tmp_path))
        library = icd.read_text().strip()
        _doctor(vendors)
        assert [pid for pid in _processes() if library in _maps(pid)] == []


def test_a_driver_that_eats_memory_is_stopped_before_the_machine_is(
    vendors: Path, tmp_path: Path
) -> None:
    icd = register_fault("eats_memory", vendors, _libraries(tmp_path))
    driver = _driver(_doctor(vendors), icd)
    assert driver["detail"].endswith("fixture: out of memory")


def test_control_characters_that_a_driver_prints_stay_out_of_the_screen(
    vendors: Path, tmp_path: Path
) -> None:
    for fault in ("prints_evil", "evil_name"):
        register_fault(fault, vendors, _libraries(tmp_path))
        for form in ("text", "json", "markdown"):
            done = _run(vendors, "-v", "--format", form)
            text = done.stdout.decode()
            assert all(c.isprintable() or c == "\n" for c in text), (fault, form)


def _doctor(
    vendors: Path, *options: str, python: tuple[str, ...] = (sys.executable,)
) -> dict[str, Any]:
    # Tests that share the processors may take it the second; a driver takes it every time.
    for _ in range(_TRIES):
        done, elapsed_s = _timed(vendors, *options, python=python)
        if elapsed_s <= _LIMIT_S + 1:
            break
    else:
        # Nor may it take longer than the limit and what a run takes now without the driver.
        without = vendors.parent / "without"
        without.mkdir()
        shutil.copy(vendors / POCL.name, without)
        usual_s = _timed(without, *options, python=python)[1]
        assert elapsed_s <= _LIMIT_S + usual_s, "longer than the time limit and a healthy run"
    assert done.returncode in (0, 1, 3), done.stderr
    assert b"Traceback" not in done.stderr, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _timed(
    vendors: Path, *options: str, python: tuple[str, ...]
) -> tuple[subprocess.CompletedProcess[bytes], float]:
    started = time.monotonic()
    done = _run(vendors, "--json", *options, python=python)
    return done, time.monotonic() - started


def _run(
    vendors: Path, *options: str, python: tuple[str, ...] = (sys.executable,)
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*python, "-m", "clprobe", "doctor", "--timeout", str(_LIMIT_S), *options],
        env=environment(OCL_ICD_VENDORS=str(vendors)),
        cwd="/",
        capture_output=True,
        check=False,
        timeout=60,
    )


def _judge(report: dict[str, Any], icd: Path, row: Row) -> None:
    pocl = str(icd.with_name("pocl.icd"))
    assert [d["platform"] for d in report["devices"] if d["icd"] == pocl] == [_POCL]
    driver = _driver(report, icd)
    assert (driver["stage"], driver["outcome"]) == (row.stage, row.outcome), driver["detail"]
    if row.finding is None:
        against = [one for one in report["findings"] if str(icd) in json.dumps(one)]
        assert [one["id"] for one in against if one["severity"] != "note"] == []
    else:
        assert _about(report, icd, row), [one["id"] for one in report["findings"]]


def _about(report: dict[str, Any], icd: Path, row: Row) -> list[dict[str, Any]]:
    return [
        one
        for one in report["findings"]
        if one["id"] == row.finding
        and one["verdict"] == "present"
        and one["severity"] in ("error", "warning")
        and any(name in json.dumps(one) for name in (str(icd), "Fixture GPU"))
    ]


def _driver(report: dict[str, Any], icd: Path) -> dict[str, Any]:
    found: list[dict[str, Any]] = [one for one in report["drivers"] if one["icd"] == str(icd)]
    assert len(found) == 1
    return found[0]


def _libraries(folder: Path) -> Path:
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler: gcc and libc6-dev")
    if not POCL.exists():
        pytest.skip("needs a system-wide PoCL: pocl-opencl-icd")
    libraries = folder / "libraries"
    libraries.mkdir(exist_ok=True)
    return libraries


def _processes() -> list[Path]:
    return list(Path("/proc").glob("[0-9]*"))


def _maps(process: Path) -> str:
    try:
        return (process / "maps").read_text()
    except OSError:  # it has ended meanwhile, or is somebody else's
        return ""
