# SPDX-License-Identifier: MIT
"""Programs that use OpenCL, made with the C compiler there is, and run while clprobe counts."""

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest
from building import why_nothing_builds

from clprobe.model.unknown import Unknown
from clprobe.watch.counting import library, read_counts

HERE = Path(__file__).parent
# Warnings of made-up programs are nobody's.
_QUIET = ("-O1", "-w")
_TIMEOUT_S = 120


@pytest.fixture(scope="session")
def counter() -> Path:
    """The library that counts."""
    found = library()
    if isinstance(found, Unknown):
        pytest.skip(found.unknown)
    return found


@pytest.fixture(scope="session")
def wheel() -> Path:
    """The loader in pyopencl's wheel, under its other name."""
    spec = find_spec("pyopencl")
    folder = Path(spec.origin).parent / ".libs" if spec and spec.origin else Path("/nonexistent")
    found = next(iter(folder.glob("libOpenCL-*.so*")), None)
    if found is None:
        pytest.skip("no wheel of pyopencl with a loader is installed")
    return found


@pytest.fixture(scope="session")
def only_pocl(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """Variables for which the loader of the wheel knows nothing but one PoCL that builds kernels.

    That is the one beside it, unless the processor is newer than its LLVM, on Zen 5 for one; then
    the distribution's.
    """
    vendors = tmp_path_factory.mktemp("vendors")
    variables = {"PYOPENCL_HOME": str(wheel.parents[1]), "OCL_ICD_VENDORS": str(vendors)}
    installed = [file.read_text().strip() for file in Path("/etc/OpenCL/vendors").glob("pocl*.icd")]
    for pocl in (*wheel.parent.glob("libpocl*.so"), *installed):
        (vendors / "pocl.icd").write_text(f"{pocl}\n")
        if not why_nothing_builds(variables):
            return variables
    pytest.skip("no PoCL here builds kernels for this processor")


@pytest.fixture(scope="session")
def make(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Compile one of the C files beside this one."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    folder = tmp_path_factory.mktemp("programs")

    def make(source: str, name: str, *options: object) -> Path:
        if compiler is None:
            pytest.skip("there is no C compiler")
        made = folder / name
        if not made.exists():
            command = [compiler, *_QUIET, HERE / source, "-o", made, *options, "-ldl", "-pthread"]
            subprocess.run([*map(str, command)], check=True, timeout=_TIMEOUT_S)
        return made

    return make


@pytest.fixture
def run(counter: Path, tmp_path: Path) -> Callable[..., SimpleNamespace]:
    """Run a program; return what it printed, its status, and what was counted."""
    folder = tmp_path / "counts"
    folder.mkdir()

    def run(
        *command: object,
        environment: Mapping[str, str] | None = None,
        counts: bool = True,
        before: Callable[[], None] | None = None,
    ) -> SimpleNamespace:
        variables = {**os.environ, **(environment or {})}
        if counts:
            variables |= {"CLPROBE_WATCH": str(folder), "LD_AUDIT": str(counter)}
        done = subprocess.run(
            [*map(str, command)],
            env=variables,
            preexec_fn=before,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
        printed = [line for line in done.stdout.splitlines() if not line.startswith("took ")]
        return SimpleNamespace(
            status=done.returncode, printed=printed, folder=folder, counts=read_counts(folder)
        )

    return run
