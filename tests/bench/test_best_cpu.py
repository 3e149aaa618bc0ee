# SPDX-License-Identifier: MIT
"""A device is held against the fastest on the CPU: one that is planted flips what it should."""

import numpy as np
import pytest
from invented_reports import CPU, GPU, full_report
from msgspec import structs
from noise_models import MODELS
from test_race import ROUNDS

from clprobe.bench.best_cpu import best_of
from clprobe.bench.protocol import Outcome
from clprobe.bench.run import Measured, Options
from clprobe.bench.summary import summarise
from clprobe.bench.timing.quiet import Load
from clprobe.bench.timing.statistics import Estimate
from clprobe.bench.timing.turns import Sample, Side, Turns, ratio_between, ratios_to_all
from clprobe.bench.verdicts import decide, judge
from clprobe.model.measurement import BenchReport, Contestant, Result, within_of
from clprobe.model.system import System

QUIET = (Load(0.0, 1.0),) * ROUNDS
POCL = "1: pthread-Intel (Portable Computing Language 7.2)"
WORKLOADS = [one.workload for one in full_report().verdicts]


def taken(*seconds: float) -> Turns:
    """Return a race, or samples of one alone, each as long as it says."""
    return Turns(tuple(Side([Sample(each)] * ROUNDS) for each in seconds), QUIET)


def test_without_anybody_faster_the_reference_counts() -> None:
    best, ratio = best_of(ratios_to_all(taken(1.0, 2.0), "torch", [("NumPy", taken(3.0))]))

    assert (best, ratio.median) == ("torch", pytest.approx(2.0))


def test_who_was_not_waited_for_is_slower_and_left_out() -> None:
    assert len(ratios_to_all(taken(1.0, 2.0), "torch", [("NumPy", None)])) == 1


@pytest.mark.parametrize("torch", [0.3, 0.9, 1.0, 1.1, 3.0])
@pytest.mark.parametrize(
    ("planted", "decision"), [(1.5, "device"), (1.0, "no-difference"), (0.5, "cpu")]
)
def test_a_planted_contestant_decides_where_it_is_the_fastest(
    torch: float, planted: float, decision: str
) -> None:
    alone = decide(best_of(ratios_to_all(taken(1.0, torch), "torch", []))[1])
    ratios = ratios_to_all(taken(1.0, torch), "torch", [("planted", taken(planted))])

    best, ratio = best_of(ratios)

    verdict = judge("copy", GPU, ratio, reference=best, is_cpu=False)
    is_faster = planted < torch
    assert verdict.against == ("planted" if is_faster else "torch")
    assert verdict.decision == (decision if is_faster else alone)


def test_faster_is_who_is_so_beside_all_and_slower_who_is_so_beside_any() -> None:
    sure, vague = Estimate(0.8, (0.75, 0.85)), Estimate(0.7, (0.4, 1.3))

    best, ratio = best_of([("torch", sure), ("NumPy", vague)])

    assert (best, ratio.median, decide(ratio)) == ("NumPy", 0.7, "cpu")
    assert decide(best_of([("torch", Estimate(3, (2.8, 3.2))), ("NumPy", vague)])[1]) == "unclear"


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_device_as_fast_as_the_best_of_two_neither_wins_nor_loses_in_95_of_100(model) -> None:
    random = np.random.default_rng(17)
    fair = 0
    for _ in range(100):
        reference, device = np.exp(model(random, ROUNDS))
        other, _ = np.exp(model(random, ROUNDS))
        race = Turns(
            tuple(Side([Sample(one) for one in each]) for each in (device, reference)), QUIET
        )
        apart = Turns((Side([Sample(one) for one in other]),), QUIET)
        fair += decide(best_of(ratios_to_all(race, "torch", [("NumPy", apart)]))[1]) in {
            "no-difference",
            "unclear",
        }

    assert fair >= 95


def test_what_others_kept_waiting_may_have_been_faster() -> None:
    busy = (Load(1.0, 1.0),) * ROUNDS
    held_up = Turns((Side([Sample(2.0, 1.5)] * ROUNDS),), busy)

    low, high = ratio_between(taken(1.0), held_up).ci95

    assert low < 0.6
    assert high > 1.9


def summary(gpu_times_pocl: float | None) -> BenchReport:
    """Return the invented report with a PoCL that the GPU is so many times as fast as."""
    full = full_report()
    pairs = zip(full.results[::2], full.results[1::2], full.verdicts, strict=True)
    outcomes = [Outcome(results=each[:2], verdict=each[2]) for each in pairs]
    if gpu_times_pocl is not None:
        outcomes += [
            Outcome(
                results=(_of_pocl(own, gpu_times_pocl),),
                verdict=structs.replace(verdict, device=POCL, ratio=0.5, decision="cpu"),
            )
            for own, verdict in zip(full.results[::2], full.verdicts, strict=True)
        ]
    pocl = Contestant(name=POCL, kind="opencl", short="PoCL 7.2")
    contestants = {one.name: one for one in (*full.contestants, pocl)}
    measured = Measured(outcomes=outcomes, contestants=contestants)
    options = Options(workloads=(), effort="default", baseline="torch")
    return summarise(measured, System(), options)


def _of_pocl(own: Result, times: float) -> Result:
    median, (low, high) = own.median or 0.0, own.ci95 or (0.0, 0.0)
    return structs.replace(
        own, device=POCL, median=median / times, ci95=(low / times, high / times), ran_on="cpu"
    )


@pytest.mark.parametrize(("times", "decision"), [(0.5, "cpu"), (1.0, "no-difference")])
def test_an_opencl_cpu_that_is_faster_flips_every_verdict_that_the_gpu_had_won(
    times: float, decision: str
) -> None:
    before, after = (
        {one.workload: one for one in summary(planted).verdicts if one.device == GPU}
        for planted in (None, times)
    )

    won = [name for name in WORKLOADS if before[name].decision == "device"]
    assert len(won) > 3
    for name in WORKLOADS:
        now = after[name]
        # What the GPU had lost already it loses still.
        assert now.decision == ("cpu" if before[name].decision == "cpu" else decision), name
        assert now.against == (POCL if (before[name].ratio or 0) > times else before[name].against)


def test_crossovers_and_the_headline_follow_the_best_contestant() -> None:
    before, after = summary(None), summary(0.5)

    assert before.headline.startswith("Yes: train cnn on the ")
    assert [one.batch for one in before.crossovers if one.model == "cnn"] == [64]
    assert after.headline.startswith("No: your CPU is faster at everything measured, ")
    assert {one.batch for one in after.crossovers if one.device == GPU} == {None}


def test_a_slower_opencl_cpu_changes_nothing() -> None:
    before, after = (
        [one for one in summary(planted).verdicts if one.device == GPU] for planted in (None, 50.0)
    )

    assert [one.decision for one in before] == [one.decision for one in after]
    assert {one.against for one in after} == {one.against for one in before}


def test_the_same_says_within_what() -> None:
    verdict = judge("copy", GPU, Estimate(1.0, (0.92, 1.05)), reference=CPU, is_cpu=False)

    assert within_of((0.92, 1.05)) == pytest.approx(1.087, abs=1e-3)
    assert verdict.text.endswith("are equally fast, within 9 percent.")
