# SPDX-License-Identifier: MIT
"""The report's one sentence, and that a device is held against the fastest on the CPU."""

import pytest
from msgspec import structs
from test_race import ROUNDS

from clprobe.bench.headline import headline
from clprobe.bench.timing.quiet import Load
from clprobe.bench.timing.turns import Sample, Side, Turns, against_best
from clprobe.model.measurement import BenchReport, BenchVerdict, Result

QUIET = (Load(0.0, 1.0),) * ROUNDS


def taken(*seconds: float) -> Turns:
    """Return a race, or samples of one alone, each as long as it says."""
    return Turns(tuple(Side([Sample(each)] * ROUNDS) for each in seconds), QUIET)


def test_without_anybody_faster_the_reference_counts() -> None:
    best, ratio = against_best(taken(1.0, 2.0), "torch", [("NumPy", taken(3.0)), ("X", None)])

    assert (best, ratio.median) == ("torch", pytest.approx(2.0))


@pytest.mark.parametrize(("other", "wins"), [(1.5, True), (0.5, False)])
def test_a_faster_contestant_takes_the_references_place(other: float, wins: bool) -> None:
    best, ratio = against_best(taken(1.0, 2.0), "torch", [("NumPy", taken(other))])

    assert best == "NumPy"
    assert ratio.median == pytest.approx(other)
    assert (ratio.ci95[0] > 1, ratio.ci95[1] < 1) == (wins, not wins)


def report(*decided: tuple[str, float | None, str], device: str = "Iris Xe") -> BenchReport:
    verdicts = [
        BenchVerdict(
            workload=workload, device=device, ratio=ratio, ci95=None, decision=decision, text="."
        )
        for workload, ratio, decision in decided
    ]
    results = [
        Result(
            device=device, workload=workload, metric="throughput", unit="samples/s", median=1.0,
            ci95=None, samples=20, status="ok",
            batch=int(workload.rpartition("-")[2]) if workload.startswith("step") else None,
        )
        for workload, *_ in decided
    ]  # fmt: skip
    return BenchReport(
        host={}, baseline="torch", results=tuple(results), training=(), verdicts=tuple(verdicts)
    )


@pytest.mark.parametrize(
    ("decided", "words"),
    [
        (
            [("step-cnn-1", 0.5, "cpu"), ("step-cnn-16", 2.1, "device"),
             ("step-cnn-64", 3.4, "device")],
            "Yes: train on Iris Xe from batch 16 on, 2.1 to 3.4 times your CPU.",
        ),
        ([("step-cnn-1", 2.0, "device")], "Yes: train on Iris Xe, 2.0 times your CPU."),
        (
            [("step-cnn-1", 2.0, "device"), ("step-cnn-64", 0.5, "cpu")],
            "Yes: train on Iris Xe for 1 of 2 workloads, 2.0 times your CPU.",
        ),
        (
            [("step-cnn-1", 0.5, "cpu"), ("step-cnn-64", 0.25, "cpu")],
            "No: your CPU is faster at everything measured, 2.0 to 4.0 times Iris Xe.",
        ),
        (
            [("step-cnn-1", 1.0, "no-difference")],
            "No difference: Iris Xe and your CPU are equally fast at all that was measured.",
        ),
        (
            [("step-cnn-1", 1.0, "unclear"), ("step-cnn-64", 0.5, "cpu")],
            "Unclear: Iris Xe wins nothing that was measured; the CPU is faster at 1 of 2, and "
            "the rest is too close to call.",
        ),
        (
            [("matmul-512", None, "refused"), ("step-cnn-1", 2.0, "device")],
            "No: do not use Iris Xe; it fails 1 of 2 workloads.",
        ),
        ([("matmul-512", 3.0, "device")], "Yes: compute on Iris Xe, 3.0 times your CPU."),
        ([("step-cnn-1", None, "unclear")], "Unclear: nothing could be compared on Iris Xe."),
        ([], ""),
    ],
)  # fmt: skip
def test_the_headline_is_one_sentence_that_answers(decided: list, words: str) -> None:
    assert headline(report(*decided)) == words


def test_of_several_devices_the_best_one_is_told_of() -> None:
    slow = report(("step-cnn-1", 0.5, "cpu"), device="PoCL")
    fast = report(("step-cnn-1", 2.0, "device"))
    both = structs.replace(
        slow, verdicts=slow.verdicts + fast.verdicts, results=slow.results + fast.results
    )

    assert headline(both) == "Yes: train on Iris Xe, 2.0 times your CPU."
