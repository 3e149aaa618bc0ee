# SPDX-License-Identifier: MIT
"""A run keeps to its time whatever the devices do."""

import re
import time
from pathlib import Path

import pytest
from asked import messages_of
from test_child import failing

from clprobe.bench.effort import EFFORTS
from clprobe.bench.plan import Allowance, planned, share_of
from clprobe.bench.protocol import (
    QUICK_WORKLOADS,
    Failed,
    Finished,
    Job,
    Message,
    Outcome,
    Started,
    Target,
)
from clprobe.bench.run import Measured, Options, measure_devices
from clprobe.bench.worker import work

QUICK = EFFORTS["quick"]


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def quick_steps() -> list[Started]:
    steps = list(planned(QUICK_WORKLOADS, QUICK))
    assert len(steps) == 17
    return steps


@pytest.mark.parametrize(("overrun", "expected"), [(0.5, 17), (1, 17), (3, 10)])
def test_steps_end_in_time_whatever_they_take_of_it(overrun: float, expected: int) -> None:
    clock = Clock()
    allowance = Allowance(20, quick_steps(), clock)
    begun = 0

    for _ in range(17):
        effort = allowance.next_effort(QUICK)
        if effort is None:
            break
        begun += 1
        # Timing is a third of a step.
        clock.now += overrun * 3 * effort.seconds_per_case

    assert begun == expected
    assert clock.now - 100 <= 20


def test_a_step_that_took_nearly_all_leaves_little_and_one_that_took_all_leaves_none() -> None:
    clock = Clock()
    allowance = Allowance(20, quick_steps(), clock)
    clock.now += 17

    late = allowance.next_effort(QUICK)
    clock.now += 1

    assert late.seconds_per_case < 0.1
    assert late.patience_seconds < late.training_patience_seconds == pytest.approx(0.5)
    assert allowance.next_effort(QUICK) is None
    assert allowance.problem == "not run, as the device's 20 s of this run were used up."


def test_with_time_enough_nothing_is_cut_short() -> None:
    assert Allowance(None, quick_steps()).next_effort(QUICK) == QUICK
    assert Allowance(10_000, quick_steps()).next_effort(QUICK) == QUICK


def test_a_training_is_given_more_than_a_product() -> None:
    steps = [one for one in quick_steps() if one.name in ("matmul-256", "train-mlp")]

    first, then = (Allowance(2, order, Clock()) for order in (steps, steps[::-1]))

    product, training = first.next_effort(QUICK), then.next_effort(QUICK)
    assert training.seconds_per_case == pytest.approx(4 * product.seconds_per_case)


def test_devices_share_what_is_left() -> None:
    assert share_of(None, 2, 0) is None
    assert share_of(40, 2, 0) == 20
    assert share_of(40, 1, 5) == 35
    # Even a late device may say what it is.
    assert share_of(40, 1, 50) == 1


def test_a_device_that_hangs_is_given_up_when_its_time_is_over(
    pocl: Target, tmp_path: Path
) -> None:
    begun = time.monotonic()

    messages = messages_of(failing(pocl, tmp_path, "-DHANG"), "launch", seconds=8.0)

    assert messages[-1] == Failed(
        detail="not done when the device's 8 s were over.", status="skipped"
    )
    # Long before its silence would be noticed.
    assert time.monotonic() - begun < QUICK.silence_seconds


def test_what_runs_out_of_time_speaks_for_nobody(pocl: Target, tmp_path: Path) -> None:
    measured = Measured()
    options = Options(
        workloads=("launch", "copy"),
        effort="quick",
        baseline="numpy",
        deadline=time.monotonic() + 8,
    )

    measure_devices([failing(pocl, tmp_path, "-DHANG")], options, measured, lambda _: None)

    assert [one.results[0].status for one in measured.outcomes] == ["skipped", "skipped"]
    launch, copy = (one.verdict.text for one in measured.outcomes)
    # What the device got is what was left when its turn came.
    assert re.fullmatch(
        r"No verdict on launch: not done when the device's \d s were over\.", launch
    )
    assert copy == "No verdict on copy: not run, as launch took all the time that was left."
    assert {one.verdict.decision for one in measured.outcomes} == {"unclear"}
    assert {one.status for one in measured.contestants.values()} == {"ok"}
    assert not measured.complete


def test_what_no_time_is_left_for_is_listed_as_skipped(pocl: Target) -> None:
    messages: list[Message] = []
    job = Job(
        target=pocl,
        workloads=("launch", "train-mlp"),
        effort="quick",
        baseline="numpy",
        seconds=0.0,
    )

    work(job, messages.append)

    outcomes = [one for one in messages if isinstance(one, Outcome)]
    assert [one.results[0].workload for one in outcomes] == [
        "launch",
        "train-mlp",
        "step-mlp-1",
        "step-mlp-512",
        "infer-mlp-1",
        "infer-mlp-512",
    ]
    assert {one.results[0].status for one in outcomes} == {"skipped"}
    # Nothing is known of it, so nothing speaks for the CPU.
    assert {one.verdict.decision for one in outcomes} == {"unclear"}
    assert outcomes[0].verdict.text == (
        "No verdict on launch: not run, as the device's 0 s of this run were used up."
    )
    assert isinstance(messages[-1], Finished)
