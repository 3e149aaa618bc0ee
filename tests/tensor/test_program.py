# SPDX-License-Identifier: MIT
"""Building kernels: what a failure shows, and that a wrong kernel does not get past the oracle."""

import itertools
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from oracles import assert_close, rounding_bound

from clprobe.resources import kernels_path
from clprobe.tensor import Array, BuildError, Device, DeviceError, LossScale, Tensor
from clprobe.tensor.functions import sqrt
from clprobe.tensor.ops.matmul import ORACLE, matmul_forward
from clprobe.tensor.program import Candidate, first_errors

FILES = sorted(path.relative_to(kernels_path()) for path in kernels_path().rglob("*.cl"))
CONTRACT = ["launch ", "local ", "needs ", "source "]


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    """Return a copy of kernels/ that a test may spoil."""
    return Path(shutil.copytree(kernels_path(), tmp_path / "kernels"))


@pytest.mark.parametrize("file", FILES, ids=str)
def test_every_kernel_file_opens_with_its_contract(file: Path) -> None:
    text = (kernels_path() / file).read_text(encoding="utf-8")
    first, *rest = text.splitlines()
    lines = itertools.takewhile(lambda line: line.startswith("//"), rest)
    comment = " ".join(line.removeprefix("//").strip() for line in lines)

    assert first == "// SPDX-License-Identifier: MIT"
    if re.search(r"^kernel ", text, re.MULTILINE):
        assert [word for word in CONTRACT if word not in comment] == []
    else:
        # It is launched as those say that include it; tests/kernels builds it with them.
        assert re.search("for .* to (include|call)", comment)
        assert "source " in comment


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


def test_fast_math_is_asked_for_and_scales_no_losses(device: Device) -> None:
    with Device.open(device.cl_device, limits=device.limits, fast_math=True) as fast:
        x = Tensor.from_numpy(np.array([4.0, 9.0], np.float32), fast)

        np.testing.assert_allclose((1 / sqrt(x)).numpy(), [1 / 2, 1 / 3], rtol=1e-5)
        with pytest.raises(BuildError, match="-cl-fast-relaxed-math"):
            fast.programs.generated("kernel void broken( {", "broken", {}, "broken")
        with pytest.raises(DeviceError, match="fast_math"):
            LossScale(fast)
