# SPDX-License-Identifier: MIT
"""Folders of `.icd` files with faulty drivers beside the real PoCL."""

import shutil
from ctypes.util import find_library
from pathlib import Path

import pytest
from asking import Build, environment
from faults import POCL, compile_driver

from clprobe.probe.collect import collect
from clprobe.probe.live_host import LiveHost


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Compile the fixture driver with a fault; each kind once per session."""
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler: gcc and libc6-dev")
    folder = tmp_path_factory.mktemp("libraries")

    def compiled(fault: str, *options: str) -> Path:
        return compile_driver(folder, fault, *options)

    return compiled


@pytest.fixture
def loader() -> None:
    """A loader of this system, without which no folder of `.icd` files is searched."""
    if find_library("OpenCL") is None:
        pytest.skip("needs an OpenCL loader: ocl-icd-libopencl1")


@pytest.fixture(scope="session")
def compiled_once() -> None:
    """PoCL's build of the known-answer kernel, for which a time limit of tests may be too short."""
    collect(LiveHost(environment()), timeout_s=60, run_kernels=True)


@pytest.fixture
def vendors(tmp_path: Path) -> Path:
    """A folder of `.icd` files that holds PoCL's."""
    if not POCL.exists():
        pytest.skip("needs a system-wide PoCL: pocl-opencl-icd")
    folder = tmp_path / "vendors"
    folder.mkdir()
    shutil.copy(POCL, folder / "pocl.icd")
    return folder
