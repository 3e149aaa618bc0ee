# SPDX-License-Identifier: MIT
"""Other frameworks' devices: why they are absent, and that a failure costs only themselves."""

from importlib.util import find_spec

import pytest
from asked import messages_of

from clprobe.bench.protocol import Failed, Joined, Outcome, Target
from clprobe.bench.run import Measured, Options, measure_devices
from clprobe.bench.summary import summarise
from clprobe.bench.targets import missing, no_xpu, rivals
from clprobe.bench.worker import failure_of
from clprobe.model.system import System

CPU_BUILD = "from typing import Optional\n__version__ = '2.13.0+cpu'\nxpu: Optional[str] = None\n"


def test_a_torch_without_xpu_says_which_torch_it_is() -> None:
    assert no_xpu(CPU_BUILD) == "this torch (2.13.0+cpu) was built without XPU."
    assert no_xpu("") == "this torch (of unknown version) was built without XPU."
    assert no_xpu("def broken(") == "this torch (of unknown version) was built without XPU."


def test_a_torch_with_xpu_takes_part() -> None:
    assert no_xpu(CPU_BUILD.replace("= None", "= '20250301'")) is None


def test_what_is_absent_is_a_contestant_with_a_reason() -> None:
    if find_spec("pytorch_ocl") is not None:
        pytest.skip("pytorch_dlprim is installed")

    targets, (absent,) = rivals(["ocl"])

    assert targets == ()
    assert (absent.name, absent.kind, absent.status) == ("torch ocl", "torch-ocl", "unsupported")
    assert "not installed" in absent.detail


@pytest.fixture
def torch_xpu():
    pytest.importorskip("torch")
    if missing("xpu") is None:
        pytest.skip("this torch may have an xpu")
    return Target(label="torch xpu", kind="torch-xpu")


def test_a_device_that_torch_does_not_have_fails_in_words(torch_xpu) -> None:
    (*_, last) = messages_of(torch_xpu, "copy")

    assert isinstance(last, Failed)
    assert last.detail.startswith("torch cannot use xpu: ")


def test_a_failed_rival_is_told_among_the_contestants(torch_xpu) -> None:
    options = Options(workloads=("copy",), effort="quick", baseline="numpy")
    measured = Measured()

    measure_devices([torch_xpu], options, measured, lambda _: None)

    report = summarise(measured, System(), options)
    (contestant,) = report.contestants
    assert (contestant.name, contestant.status) == ("torch xpu", "error")
    assert {one.status for one in report.results} == {"error", "skipped"}


def test_what_fails_in_torch_is_not_put_on_clprobe() -> None:
    build = RuntimeError("Failed to build program source softmax with parameters -cl-std=CL2.0")

    assert failure_of("torch", build) == f"torch failed: {build}"
    assert failure_of("clprobe", build) == f"clprobe failed: RuntimeError: {build}"
    assert failure_of("torch", ValueError("x")) == "clprobe failed: ValueError: x"


def test_torch_on_its_cpu_can_play_the_rival() -> None:
    pytest.importorskip("torch")
    from clprobe.bench.cases import matmul_cases  # noqa: PLC0415
    from clprobe.bench.effort import EFFORTS  # noqa: PLC0415
    from clprobe.bench.engines.numpy_cpu import NumpyEngine  # noqa: PLC0415
    from clprobe.bench.engines.torch_cpu import TorchSubject  # noqa: PLC0415
    from clprobe.bench.measure import Contest, measure  # noqa: PLC0415

    rival = TorchSubject("cpu")
    contest = Contest(label="torch", device=rival, reference=NumpyEngine(), effort=EFFORTS["quick"])

    outcome = measure(next(matmul_cases(EFFORTS["quick"])), contest)

    assert [one.status for one in outcome.results] == ["ok", "ok"]
    assert outcome.results[0].kernel_ms is None


def test_contestants_and_peaks_come_before_any_result(pocl) -> None:
    messages = messages_of(pocl, "launch")

    (joined,) = (one for one in messages if isinstance(one, Joined))
    assert [one.kind for one in joined.contestants] == ["opencl", "numpy"]
    # The device's own; the processor has one of arithmetic where its clock is known.
    own = [peak for peak in joined.peaks if peak.device == joined.peaks[0].device]
    assert [peak.unit for peak in own] == ["GFLOP/s", "GB/s"]
    assert all(peak.measured > 0 for peak in own)
    (outcome,) = (one for one in messages if isinstance(one, Outcome))
    assert messages.index(joined) < messages.index(outcome)
    assert outcome.other_cores is not None
