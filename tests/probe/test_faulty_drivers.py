# SPDX-License-Identifier: MIT
"""Whatever a driver does, it is named with its stage and the healthy one beside it is found."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from asking import Build, ask, device_names, environment, icd_named, register

from clprobe.model.unknown import Unknown

# fault → stage, outcome, and what else must be told
_FAULTS = {
    "ctor_abort": ("load", "crash", {"signal": "SIGABRT"}),
    "ctor_segv": ("load", "crash", {"signal": "SIGSEGV"}),
    "ctor_exit0": ("load", "crash", {"exit_status": 0}),
    "ctor_exit1": ("load", "crash", {"exit_status": 1}),
    "ctor_noise": ("queries", "ok", {}),
    "entry_abort": ("platforms", "crash", {"signal": "SIGABRT"}),
    "entry_segv": ("platforms", "crash", {"signal": "SIGSEGV"}),
    "entry_error": ("platforms", "error", {"error_code": -6}),
    "entry_no_device": ("platforms", "no-devices", {"error_code": -1001}),
    "null_dispatch": ("platforms", "error", {"error_code": None}),
    "null_entry": ("devices", "error", {"error_code": None}),
    "platform_name_error": ("platforms", "error", {"error_code": -6}),
    "platform_name_segv": ("platforms", "crash", {"signal": "SIGSEGV"}),
    "evil_name": ("queries", "ok", {}),
    "zero_devices": ("devices", "no-devices", {}),
    "devices_error": ("devices", "error", {"error_code": -6}),
    "devices_race": ("devices", "error", {"error_code": -1}),
    "devices_segv": ("devices", "crash", {"signal": "SIGSEGV"}),
    "device_query_segv": ("queries", "crash", {"signal": "SIGSEGV"}),
    "not_available": ("queries", "ok", {}),
    "dtor_segv": ("queries", "crash", {"signal": "SIGSEGV"}),
    "closes_descriptors": ("queries", "ok", {}),
    "forks": ("queries", "ok", {}),
    "healthy": ("queries", "ok", {}),
}
_HANGS = {
    "ctor_hang": "load",
    "entry_hang": "platforms",
    "devices_hang": "devices",
    "device_query_hang": "queries",
}
_KERNEL_FAULTS = {
    "healthy": ("run", "ok", "right"),
    "build_fail": ("compile", "error", "build-failed"),
    "build_abort": ("compile", "crash", None),
    "build_hang": ("compile", "hang", None),
    "run_fail": ("run", "error", "run-failed"),
    "run_segv": ("run", "crash", None),
    "wrong_result": ("run", "error", "wrong"),
}


def _pocl_is_found(snapshot: object, vendors: Path) -> bool:
    answer = icd_named(snapshot, vendors / "pocl.icd").answer  # type: ignore[arg-type]
    return answer.outcome == "ok" and len(device_names(answer)) == 1


@pytest.mark.parametrize("fault", _FAULTS)
def test_a_fault_is_named_and_pocl_is_found(fault: str, build: Build, vendors: Path) -> None:
    stage, outcome, told = _FAULTS[fault]
    broken = register(vendors, build(fault))
    snapshot = ask(vendors)
    answer = icd_named(snapshot, broken).answer
    assert (answer.stage, answer.outcome) == (stage, outcome), answer.message
    assert {name: getattr(answer, name) for name in told} == told
    assert _pocl_is_found(snapshot, vendors)


@pytest.mark.alone
@pytest.mark.parametrize("fault", _HANGS)
def test_a_hang_ends_with_the_time_limit(fault: str, build: Build, vendors: Path) -> None:
    broken = register(vendors, build(fault))
    started = time.monotonic()
    snapshot = ask(vendors, timeout_s=2.0)
    assert time.monotonic() - started < 3.5
    answer = icd_named(snapshot, broken).answer
    assert (answer.stage, answer.outcome) == (_HANGS[fault], "hang")
    assert _pocl_is_found(snapshot, vendors)


@pytest.mark.parametrize(("fault", "by"), [("stops_itself", "SIGSTOP"), ("is_traced", "SIGTRAP")])
def test_a_stopped_driver_is_said_to_have_been_stopped(
    fault: str, by: str, build: Build, vendors: Path
) -> None:
    broken = register(vendors, build(fault))
    answer = icd_named(ask(vendors, timeout_s=4.0), broken).answer
    assert (answer.stage, answer.outcome, answer.printed) == ("platforms", "hang", None)
    assert answer.message == f"no end within 4 s, in stage platforms; {by} had stopped it"


@pytest.mark.usefixtures("compiled_once")
@pytest.mark.parametrize("fault", _KERNEL_FAULTS)
def test_a_known_answer_kernel_is_run_when_asked_for(
    fault: str, build: Build, vendors: Path
) -> None:
    stage, outcome, result = _KERNEL_FAULTS[fault]
    broken = register(vendors, build(fault))
    snapshot = ask(vendors, run_kernels=True, timeout_s=3.0)
    answer = icd_named(snapshot, broken).answer
    assert (answer.stage, answer.outcome) == (stage, outcome), answer.message
    device = answer.platforms[0].devices[0]
    assert device.name == "Fixture GPU"
    if result is not None:
        assert device.kernel_result == result
    pocl = icd_named(snapshot, vendors / "pocl.icd").answer
    assert pocl.platforms[0].devices[0].kernel_result == "right"


def test_a_driver_that_takes_a_processor_in_real_time_is_ended(build: Build, vendors: Path) -> None:
    try:
        before = os.sched_getparam(0)
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        os.sched_setscheduler(0, os.SCHED_OTHER, before)
    except PermissionError:
        pytest.skip("needs root, or the right to real-time priority")
    broken = register(vendors, build("takes_a_processor"))
    snapshot = ask(vendors)
    answer = icd_named(snapshot, broken).answer
    assert (answer.stage, answer.outcome, answer.signal) == ("platforms", "crash", "SIGXCPU")
    assert _pocl_is_found(snapshot, vendors)


def test_what_a_driver_told_before_it_crashed_is_kept(build: Build, vendors: Path) -> None:
    broken = register(vendors, build("device_query_segv"))
    answer = icd_named(ask(vendors), broken).answer
    device = answer.platforms[0].devices[0]
    assert device.name == "Fixture GPU"
    assert isinstance(device.global_memory_bytes, Unknown)
    assert answer.message == "ended by SIGSEGV while answering compute_units"


def test_every_fact_of_a_device_is_read(build: Build, vendors: Path) -> None:
    broken = register(vendors, build("healthy"))
    device = icd_named(ask(vendors), broken).answer.platforms[0].devices[0]
    assert device.pci_address == "0000:00:02.0"
    assert (device.device_id, device.ip_version) == (0x5916, 0x02400009)
    assert device.sub_group_sizes == (8, 16, 32)
    assert (device.type, device.local_memory_type) == ("gpu", "local")
    assert (device.compute_units, device.max_clock_mhz) == (24, 1150)
    assert device.double_fp_config is None
    unknown = [name for name in device.__struct_fields__
               if isinstance(getattr(device, name), Unknown)]  # fmt: skip
    assert unknown == ["kernel_result", "build_log"]


def test_noise_is_kept_in_part(build: Build, vendors: Path) -> None:
    broken = register(vendors, build("ctor_noise"))
    printed = icd_named(ask(vendors), broken).answer.printed
    assert isinstance(printed, str)
    assert printed.endswith("fixture: noise on stdout")
    assert len(printed) <= 2000


def test_control_characters_of_a_name_survive_as_facts(build: Build, vendors: Path) -> None:
    broken = register(vendors, build("evil_name"))
    name = icd_named(ask(vendors), broken).answer.platforms[0].name
    assert name == "\x1b[31mevil\nname\ufffd\x9b"


@pytest.mark.alone
def test_a_driver_that_aborts_costs_less_than_a_second(build: Build, vendors: Path) -> None:
    register(vendors, build("healthy"))
    started = time.monotonic()
    ask(vendors)
    healthy_s = time.monotonic() - started
    register(vendors, build("ctor_abort"))
    started = time.monotonic()
    ask(vendors)
    assert time.monotonic() - started - healthy_s < 1


def test_nothing_of_a_child_stays_behind(build: Build, vendors: Path, tmp_path: Path) -> None:
    library = register(vendors, build("forks")).read_text().strip()
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    subprocess.run(
        [sys.executable, "-c", "from clprobe.probe.collect import collect; collect()"],
        env=environment(OCL_ICD_VENDORS=str(vendors), TMPDIR=str(scratch)),
        timeout=30,
        check=True,
    )
    assert list(scratch.iterdir()) == []
    for maps in Path("/proc").glob("[0-9]*/maps"):
        try:
            mapped = maps.read_text()
        except OSError:
            continue
        assert library not in mapped


def test_one_library_named_twice_is_asked_once(build: Build, vendors: Path) -> None:
    first = register(vendors, build("healthy"))
    second = vendors / "again.icd"
    second.write_text(first.read_text())
    snapshot = ask(vendors)
    assert icd_named(snapshot, first).answer == icd_named(snapshot, second).answer
