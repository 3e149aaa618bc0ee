# SPDX-License-Identifier: MIT
"""Building kernels: what a failure shows, and that a wrong kernel does not get past the oracle."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from oracles import assert_close, rounding_bound

from clprobe.resources import kernels_path
from clprobe.tensor import Array, BuildError, Device
from clprobe.tensor.ops.matmul import ORACLE, matmul_forward
from clprobe.tensor.program import Candidate, first_errors, read_with_includes

FILES = sorted(path.relative_to(kernels_path()) for path in kernels_path().rglob("*.cl"))
HEADER = ["launch ", "local ", "needs ", "source "]


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    """Return a copy of kernels/ that a test may spoil."""
    return Path(shutil.copytree(kernels_path(), tmp_path / "kernels"))


@pytest.mark.parametrize("file", FILES, ids=str)
def test_every_kernel_file_stands_alone(file: Path) -> None:
    if shutil.which("clang") is None:
        pytest.skip("clang is not installed")
    result = subprocess.run(
        [
            *("clang", "-x", "cl", "-cl-std=CL1.2", "-fsyntax-only", "-Wall", "-Werror"),
            *("-Xclang", "-finclude-default-header", "-I", ".", file),
        ],
        cwd=kernels_path(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("target", ["bdw", "skl", "tgllp", "acm-g10"])
def test_intels_compiler_accepts_every_kernel(target: str, tmp_path: Path) -> None:
    if shutil.which("ocloc") is None:
        pytest.skip("ocloc, Intel's offline compiler, is not installed")
    for file in FILES:
        # variants.yaml keeps it to CPUs.
        if file.name == "packed.cl":
            continue
        source = tmp_path / file.name
        source.write_text(read_with_includes(kernels_path(), str(file)))
        result = subprocess.run(
            [
                *("ocloc", "compile", "-file", source, "-device", target),
                *("-options", "-cl-std=CL1.2 -Werror", "-out_dir", tmp_path),
            ],
            capture_output=True,
            text=True,
            check=False,
        )

        assert result.returncode == 0, f"{file}: {result.stdout}{result.stderr}"


@pytest.mark.parametrize("file", FILES, ids=str)
def test_every_kernel_file_opens_with_its_contract(file: Path) -> None:
    lines = (kernels_path() / file).read_text(encoding="utf-8").splitlines()
    comment = "\n".join(line for line in lines[:25] if line.startswith("//"))

    assert lines[0] == "// SPDX-License-Identifier: MIT"
    assert [word for word in HEADER if word not in comment] == []


def test_a_kernel_that_does_not_build_shows_file_options_and_errors(
    device: Device, kernels: Path
) -> None:
    (kernels / "broken.cl").write_text("kernel void broken(global float *x) { x[0] = nonsense; }\n")

    with (
        Device.open(device.cl_device, kernels=kernels) as opened,
        pytest.raises(BuildError) as caught,
    ):
        opened.programs.kernel("broken.cl", "broken", {"TILE": 3})

    assert caught.value.reference == "kernel-does-not-build"
    for part in (str(kernels / "broken.cl"), "-DTILE=3", device.name, "nonsense"):
        assert part in caught.value.message


def test_a_long_build_log_is_cut_to_its_first_errors() -> None:
    log = "In file included from x:\n" + "".join(f"x.cl:{n}: error: bad {n}\n" for n in range(9))

    assert first_errors(log) == [f"x.cl:{n}: error: bad {n}" for n in range(5)]
    assert first_errors("linker gave up\n\n") == ["linker gave up"]


def test_a_wrong_matrix_kernel_is_caught_by_the_oracle(
    device: Device, kernels: Path, generator: np.random.Generator
) -> None:
    for file in (kernels / "matmul").glob("*.cl"):
        if file.name != "naive.cl":
            file.write_text(file.read_text().replace("+= a_value", "-= a_value"))
    values = generator.uniform(1, 2, (33, 33)).astype(np.float32)

    with Device.open(device.cl_device, kernels=kernels) as opened:
        a = Array.from_numpy(values, opened)
        oracle = matmul_forward(a, a, variant=ORACLE).numpy()
        found = matmul_forward(a, a).numpy()

    with pytest.raises(AssertionError, match="values are off"):
        assert_close(found, oracle.astype(np.float64), 2 * rounding_bound(33, oracle))


def test_no_candidate_that_fits_is_an_error(device: Device) -> None:
    candidate = Candidate(
        file="reduce/sum_rows.cl",
        defines={"WORK_GROUP_SIZE": 64},
        work_group_size=64,
        local_memory_bytes=1 << 40,
    )

    with pytest.raises(BuildError, match="bytes of local memory"):
        device.programs.first_that_fits("sum_rows", [candidate])
