# SPDX-License-Identifier: MIT
"""PyTorch and its extensions, from package folders written for the test; nothing is imported."""

from pathlib import Path

import pytest
from asking import environment
from msgspec.structs import replace

from clprobe.model.opencl import Framework
from clprobe.model.unknown import Unknown
from clprobe.probe.frameworks import (
    device_types,
    finished_frameworks,
    probe_frameworks,
    start_frameworks,
    with_devices,
)
from clprobe.probe.host import ChildResult, OpenclRequest, Pending, Python, Role
from clprobe.probe.live_host import LiveHost

_VERSION = (
    "from typing import Optional\n__version__ = '{version}'\ndebug = False\n"
    "cuda: Optional[str] = {cuda}\nhip: Optional[str] = None\nxpu: Optional[str] = {xpu}\n"
)


class _WithPackages(LiveHost):
    """This machine with one package folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        super().__init__(environment())

    def python(self) -> Python:
        return Python(prefix="/usr", package_folders=(str(self._folder),), pyopencl_folder=None)


def _install_torch(folder: Path, version: str, *, cuda: str = "None", xpu: str = "None") -> None:
    (folder / "torch").mkdir()
    text = _VERSION.format(version=version, cuda=cuda, xpu=xpu)
    (folder / "torch/version.py").write_text(text)


def _install(folder: Path, package: str, metadata: str) -> None:
    (folder / f"{package}.dist-info").mkdir()
    (folder / f"{package}.dist-info/METADATA").write_text(metadata)


def _found(folder: Path) -> dict[str, Framework]:
    frameworks = probe_frameworks(_WithPackages(folder))
    assert isinstance(frameworks, tuple)
    return {framework.name: framework for framework in frameworks}


@pytest.mark.parametrize(
    ("backends", "built_for"),
    [
        ({}, ("cpu",)),
        ({"cuda": "'12.8'"}, ("cpu", "cuda")),
        ({"xpu": "'20250302'"}, ("cpu", "xpu")),
    ],
)
def test_a_build_tells_what_it_was_built_for(
    tmp_path: Path, backends: dict[str, str], built_for: tuple[str, ...]
) -> None:
    _install_torch(tmp_path, "2.9.1+local", **backends)
    pytorch = _found(tmp_path)["pytorch"]
    assert (pytorch.version, pytorch.built_for) == ("2.9.1+local", built_for)


def test_a_python_without_pytorch_has_no_framework(tmp_path: Path) -> None:
    assert probe_frameworks(_WithPackages(tmp_path)) == ()


def test_a_torch_without_version_file_is_there_but_unknown(tmp_path: Path) -> None:
    (tmp_path / "torch").mkdir()
    assert isinstance(_found(tmp_path)["pytorch"].built_for, Unknown)


@pytest.mark.parametrize(
    ("package", "metadata", "name", "needs"),
    [
        ("pytorch_ocl-0.2.0+torch2.6", "", "pytorch_dlprim", ">=2.6, <2.7"),
        ("pytorch_ocl-0.3.0", "Requires-Dist: torch==2.8.0\n", "pytorch_dlprim", "==2.8.0"),
        (
            "intel_extension_for_pytorch-2.8.10+xpu",
            "Requires-Dist: psutil\n",
            "intel-extension-for-pytorch",
            ">=2.8, <2.9",
        ),
    ],
)
def test_an_extension_tells_which_pytorch_it_needs(
    tmp_path: Path, package: str, metadata: str, name: str, needs: str
) -> None:
    _install(tmp_path, package, metadata)
    assert _found(tmp_path)[name].needs == needs


def test_device_types_follow_from_the_build() -> None:
    pytorch = Framework(name="pytorch", built_for=("cpu", "hip", "xpu"))
    assert device_types(pytorch) == ("cuda", "xpu")
    assert device_types(replace(pytorch, built_for=("cpu",))) == ()


def test_devices_and_errors_come_from_the_child() -> None:
    pytorch = Framework(name="pytorch")
    end = {"torch_end": "xpu:1", "error": "RuntimeError: device ordinal out of range"}
    device = {"torch_device": "xpu:0", "right": True}
    shown = with_devices(pytorch, (ChildResult(ended="exit", reports=(device, end)),))
    assert (shown.devices, shown.message) == (("xpu:0",), None)
    none = with_devices(pytorch, (ChildResult(ended="exit", reports=(end,)),))
    assert (none.devices, none.message) == ((), end["error"])
    hanging = with_devices(pytorch, (ChildResult(ended="timeout"),))
    assert isinstance(hanging.devices, Unknown)
    assert hanging.message == "it did not end in time"


def test_this_pytorch_says_why_it_has_no_xpu() -> None:
    pytest.importorskip("torch")
    request = OpenclRequest(role="torch", library="xpu", timeout_s=60)
    result = LiveHost(environment()).start_opencl(request).wait()
    shown = with_devices(Framework(name="pytorch"), (result,))
    assert shown.devices == ()
    assert isinstance(shown.message, str)


def test_an_extension_is_asked_for_its_own_type_of_device(tmp_path: Path) -> None:
    started = []

    def start(role: Role, library: str) -> Pending:
        started.append((role, library))
        return _Ended(ChildResult(ended="exit", reports=({"torch_device": "ocl:0"},)))

    _install_torch(tmp_path, "2.6.0+cpu")
    _install(tmp_path, "pytorch_ocl-0.2.0+torch2.6", "")
    found = probe_frameworks(_WithPackages(tmp_path))
    shown = finished_frameworks(found, start_frameworks(found, start))
    assert isinstance(shown, tuple)
    assert started == [("torch", "ocl")]
    assert {one.name: one.devices for one in shown} == {"pytorch": (), "pytorch_dlprim": ("ocl:0",)}


def test_frameworks_that_nobody_asked_stay_as_they_are(tmp_path: Path) -> None:
    _install_torch(tmp_path, "2.6.0+cpu")
    found = probe_frameworks(_WithPackages(tmp_path))
    assert finished_frameworks(found, {}) == found


class _Ended:
    """A child that has ended."""

    def __init__(self, result: ChildResult) -> None:
        self._result = result

    def wait(self) -> ChildResult:
        return self._result
