# SPDX-License-Identifier: MIT
"""The report's one sentence."""

import pytest
from msgspec import structs

from clprobe.bench.headline import headline
from clprobe.model.measurement import BenchReport, BenchVerdict, Contestant, Result


def report(*decided: tuple[str, float | None, str], device: str = "Iris Xe") -> BenchReport:
    verdicts = [
        BenchVerdict(
            workload=workload,
            device=device,
            ratio=ratio,
            ci95=None,
            decision=decision,
            text=".",
            why="too noisy" if decision == "unclear" else "",
        )
        for workload, ratio, decision in decided
    ]
    results = [
        Result(
            device=device, workload=workload, metric="throughput", unit="samples/s", median=1.0,
            ci95=None, samples=20, status="ok",
            batch=int(workload.rpartition("-")[2]) if workload[:4] in ("step", "infe") else None,
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
            "Yes: train on the Iris Xe from batch 16 on, 2.1 to 3.4 times your CPU.",
        ),
        ([("step-cnn-1", 2.0, "device")], "Yes: train on the Iris Xe, 2.0 times your CPU."),
        (
            [("step-cnn-1", 2.0, "device"), ("step-cnn-64", 0.5, "cpu")],
            "Yes: train on the Iris Xe in 1 of 2 cases, 2.0 times your CPU.",
        ),
        (
            [("step-mlp-1", 0.5, "cpu"), ("step-mlp-16", 0.5, "unclear"),
             ("step-cnn-1", 0.5, "cpu"), ("step-cnn-16", 2.0, "device")],
            "Yes: train cnn on the Iris Xe from batch 16 on, 2.0 times your CPU.",
        ),
        (
            [("step-mlp-1", 0.5, "cpu"), ("step-cnn-1", 12.0, "device")],
            "Yes: train cnn on the Iris Xe, 12 times your CPU.",
        ),
        (
            [("step-cnn-1", 0.5, "cpu"), ("step-cnn-64", 0.25, "cpu")],
            "No: your CPU is faster at everything measured, 2.0 to 4.0 times the Iris Xe.",
        ),
        (
            [("step-cnn-1", 1.0, "no-difference")],
            "The same: the Iris Xe and your CPU are equally fast at all measured.",
        ),
        (
            [("step-cnn-1", 1.0, "no-difference"), ("step-cnn-64", 0.5, "cpu")],
            "No: your CPU is as fast as the Iris Xe or faster at everything measured.",
        ),
        (
            [("step-cnn-1", 1.0, "unclear"), ("step-cnn-64", 0.5, "cpu")],
            "Unclear: your CPU is faster than the Iris Xe at 1 of 2, and the rest cannot be told "
            "(too noisy); run again when idle.",
        ),
        (
            [("step-cnn-1", 1.0, "unclear")],
            "Unclear: nobody can tell whether the Iris Xe or your CPU is faster (too noisy); run "
            "again when idle.",
        ),
        (
            [("matmul-512", None, "refused"), ("step-cnn-1", 2.0, "device")],
            "No: do not use the Iris Xe; it fails 1 of 2 workloads.",
        ),
        ([("matmul-512", 3.0, "device")], "Yes: compute on the Iris Xe, 3.0 times your CPU."),
        (
            [("step-cnn-1", 0.5, "cpu"), ("infer-cnn-1", 0.8, "cpu"),
             ("infer-cnn-16", 2.0, "device")],
            "Yes, to use nets, not to train them: the Iris Xe from batch 16 on, 2.0 times your "
            "CPU.",
        ),
        ([("step-cnn-1", None, "unclear")], "Unclear: nothing could be compared on the Iris Xe."),
        ([], ""),
    ],
)  # fmt: skip
def test_the_headline_is_one_sentence_that_answers(decided: list, words: str) -> None:
    assert headline(report(*decided))[1] == words


@pytest.mark.parametrize(
    ("ratio", "decision", "words"),
    [
        (
            1.5,
            "device",
            "Yes: train on PoCL 7.2 (OpenCL on your CPU), 1.5 times your CPU without OpenCL.",
        ),
        (
            0.5,
            "cpu",
            "No: your CPU without OpenCL is faster at everything measured, 2.0 times PoCL 7.2 "
            "(OpenCL on your CPU).",
        ),
    ],
)
def test_a_device_that_is_the_cpu_is_held_against_the_way_without_opencl(
    ratio: float, decision: str, words: str
) -> None:
    name = "0: pthread-skylake (Portable Computing Language 7.2)"
    made = report(("step-cnn-1", ratio, decision), device=name)
    pocl = Contestant(name=name, kind="opencl", short="PoCL 7.2")
    results = tuple(structs.replace(one, ran_on="cpu") for one in made.results)

    assert headline(structs.replace(made, results=results, contestants=(pocl,)))[1] == words


def test_of_several_devices_the_best_one_is_told_of() -> None:
    slow = report(("step-cnn-1", 0.5, "cpu"), device="PoCL")
    fast = report(("step-cnn-1", 2.0, "device"))
    both = structs.replace(
        slow, verdicts=slow.verdicts + fast.verdicts, results=slow.results + fast.results
    )

    assert headline(both) == ("Iris Xe", "Yes: train on the Iris Xe, 2.0 times your CPU.")
