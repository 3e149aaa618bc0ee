# SPDX-License-Identifier: MIT
"""Which loaders are asked what programs see, and how little pyopencl is asked."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from asking import environment
from inventing import invent_host
from msgspec.structs import replace

from clprobe.model.opencl import View
from clprobe.model.unknown import NOT_STATED
from clprobe.probe.host import ChildResult, Host, OpenclRequest, Python
from clprobe.probe.libraries import Libraries
from clprobe.probe.live_host import LiveHost
from clprobe.probe.opencl.enumeration import view_of
from clprobe.probe.opencl.loaders import finished_views, start_views

_FILE = {"kind": "file", "mode": 0o644}
_PYTHON = {"prefix": "/opt/conda", "package_folders": [], "pyopencl_folder": None}
_ELF = {"format": "elf", "size_bytes": 1, "elf_class": 64, "machine": "x86_64"}
_SYSTEM, _CONDA = "/usr/lib/x86_64-linux-gnu/libOpenCL.so.1", "/opt/conda/lib/libOpenCL.so.1"


def _answered(loader: str) -> dict[str, Any]:
    reports = [{"loader": loader, "loader_version": "2.3"}, {"stage": "platforms"}, {"done": True}]
    return {"ended": "exit", "reports": reports}


def _seen(host: Host) -> dict[str, View]:
    def start(role: Any, library: str) -> Any:
        return host.start_opencl(OpenclRequest(role=role, library=library, timeout_s=8.0))

    views = start_views(host, Libraries(host), start)
    return {view.viewer: view for view in finished_views(views, 5.0, has_loader=True)}


def test_the_loader_of_a_conda_environment_is_asked_beside_the_systems(tmp_path: Path) -> None:
    host = invent_host(
        tmp_path,
        environment={"": {"CONDA_PREFIX": "/opt/conda"}},
        python={"": _PYTHON},
        status={_SYSTEM: _FILE, _CONDA: _FILE},
        elf={_SYSTEM: _ELF},
        cached_libraries={"libOpenCL.so.1": [{"path": _SYSTEM, "flags": 0}]},
        start_opencl={f"loader {path}": _answered(path) for path in (_SYSTEM, _CONDA)},
    )
    loaders = {viewer: view.loader for viewer, view in _seen(host).items()}
    # By its path: this Python is conda's and would load conda's loader by the plain name.
    assert loaders == {"system-loader": _SYSTEM, "conda-loader": _CONDA}


def test_without_a_conda_environment_the_plain_name_is_loaded(tmp_path: Path) -> None:
    answers = {"loader libOpenCL.so.1": _answered(_SYSTEM)}
    (view,) = _seen(invent_host(tmp_path, start_opencl=answers)).values()
    assert (view.viewer, view.loader, view.version) == ("system-loader", _SYSTEM, "2.3")


def test_what_pyopencl_is_never_asked_is_left_out() -> None:
    reports = (
        {"platform": 0}, {"at": [0], "fact": "name", "value": "PoCL"},
        {"platform": 0, "devices": 1, "devices_error": None},
        {"at": [0, 0], "fact": "name", "value": "cpu-x"},
        {"at": [0, 0], "fact": "type", "value": 2}, {"done": True},
    )  # fmt: skip
    view = view_of("pyopencl", ChildResult(ended="exit", reports=reports), 5.0)
    assert isinstance(view.answer.platforms, tuple)
    (platform,) = view.answer.platforms
    assert (platform.name, platform.icd_suffix) == ("PoCL", NOT_STATED)
    assert isinstance(platform.devices, tuple)
    (device,) = platform.devices
    assert (device.name, device.type, device.extensions) == ("cpu-x", "cpu", NOT_STATED)


class _InConda(LiveHost):
    """This machine with a conda environment and a Python without pyopencl."""

    def __init__(self, prefix: Path) -> None:
        super().__init__(environment(CONDA_PREFIX=str(prefix)))

    def python(self) -> Python:
        return replace(super().python(), pyopencl_folder=None)


def test_a_copy_of_this_machines_loader_in_an_environment_answers(tmp_path: Path) -> None:
    host = _InConda(tmp_path)
    loader = Libraries(host).find("libOpenCL.so.1")
    if loader is None:
        pytest.skip("needs an ICD loader: ocl-icd-libopencl1")
    (tmp_path / "lib").mkdir()
    shutil.copy(loader, tmp_path / "lib/libOpenCL.so.1")
    view = _seen(host)["conda-loader"]
    assert view.loader == f"{tmp_path}/lib/libOpenCL.so.1"
    assert view.answer.outcome in ("ok", "no-devices", "error")
