# SPDX-License-Identifier: MIT
"""Folders of `.icd` files with faulty drivers beside the real PoCL."""

import shutil
import subprocess
from pathlib import Path

import pytest
from asking import Build

_SOURCE = Path(__file__).parents[1] / "icds" / "faulty.c"
_POCL = Path("/etc/OpenCL/vendors/pocl.icd")


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Compile the fixture driver with a fault; each kind once per session."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("libraries")

    def compiled(fault: str, *options: str) -> Path:
        library = folder / f"lib{fault}.so"
        if not library.exists():
            command = [compiler, "-shared", "-fPIC", "-w", f'-DFAULT="{fault}"', "-o", library]
            subprocess.run([*command, _SOURCE, *options], check=True)
        return library

    return compiled


@pytest.fixture
def vendors(tmp_path: Path) -> Path:
    """A folder of `.icd` files that holds PoCL's."""
    if not _POCL.exists():
        pytest.skip("PoCL is not installed system-wide")
    folder = tmp_path / "vendors"
    folder.mkdir()
    shutil.copy(_POCL, folder / "pocl.icd")
    return folder
