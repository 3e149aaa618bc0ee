# SPDX-License-Identifier: MIT
"""The references are held to the same exact results as devices are."""

from collections.abc import Callable, Iterator

import pytest

from clprobe.bench.cases import Case, conv_cases, copy_cases, launch_cases, matmul_cases
from clprobe.bench.effort import EFFORTS, Effort
from clprobe.bench.engines import Engine
from clprobe.bench.engines.numpy_cpu import NumpyEngine
from clprobe.bench.nets import CNN, MLP, Flatten, Linear, Net
from clprobe.bench.proof import prove
from clprobe.model.workload import (
    Inference,
    Operation,
    TrainingSteps,
    WholeTraining,
    Workload,
    workload_named,
)


def engine(name: str) -> Engine:
    if name == "numpy":
        return NumpyEngine()
    pytest.importorskip("torch")
    from clprobe.bench.engines.torch_cpu import TorchEngine  # noqa: PLC0415 - may be absent

    return TorchEngine()


@pytest.mark.parametrize("name", ["numpy", "torch"])
@pytest.mark.parametrize("family", [copy_cases, launch_cases, matmul_cases, conv_cases])
def test_references_are_right(family: Callable[[Effort], Iterator[Case]], name: str) -> None:
    for case in family(EFFORTS["quick"]):
        prepared = case.prepare(engine(name))

        proof = prove(prepared.result(), case.expected(), case.tolerance)

        assert proof.holds, f"{case.started.name}: {proof.problem}"


def test_a_latency_is_a_time_and_a_throughput_is_work_per_time() -> None:
    (launch,) = launch_cases(EFFORTS["quick"])
    matmul = next(matmul_cases(EFFORTS["quick"]))

    assert launch.figure(3e-6) == pytest.approx(3)
    assert matmul.figure(1e-3) == pytest.approx(2 * 256**3 / 1e9 / 1e-3)


@pytest.mark.parametrize("net", [MLP, CNN], ids=lambda net: net.name)
def test_larger_batches_compute_more_with_each_byte(net: Net) -> None:
    small, large = net.intensity(1), net.intensity(1024)

    assert 0 < small < large


def test_the_intensity_of_one_layer_is_counted_by_hand() -> None:
    net = Net(name="one", layers=(Flatten(), Linear(64, 10)), epochs=1)

    # Three products of 64 x 10 for 2 images; 74 values of each, and 7 times the weights.
    assert net.intensity(2) == pytest.approx(6 * 640 * 2 / (4 * (3 * 2 * 74 + 7 * 640)))


@pytest.mark.parametrize(
    ("name", "workload"),
    [
        ("launch", Operation("launch")),
        ("matmul-256", Operation("matmul", "256")),
        ("conv-weight-grad-16x64x28", Operation("conv-weight-grad", "16x64x28")),
        ("train-cnn", WholeTraining("cnn")),
        ("step-cnn-64", TrainingSteps("cnn", 64)),
        ("step-Net_2-1", TrainingSteps("Net_2", 1)),
        ("infer-cnn-16", Inference("cnn", 16)),
    ],
)
def test_a_document_names_a_workload_and_no_other(name: str, workload: Workload) -> None:
    assert str(workload) == name
    assert workload_named(name) == workload
