# SPDX-License-Identifier: MIT
"""A child that is forked is like one that was started by itself, and there always is one."""

import os
import signal
import sys
from pathlib import Path

import pytest
from asking import Build, environment
from faults import SOURCE, compile_driver

from clprobe.probe import forking
from clprobe.probe.forking import ForkServer, end_fork_server, fork_server
from clprobe.probe.host import ChildResult, OpenclRequest
from clprobe.probe.opencl.children import Child
from clprobe.probe.opencl.starting import Worker, start_worker
from clprobe.probe.wards import ForkedProcess, Ward


@pytest.fixture(autouse=True)
def _without_server() -> None:
    end_fork_server()


@pytest.fixture
def witness(build: Build, tmp_path: Path) -> Path:
    build("healthy")  # or there is no compiler
    return compile_driver(tmp_path, "witness", source=SOURCE.with_name("witness.c"))


def _server(variables: dict[str, str]) -> ForkServer:
    server = fork_server(variables)
    if server is None:
        pytest.skip("no process may be started that children are forked from")
    return server


def _asked(library: Path | str, variables: dict[str, str]) -> ChildResult:
    request = OpenclRequest(role="icd", library=str(library), timeout_s=20.0)
    return Child(request, variables, sys.executable).wait()


def _started(ward: Ward, variables: dict[str, str]) -> Worker:
    request = OpenclRequest(role="icd", library="libabsent.so", timeout_s=20.0)
    return start_worker(ward, request, variables, sys.executable, "no-kernels")


def _kinds_of(count: int, variables: dict[str, str]) -> list[type]:
    kinds = []
    for _ in range(count):
        ward = Ward("clprobe-")
        worker = _started(ward, variables)
        kinds.append(type(worker.process))
        ward.end()
        worker.output.close()
        worker.memory.close()
        ward.close()
    return kinds


def test_a_child_has_no_descriptor_of_another(witness: Path) -> None:
    variables = environment()
    _server(variables)
    lines = _asked(witness, variables).printed.splitlines()
    # Python keeps one of the child's own report.
    assert [line for line in lines if line.startswith("open")] == [
        "open /memfd:clprobe-report (deleted)"
    ]


def test_each_has_its_own_variables_whatever_the_server_started_with(witness: Path) -> None:
    for value in ("first", "sec\udcffond"):
        told = _asked(witness, environment(SEEN=value)).printed
        assert f"seen {value}".encode("utf-8", "surrogateescape").decode("utf-8", "replace") in told


def test_ps_shows_what_a_child_asks(witness: Path) -> None:
    told = _asked(witness, environment()).printed
    (words,) = (line.split() for line in told.splitlines() if line.startswith("words"))
    assert [Path(words[3]).name, words[4], words[-1]] == ["opencl_worker.py", "icd", str(witness)]


def test_the_dynamic_linker_has_read_the_variables_that_hold(build: Build) -> None:
    library = build("healthy")
    assert _asked(library.name, environment()).reports[-2]["failed"]
    found = _asked(library.name, environment(LD_LIBRARY_PATH=str(library.parent)))
    assert not any("failed" in report for report in found.reports)


def test_a_new_server_starts_when_one_has_made_all_that_it_can(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forking, "_CHILDREN", 2)
    variables = environment()
    _server(variables)
    assert _kinds_of(5, variables) == [ForkedProcess] * 5


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_without_a_server_a_child_is_started_by_itself(
    number: signal.Signals, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forking, "_PATIENCE_MS", 100)
    variables = environment()
    os.kill(_server(variables).pid, number)
    assert _kinds_of(2, variables) != [ForkedProcess] * 2
    assert _asked(build("healthy"), variables).ended == "exit"


def test_a_server_is_gone_once_it_is_ended() -> None:
    server = _server(environment())
    end_fork_server()
    with pytest.raises(ProcessLookupError):
        os.kill(server.pid, 0)


@pytest.mark.parametrize("name", ["LD_PRELOAD", "LD_AUDIT"])
def test_nothing_is_forked_where_libraries_are_loaded_ahead(name: str) -> None:
    variables = {**environment(), name: "libc.so.6"}

    assert fork_server(variables) is None
    assert _kinds_of(1, {**variables, name: ""}) == [ForkedProcess]
