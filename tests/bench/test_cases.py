# SPDX-License-Identifier: MIT
"""The references are held to the same exact results as devices are."""

from collections.abc import Callable, Iterator

import pytest

from clprobe.bench.cases import Case, conv_cases, copy_cases, launch_cases, matmul_cases
from clprobe.bench.effort import EFFORTS, Effort
from clprobe.bench.engines import Engine
from clprobe.bench.engines.numpy_cpu import NumpyEngine
from clprobe.bench.proof import prove


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

        assert proof.holds, f"{case.workload}: {proof.problem}"


def test_a_latency_is_a_time_and_a_throughput_is_work_per_time() -> None:
    (launch,) = launch_cases(EFFORTS["quick"])
    matmul = next(matmul_cases(EFFORTS["quick"]))

    assert launch.figure(3e-6) == pytest.approx(3)
    assert matmul.figure(1e-3) == pytest.approx(2 * 256**3 / 1e9 / 1e-3)
