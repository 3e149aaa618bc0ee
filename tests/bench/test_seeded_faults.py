# SPDX-License-Identifier: MIT
"""One wrong place in one kernel: bench refuses the device, whichever of its workloads runs it."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pyopencl as cl
import pytest

from clprobe.bench.effort import EFFORTS
from clprobe.bench.engines.numpy_cpu import NumpyEngine
from clprobe.bench.engines.opencl import OpenClSubject
from clprobe.bench.measure import Contest, measure
from clprobe.bench.plan import CASES, NETS
from clprobe.bench.protocol import Outcome
from clprobe.bench.training import measure_training
from clprobe.resources import kernels_path
from clprobe.tensor import Device

pytestmark = pytest.mark.usefixtures("built_once")
LOSS = "loss/softmax_cross_entropy.cl"
MATMUL = "matmul/packed.cl"
MASK = "reduce/mask_and_sum.cl"
NORM = "norm/planes.cl"
OPERATIONS = "elementwise/operations.cl"
TRANSFORMS = "conv/winograd_transforms.cl"
WINOGRADS_VECTORS = 16  # min_vector_width in kernels/conv/variants.yaml
FAULTS = [
    ("launch", OPERATIONS, "return a + b;", "return a + b * 1.0001f;"),
    ("matmul", MATMUL, "+= a_value *", "-= a_value *"),
    ("matmul", MATMUL, "z == 0, z + depth == k", "true, z + depth == k"),
    ("matmul", MATMUL, "sums[i][j] = 0.0f;", "sums[i][j] = 0.001f;"),
    ("matmul", MATMUL, "if (TRANSPOSE_B)", "if (!TRANSPOSE_B)"),
    ("conv", "conv/winograd.cl", "line[at] = 0.0f;", "line[at] = 0.01f;"),
    ("conv", TRANSFORMS, "8.0f * far_difference + m[5]", "8.0f * far_difference"),
    ("conv", TRANSFORMS, "0.25f * w0", "0.251f * w0"),
    ("train-mlp", "optim/sgd.cl", "value - rate *", "value - 1.01f * rate *"),
    ("train-mlp", "optim/sgd.cl", "momentum * state[index] + g", "state[index] + g"),
    ("train-mlp", LOSS, "(size_t)label ?", "(size_t)label + 1 ?"),
    ("train-mlp", LOSS, "factor = known ? scale", "factor = known ? 1.0f"),
    ("train-mlp", LOSS, "log(sum)", "log2(sum)"),
    ("train-mlp", LOSS, "(values[label] - maximum)", "values[label]"),
    ("train-mlp", MASK, "> 0.0f ? dy[index]", ">= 0.0f ? dy[index]"),
    ("train-cnn", MASK, "lanes.lo + lanes.hi", "lanes.lo"),
    ("train-cnn", "pool/max_pool_2x2.cl", "place == (int)width)", "place == (int)width + 1)"),
    ("train-cnn", "conv/direct.cl", "sums[i][j] = 0.0f;", "sums[i][j] = 0.01f;"),
    ("train-cnn", "conv/direct_weights.cl", "index >= parts,", "false,"),
    ("train-resnet", NORM, "= from_mean.y - from_mean.x", "= 1.01f * from_mean.y - from_mean.x"),
    ("train-resnet", NORM, "sums.y * scale[piece.channel]", "sums.y"),
    ("train-resnet", OPERATIONS, "y > 0.0f ? dy : (VALUES)(0.0f)", "dy"),
]


def spoiled(folder: Path, file: str, right: str, wrong: str) -> Path:
    kernels = Path(shutil.copytree(kernels_path(), folder / "kernels"))
    pattern = r"\s+".join(re.escape(word) for word in right.split())
    text, places = re.subn(pattern, lambda _: wrong, (kernels / file).read_text())
    assert places, f"{file} no longer holds {right!r}: give the fault another place"
    (kernels / file).write_text(text)
    return kernels


def first_that_is_wrong(workload: str, kernels: Path) -> Outcome | None:
    contest = Contest(
        label="PoCL",
        device=OpenClSubject(Device.open(pocl_device(), kernels=kernels)),
        reference=NumpyEngine(),
        # Nothing is to be timed that is right.
        effort=replace(EFFORTS["quick"], seconds_per_case=0.01),
    )
    if workload in NETS:
        outcomes = [measure_training(NETS[workload], contest)]
    else:
        outcomes = (measure(case, contest) for case in CASES[workload](contest.effort))
    return next((one for one in outcomes if one.results[0].status != "ok"), None)


def pocl_device() -> cl.Device:
    for platform in cl.get_platforms():
        if platform.name == "Portable Computing Language":
            return platform.get_devices()[0]
    pytest.skip("no PoCL")


def skip_unless_run(file: str) -> None:
    """Skip where PoCL's CPU runs no kernel of the file, so that a fault in it is none."""
    if "conv/winograd" in file and pocl_device().native_vector_width_float < WINOGRADS_VECTORS:
        pytest.skip("this CPU's vectors are too short for Winograd's kernels")


@pytest.mark.parametrize(
    ("workload", "file", "right", "wrong"), FAULTS, ids=[f"{one[0]} {one[3]}" for one in FAULTS]
)
def test_a_fault_gets_no_figure(
    workload: str, file: str, right: str, wrong: str, tmp_path: Path
) -> None:
    skip_unless_run(file)

    outcome = first_that_is_wrong(workload, spoiled(tmp_path, file, right, wrong))

    assert outcome is not None
    (result,) = outcome.results
    assert (result.status, result.median, result.samples) == ("wrong-result", None, 0)
    assert result.max_error is None or result.max_error > result.tolerance
    assert (outcome.verdict.decision, outcome.verdict.ratio) == ("refused", None)
    if outcome.training is not None:
        assert outcome.training.matches_reference is False
        assert (outcome.training.accuracy, outcome.training.samples_per_second) == (None, None)
