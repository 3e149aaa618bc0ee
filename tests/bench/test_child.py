# SPDX-License-Identifier: MIT
"""A driver that crashes, hangs or does not load costs only what it did not finish."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from asked import messages_of

from clprobe.bench.effort import EFFORTS
from clprobe.bench.protocol import Failed, Finished, Outcome, Started, Step, Target
from clprobe.bench.run import Measured, Options, measure_devices
from clprobe.resources import kernels_path

SOURCE = Path(__file__).with_name("failing_pocl.c")


def failing(pocl: Target, folder: Path, *options: str) -> Target:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler: gcc and libc6-dev")
    library = folder / "libfailing.so"
    command = [compiler, "-shared", "-fPIC", "-w", f'-DPOCL="{pocl.library}"', *options]
    subprocess.run([*command, "-o", library, SOURCE, "-ldl"], check=True)
    return msgspec.structs.replace(pocl, label="failing PoCL", library=str(library))


def test_a_crash_keeps_what_was_measured_before(pocl: Target, tmp_path: Path) -> None:
    messages = messages_of(failing(pocl, tmp_path), "copy", "launch", "matmul")

    outcomes = [message for message in messages if isinstance(message, Outcome)]
    assert [outcome.results[0].workload for outcome in outcomes] == ["copy"]
    assert outcomes[0].results[0].status == "ok"
    started = [message.name for message in messages if isinstance(message, Started)]
    assert started == ["opening the device", "copy", "launch"]
    assert isinstance(messages[-1], Failed)
    assert "crashed: Segmentation fault" in messages[-1].detail


def test_pocl_posing_as_a_gpu_is_unmasked_and_gets_no_figure(pocl: Target, tmp_path: Path) -> None:
    measured = Measured()

    measure_devices(
        [failing(pocl, tmp_path, "-DPOSE")],
        Options(workloads=("copy", "matmul"), effort="quick", baseline="numpy"),
        measured,
        lambda _: None,
    )

    first, *rest = [one.results[0] for one in measured.outcomes]
    assert first.status == "wrong-result"
    assert "it calls itself a GPU, but pthread" in first.detail
    assert {one.status for one in rest} == {"skipped"}
    assert {one.results[0].median for one in measured.outcomes} == {None}
    decisions = [one.verdict.decision for one in measured.outcomes]
    assert (decisions[0], {*decisions[1:]}) == ("refused", {"unclear"})


def test_a_hang_is_given_up(pocl: Target, tmp_path: Path) -> None:
    messages = messages_of(failing(pocl, tmp_path, "-DHANG"), "launch", silence_seconds=6)

    assert messages[-1] == Failed(detail="nothing finished within 6 s.")


def test_the_next_device_is_measured_after_a_crash(pocl: Target, tmp_path: Path) -> None:
    measured = Measured()
    said: list[Step] = []

    measure_devices(
        [failing(pocl, tmp_path), pocl],
        Options(workloads=("launch",), effort="quick", baseline="numpy"),
        measured,
        said.append,
    )

    found = [
        (result.device, result.workload, result.status)
        for outcome in measured.outcomes
        for result in outcome.results
    ]
    assert found == [
        ("failing PoCL", "launch", "error"),
        ("PoCL", "launch", "ok"),
        ("NumPy on the CPU", "launch", "ok"),
    ]
    assert not measured.complete
    assert [step.workload for step in said if step.device == "PoCL"][1] == "launch"
    assert (said[-1].done, said[-1].total) == (1, 1)


def test_what_a_broken_device_did_not_reach_is_listed(pocl: Target, tmp_path: Path) -> None:
    measured = Measured()

    measure_devices(
        [failing(pocl, tmp_path)],
        Options(workloads=("copy", "matmul", "train-mlp"), effort="quick", baseline="numpy"),
        measured,
        lambda _: None,
    )

    first, *broken = measured.outcomes[:3]
    rest = measured.outcomes[3:]
    training = rest[0]
    assert (first.results[0].workload, first.results[0].status) == ("copy", "ok")
    assert [(one.results[0].workload, one.results[0].status) for one in broken] == [
        ("matmul-256", "error"),
        ("matmul-512", "error"),
    ]
    reason = "not run, as matmul-256 and matmul-512 failed before."
    assert [(one.results[0].workload, one.results[0].detail) for one in rest] == [
        ("train-mlp", reason),
        ("step-mlp-1", reason),
        ("step-mlp-512", reason),
        ("infer-mlp-1", reason),
        ("infer-mlp-512", reason),
    ]
    assert {one.results[0].status for one in rest} == {"skipped"}
    assert {one.verdict.decision for one in rest} == {"unclear"}
    assert training.training.status == "skipped"
    assert not measured.complete


@pytest.mark.parametrize(
    ("how", "words"),
    [("-DCRASH", "crashed"), ("-DHANG", "within 10 s"), ("-DLOSE", "INVALID_COMMAND_QUEUE")],
)
def test_after_a_crash_a_hang_or_a_loss_the_rest_goes_on(
    pocl: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, words: str
) -> None:
    impatient = replace(EFFORTS["quick"], silence_seconds=10)
    monkeypatch.setitem(EFFORTS, "quick", impatient)
    measured = Measured()

    measure_devices(
        [failing(pocl, tmp_path, how, '-DONLY="elementwise"')],
        Options(workloads=("copy", "launch", "matmul"), effort="quick", baseline="numpy"),
        measured,
        lambda _: None,
    )

    found = [(one.results[0].workload, one.results[0].status) for one in measured.outcomes]
    assert found == [
        ("copy", "ok"),
        ("launch", "error"),
        ("matmul-256", "ok"),
        ("matmul-512", "ok"),
    ]
    assert words in measured.outcomes[1].results[0].detail
    own = [peak.unit for peak in measured.peaks if peak.device == "failing PoCL"]
    assert own == ["GFLOP/s", "GB/s"]
    assert len({(peak.device, peak.unit) for peak in measured.peaks}) == len(measured.peaks)
    assert measured.contestants["failing PoCL"].status == "ok"
    assert not measured.complete


def test_a_device_without_memory_at_the_launch_is_too_small_and_not_broken(
    pocl: Target, tmp_path: Path
) -> None:
    measured = Measured()

    measure_devices(
        [failing(pocl, tmp_path, "-DFULL", '-DONLY="elementwise"')],
        Options(workloads=("launch",), effort="quick", baseline="numpy"),
        measured,
        lambda _: None,
    )

    (result,) = [one.results[0] for one in measured.outcomes]
    assert result.status == "skipped"
    assert "it does not fit" in result.detail


def test_a_device_that_does_not_open_lists_every_workload(pocl: Target) -> None:
    measured = Measured()
    gone = msgspec.structs.replace(pocl, library="/nowhere/libgone.so", name="no such device")

    measure_devices(
        [gone],
        Options(workloads=("copy", "launch"), effort="quick", baseline="numpy"),
        measured,
        lambda _: None,
    )

    listed = [(one.results[0].workload, one.results[0].status) for one in measured.outcomes]
    assert listed == [
        ("opening the device", "error"),
        ("copy", "skipped"),
        ("launch", "skipped"),
    ]


def test_a_bug_in_one_workload_costs_no_other_and_shows_no_traceback(
    pocl: Target, tmp_path: Path
) -> None:
    kernels = tmp_path / "kernels"
    shutil.copytree(kernels_path(), kernels)
    (kernels / "elementwise" / "operations.cl").write_bytes(b"\xff is no UTF-8")

    messages = messages_of(pocl, "launch", "copy", kernels=str(kernels))

    outcomes = [message for message in messages if isinstance(message, Outcome)]
    assert [one.results[0].status for one in outcomes] == ["error", "ok"]
    assert "clprobe failed: UnicodeDecodeError" in outcomes[0].results[0].detail
    assert isinstance(messages[-1], Finished)


def test_a_worker_that_cannot_start_says_so_in_one_line(pocl: Target) -> None:
    (last,) = messages_of(pocl, "copy", effort="no such effort")

    assert isinstance(last, Failed)
    assert "no such effort" in last.detail
    assert "Traceback" not in last.detail


def test_a_library_that_is_gone_is_said_to_be_gone(pocl: Target, tmp_path: Path) -> None:
    target = msgspec.structs.replace(
        pocl, library=str(tmp_path / "libgone.so"), platform="Gone", name="GPU"
    )

    (*_, last) = messages_of(target, "copy")

    assert isinstance(last, Failed)
    assert "libgone.so" in last.detail or "clGetPlatformIDs" in last.detail


def test_a_healthy_device_finishes(pocl: Target) -> None:
    (*_, last) = messages_of(pocl, "launch")

    assert isinstance(last, Finished)
