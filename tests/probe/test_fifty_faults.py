# SPDX-License-Identifier: MIT
"""`clprobe doctor --json` beside a faulty driver: PoCL stays, culprit and stage are named.

Every run is a whole process with a time limit; each fault has a row in one of the tables.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from asking import environment
from faults import POCL, register_fault

_LIMIT_S = 3
# env looks for the program after root's rights are gone, which setpriv itself does before.
_AS_NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env")
_POCL = "Portable Computing Language"


class _Row(NamedTuple):
    """What doctor must say; `finding` None: this is no fault, nothing may be said against it."""

    stage: str
    outcome: str
    finding: str | None


_FAULTS = {
    # The .icd file
    "empty_icd": _Row("icd-file", "error", "icd-file-malformed"),
    "blank_icd": _Row("icd-file", "error", "icd-file-malformed"),
    "leading_line": _Row("icd-file", "error", "icd-file-malformed"),
    "crlf_icd": _Row("library", "error", "icd-file-malformed"),
    "trailing_space": _Row("library", "error", "icd-file-malformed"),
    "comment_icd": _Row("library", "error", "icd-file-malformed"),
    "bom_icd": _Row("library", "error", "icd-file-malformed"),
    "quoted_icd": _Row("library", "error", "icd-file-malformed"),
    "binary_icd": _Row("icd-file", "error", "icd-file-malformed"),
    "long_line": _Row("icd-file", "error", "icd-file-malformed"),
    "two_lines": _Row("queries", "ok", "icd-file-malformed"),
    "dangling_link": _Row("icd-file", "error", "icd-file-missing"),
    "looping_link": _Row("icd-file", "error", "icd-file-missing"),
    "icd_is_dir": _Row("icd-file", "error", "icd-file-malformed"),
    "icd_is_zero": _Row("icd-file", "error", "icd-file-malformed"),
    "fifo_icd": _Row("icd-file", "error", "icd-file-malformed"),
    "no_newline": _Row("queries", "ok", None),
    "null_in_icd": _Row("queries", "ok", None),
    "same_lib_twice": _Row("queries", "ok", None),
    "hard_link": _Row("queries", "ok", None),
    # The library's file
    "missing_lib": _Row("library", "error", "icd-library-missing"),
    "relative_lib": _Row("library", "error", "icd-library-missing"),
    "relative_path_lib": _Row("library", "error", "icd-library-missing"),
    "text_file": _Row("library", "error", "icd-library-damaged"),
    "html_file": _Row("library", "error", "icd-library-damaged"),
    "linker_script": _Row("library", "error", "icd-library-damaged"),
    "empty_lib": _Row("library", "error", "icd-library-damaged"),
    "truncated": _Row("library", "error", "icd-library-damaged"),
    "magic_only": _Row("library", "error", "icd-library-damaged"),
    "directory_lib": _Row("library", "error", "icd-library-damaged"),
    "fifo_lib": _Row("library", "error", "icd-library-damaged"),
    "elf32": _Row("library", "error", "icd-library-for-other-processor"),
    "aarch64": _Row("library", "error", "icd-library-for-other-processor"),
    "big_endian": _Row("library", "error", "icd-library-for-other-processor"),
    # Loading it
    "zeroed_lib": _Row("load", "error", "icd-does-not-load"),
    "executable": _Row("load", "error", "icd-does-not-load"),
    "missing_dep": _Row("load", "error", "icd-library-needs-more"),
    "many_deps": _Row("queries", "ok", None),
    "undefined_symbol": _Row("load", "error", "icd-with-undefined-symbol"),
    "ctor_abort": _Row("load", "crash", "icd-crashes"),
    "ctor_segv": _Row("load", "crash", "icd-crashes"),
    "ctor_exit0": _Row("load", "crash", "icd-crashes"),
    "ctor_exit1": _Row("load", "crash", "icd-crashes"),
    "ctor_hang": _Row("load", "hang", "icd-hangs"),
    "ctor_noise": _Row("queries", "ok", None),
    "dtor_segv": _Row("queries", "crash", "icd-crashes"),
    "dtor_exit1": _Row("queries", "crash", "icd-crashes"),
    "dtor_hang": _Row("queries", "hang", "icd-hangs"),
    "names_loader": _Row("entry-point", "error", "icd-names-loader"),
    "no_entry": _Row("entry-point", "error", "icd-does-not-load"),
    # Its platforms
    "entry_abort": _Row("platforms", "crash", "icd-crashes"),
    "entry_segv": _Row("platforms", "crash", "icd-crashes"),
    "entry_hang": _Row("platforms", "hang", "icd-hangs"),
    "entry_error": _Row("platforms", "error", "icd-answers-with-error"),
    "entry_no_device": _Row("platforms", "no-devices", "unknown-icd-shows-no-device"),
    "no_platforms": _Row("platforms", "no-devices", "unknown-icd-shows-no-device"),
    "platforms_race": _Row("platforms", "no-devices", "unknown-icd-shows-no-device"),
    "null_platform": _Row("platforms", "error", "icd-answers-with-error"),
    "wild_platform": _Row("platforms", "crash", "icd-crashes"),
    "null_dispatch": _Row("platforms", "error", "icd-answers-with-error"),
    "wild_dispatch": _Row("platforms", "crash", "icd-crashes"),
    "billions_of_platforms": _Row("platforms", "error", "icd-answers-with-error"),
    "platform_name_error": _Row("platforms", "error", "icd-answers-with-error"),
    "evil_name": _Row("queries", "ok", "icd-texts-garbled"),
    # What it does to the process
    "trap": _Row("platforms", "crash", "icd-crashes"),
    "division": _Row("platforms", "crash", "icd-crashes"),
    "bus_error": _Row("platforms", "crash", "icd-crashes"),
    "kills_group": _Row("platforms", "crash", "icd-crashes"),
    "kills_parent": _Row("platforms", "crash", "icd-crashes"),
    "kills_itself": _Row("platforms", "crash", "icd-crashes"),
    "alarm": _Row("platforms", "crash", "icd-crashes"),
    "stack_overflow": _Row("platforms", "crash", "icd-crashes"),
    "eats_memory": _Row("platforms", "crash", "icd-crashes"),
    "thread_crash": _Row("platforms", "crash", "icd-crashes"),
    "becomes_true": _Row("platforms", "crash", "icd-crashes"),
    "becomes_sleep": _Row("platforms", "hang", "icd-hangs"),
    "stops_itself": _Row("platforms", "hang", "icd-hangs"),
    "ends_main_thread": _Row("platforms", "hang", "icd-hangs"),
    "hang_without_signals": _Row("platforms", "hang", "icd-hangs"),
    "busy_hang": _Row("platforms", "hang", "icd-hangs"),
    "prints_forever": _Row("platforms", "hang", "icd-hangs"),
    "prints_evil": _Row("queries", "ok", None),
    "changes_surroundings": _Row("queries", "ok", None),
    "closes_descriptors": _Row("queries", "ok", None),
    "forks": _Row("queries", "ok", None),
    "daemonises": _Row("queries", "ok", None),
    # Its devices
    "zero_devices": _Row("devices", "no-devices", "unknown-icd-shows-no-device"),
    "devices_error": _Row("devices", "error", "icd-answers-with-error"),
    "devices_race": _Row("devices", "error", "icd-answers-with-error"),
    "devices_hang": _Row("devices", "hang", "icd-hangs"),
    "devices_segv": _Row("devices", "crash", "icd-crashes"),
    "second_platform_error": _Row("devices", "error", "icd-answers-with-error"),
    "null_entry": _Row("devices", "error", "icd-answers-with-error"),
    "null_device": _Row("devices", "error", "icd-answers-with-error"),
    "billions_of_devices": _Row("devices", "error", "icd-answers-with-error"),
    "device_name_error": _Row("queries", "error", "icd-answers-with-error"),
    "lying_size": _Row("queries", "error", "icd-answers-with-error"),
    "no_terminator": _Row("queries", "ok", None),
    "size_query_segv": _Row("queries", "crash", "icd-crashes"),
    "device_query_segv": _Row("queries", "crash", "icd-crashes"),
    "device_query_hang": _Row("queries", "hang", "icd-hangs"),
    "odd_version": _Row("queries", "ok", "platform-version-malformed"),
    "no_units": _Row("queries", "ok", "device-limits-impossible"),
    "not_available": _Row("queries", "ok", "device-not-available"),
    "gpu_of_pocl": _Row("queries", "ok", "gpu-is-a-cpu"),
    "healthy": _Row("queries", "ok", None),
}
_KERNEL_FAULTS = {
    "build_fail": _Row("compile", "error", "device-cannot-build-kernels"),
    "build_abort": _Row("compile", "crash", "icd-crashes"),
    "build_hang": _Row("compile", "hang", "icd-hangs"),
    "context_error": _Row("compile", "error", "device-cannot-build-kernels"),
    "context_segv": _Row("compile", "crash", "icd-crashes"),
    "run_fail": _Row("run", "error", "device-cannot-run-kernels"),
    "run_segv": _Row("run", "crash", "icd-crashes"),
    "run_hang": _Row("run", "hang", "icd-hangs"),
    "wrong_result": _Row("run", "error", "device-computes-wrong"),
}
_UNREADABLE = {
    "unreadable_icd": _Row("icd-file", "error", "icd-file-not-readable"),
    "unreadable_lib": _Row("library", "error", "icd-library-not-readable"),
}


@pytest.mark.parametrize("fault", _FAULTS)
def test_pocl_stays_and_the_faulty_driver_is_named(
    fault: str, vendors: Path, tmp_path: Path
) -> None:
    row = _FAULTS[fault]
    icd = register_fault(fault, vendors, _libraries(tmp_path))
    report = _doctor(vendors)
    _judge(report, icd, row)
    # Warnings of this machine may be there; nothing else here is an error.
    named = _about(report, icd, row)
    is_error = bool(named) and named[0]["severity"] == "error"
    assert report["root_cause"] == (row.finding if is_error else None)


@pytest.mark.parametrize("fault", _KERNEL_FAULTS)
def test_a_fault_of_the_compiler_or_of_a_kernel_is_named(
    fault: str, vendors: Path, tmp_path: Path
) -> None:
    icd = register_fault(fault, vendors, _libraries(tmp_path))
    _judge(_doctor(vendors, "-v"), icd, _KERNEL_FAULTS[fault])


def test_asking_for_a_device_runs_a_kernel_on_it(vendors: Path, tmp_path: Path) -> None:
    icd = register_fault("wrong_result", vendors, _libraries(tmp_path))
    report = _doctor(vendors, "--device", "gpu")
    assert [device["name"] for device in report["devices"]] == ["Fixture GPU"]
    assert _about(report, icd, _KERNEL_FAULTS["wrong_result"])


@pytest.mark.root
@pytest.mark.parametrize("fault", _UNREADABLE)
def test_what_another_user_may_not_read_is_named(fault: str, vendors: Path) -> None:
    python = _python_for_all()
    if os.geteuid() != 0 or python is None:
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
        report = _doctor(folder, python=(*_AS_NOBODY, f"HOME={shared / 'home'}", python))
        _judge(report, icd, _UNREADABLE[fault])
        assert report["root_cause"] == _UNREADABLE[fault].finding
    finally:
        shutil.rmtree(shared)


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
    started = time.monotonic()
    done = _run(vendors, "--json", *options, python=python)
    elapsed_s = time.monotonic() - started
    assert elapsed_s <= _LIMIT_S + 1, "longer than the time limit and a second"
    assert done.returncode in (0, 1, 3), done.stderr
    assert b"Traceback" not in done.stderr, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


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


def _judge(report: dict[str, Any], icd: Path, row: _Row) -> None:
    pocl = str(icd.with_name("pocl.icd"))
    assert [d["platform"] for d in report["devices"] if d["icd"] == pocl] == [_POCL]
    driver = _driver(report, icd)
    assert (driver["stage"], driver["outcome"]) == (row.stage, row.outcome), driver["detail"]
    if row.finding is None:
        against = [one for one in report["findings"] if str(icd) in json.dumps(one)]
        assert [one["id"] for one in against if one["severity"] != "note"] == []
    else:
        assert _about(report, icd, row), [one["id"] for one in report["findings"]]


def _about(report: dict[str, Any], icd: Path, row: _Row) -> list[dict[str, Any]]:
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
        pytest.skip("no C compiler")
    if not POCL.exists():
        pytest.skip("PoCL is not installed system-wide")
    libraries = folder / "libraries"
    libraries.mkdir(exist_ok=True)
    return libraries


def _python_for_all() -> str | None:
    """Return a Python that user 65534 may run and that has clprobe, None if there is none."""
    places = (sys.executable, os.environ.get("CLPROBE_PYTHON_FOR_ALL", ""), "/usr/bin/python3")
    for python in filter(None, places):
        command = [*_AS_NOBODY, python, "-c", "import clprobe.probe.collect"]
        done = subprocess.run(command, cwd="/", capture_output=True, check=False, timeout=30)
        if done.returncode == 0:
            return python
    return None


def _processes() -> list[Path]:
    return list(Path("/proc").glob("[0-9]*"))


def _maps(process: Path) -> str:
    try:
        return (process / "maps").read_text()
    except OSError:  # it has ended meanwhile, or is somebody else's
        return ""
