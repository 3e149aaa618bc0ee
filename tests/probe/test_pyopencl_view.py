# SPDX-License-Identifier: MIT
"""What pyopencl sees is the same whether it is imported or not; what is kept is never believed."""

import importlib.util
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from asking import Build, environment, register

from clprobe.private_files import cache_folder
from clprobe.probe.forking import fork_server
from clprobe.probe.host import ChildResult, OpenclRequest
from clprobe.probe.opencl import pyopencl_view
from clprobe.probe.opencl.children import Child
from clprobe.probe.opencl.kept_files import FOLDER
from clprobe.probe.opencl.pyopencl_view import PyopenclView


@pytest.fixture
def roles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The roles of the children that were started, in order; nothing is kept before."""
    if importlib.util.find_spec("pyopencl") is None:
        pytest.skip("needs pyopencl")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    started: list[str] = []

    def child(request: OpenclRequest, *rest: object) -> Child:
        started.append(request.role)
        return Child(request, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(pyopencl_view, "Child", child)
    return started


def _seen(vendors: Path, *, anew: bool = False, **variables: str) -> ChildResult:
    request = OpenclRequest(role="pyopencl", library="", timeout_s=60.0, anew=anew)
    steered = environment(OCL_ICD_VENDORS=str(vendors), **variables)
    return PyopenclView(request, steered, sys.executable).wait()


def _names(result: ChildResult) -> Sequence[object]:
    return [one["value"] for one in result.reports if one.get("fact") == "name"]


def test_it_is_imported_once(vendors: Path, roles: list[str]) -> None:
    first, second = _seen(vendors), _seen(vendors)
    assert roles == ["pyopencl", "loader"]
    assert first.reports == second.reports
    assert any("viewer_version" in report for report in second.reports)
    assert not any("imported" in report for report in first.reports)


def test_its_loader_is_forked_from_what_drivers_are(vendors: Path, roles: list[str]) -> None:
    assert _seen(vendors).ended == "exit"
    server = fork_server(environment(OCL_ICD_VENDORS=str(vendors)))
    assert _seen(vendors).ended == "exit"
    assert roles == ["pyopencl", "loader"]
    assert fork_server(environment(OCL_ICD_VENDORS=str(vendors))) is server


def test_it_is_imported_again_when_drivers_differ(vendors: Path, roles: list[str]) -> None:
    names = _names(_seen(vendors))
    (vendors / "pocl.icd").rename(vendors / "pocl.icd.disabled")
    assert len(_names(_seen(vendors))) < len(names)
    assert roles == ["pyopencl", "loader", "pyopencl"]


def test_it_is_imported_again_when_a_module_came(
    vendors: Path, roles: list[str], tmp_path: Path
) -> None:
    modules = tmp_path / "modules"
    modules.mkdir()
    others = os.environ.get("PYTHONPATH")
    searched = {"PYTHONPATH": os.pathsep.join(filter(None, (str(modules), others)))}
    assert _names(_seen(vendors, **searched))
    (modules / "numpy.py").write_text("raise ImportError('numpy is broken')\n")
    (failed,) = (one for one in _seen(vendors, **searched).reports if "failed" in one)
    assert "numpy is broken" in failed["failed"]
    shutil.rmtree(modules)
    assert _names(_seen(vendors, **searched))
    assert roles == ["pyopencl"] * 3


def test_it_is_imported_again_when_asked_to_or_where_nothing_is_kept(
    vendors: Path, roles: list[str]
) -> None:
    for _ in range(2):
        assert _names(_seen(vendors, CLPROBE_KERNEL_CACHE="0"))
    assert not cache_folder(FOLDER).exists()
    _seen(vendors)
    _seen(vendors, anew=True)
    assert roles == ["pyopencl"] * 4


def test_where_it_hangs_no_time_is_left_to_import_it(
    vendors: Path, roles: list[str], build: Build
) -> None:
    names = _names(_seen(vendors))
    register(vendors, build("ctor_hang"))
    request = OpenclRequest(role="pyopencl", library="", timeout_s=3.0)
    steered = environment(OCL_ICD_VENDORS=str(vendors))
    result = PyopenclView(request, steered, sys.executable).wait()
    assert names
    assert result.ended == "timeout"
    assert roles == ["pyopencl", "loader"]
    assert any("viewer_version" in report for report in result.reports)
