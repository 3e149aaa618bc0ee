# SPDX-License-Identifier: MIT
"""Libraries that are opened by name at run time, on hosts of a few answers and on this machine."""

from pathlib import Path
from typing import Any

from inventing import invent_host

from clprobe.model.opencl import Icd
from clprobe.model.unknown import Unknown
from clprobe.probe.host import Host
from clprobe.probe.libraries import Libraries
from clprobe.probe.live_host import LiveHost
from clprobe.probe.opencl.icds import RUNTIME_LIBRARIES, FoundIcd, probe_runtime_libraries

_FILE = {"kind": "file", "mode": 0o644}
_IGC = "/usr/lib/x86_64-linux-gnu/libigc.so.2"


def _elf(machine: str = "x86_64", *, bits: int = 64, **more: Any) -> dict[str, Any]:
    return {"format": "elf", "size_bytes": 1, "elf_class": bits, "machine": machine, **more}


def _host(folder: Path, **answers: dict[str, Any]) -> Host:
    cached: dict[str, Any] = {name: [] for name in RUNTIME_LIBRARIES} | answers.pop(
        "cached_libraries", {}
    )
    return invent_host(folder, cached_libraries=cached, **answers)


def _found(host: Host, *drivers: str) -> dict[str, str | Unknown | None]:
    icds = tuple(FoundIcd(Icd(path=f"{driver}.icd"), driver) for driver in drivers)
    return probe_runtime_libraries(host, Libraries(host), icds)


def test_a_cached_library_is_told_by_its_real_path(tmp_path: Path) -> None:
    host = _host(
        tmp_path,
        cached_libraries={"libigc.so.2": [{"path": _IGC, "flags": 0}]},
        status={_IGC: _FILE},
        elf={_IGC: _elf()},
        real_path={_IGC: f"{_IGC}.1"},
    )
    found = _found(host)
    assert found["libigc.so.2"] == f"{_IGC}.1"
    assert found["libigc.so.1"] is None


def test_a_library_for_32_bit_programs_is_none_for_this_process(tmp_path: Path) -> None:
    narrow = "/usr/lib/i386-linux-gnu/libigc.so.2"
    host = _host(
        tmp_path,
        cached_libraries={"libigc.so.2": [{"path": narrow, "flags": 0}]},
        status={narrow: _FILE},
        elf={narrow: _elf("i386", bits=32)},
    )
    assert _found(host)["libigc.so.2"] is None


def test_a_copy_in_ld_library_path_comes_before_the_cache(tmp_path: Path) -> None:
    copy = "/opt/intel/libigc.so.2"
    host = _host(
        tmp_path,
        environment={"": {"LD_LIBRARY_PATH": "/opt/intel"}},
        cached_libraries={"libigc.so.2": [{"path": _IGC, "flags": 0}]},
        status={_IGC: _FILE, copy: _FILE},
        elf={_IGC: _elf(), copy: _elf()},
        real_path={copy: copy},
    )
    assert _found(host)["libigc.so.2"] == copy


def test_the_run_path_of_a_driver_counts_last(tmp_path: Path) -> None:
    driver, own = "/opt/conda/lib/intel-opencl/libigdrcl.so", "/opt/conda/lib/libigc.so.2"
    beside = "/opt/conda/lib/intel-opencl/../libigc.so.2"
    host = _host(
        tmp_path,
        status={driver: _FILE, beside: _FILE},
        elf={driver: _elf(run_path=["$ORIGIN/.."]), beside: _elf()},
        real_path={driver: driver, beside: own},
    )
    assert _found(host, driver)["libigc.so.2"] == own
    assert _found(host)["libigc.so.2"] is None


def test_where_nobody_asked_the_linker_nothing_is_known(tmp_path: Path) -> None:
    assert isinstance(_found(invent_host(tmp_path))["libigc.so.2"], Unknown)


def test_what_this_machine_finds_is_a_file() -> None:
    for path in _found(LiveHost()).values():
        assert path is None or (isinstance(path, str) and Path(path).is_file())
