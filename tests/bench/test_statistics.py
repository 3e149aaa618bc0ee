# SPDX-License-Identifier: MIT
"""Medians and their intervals, on noise as machines make it."""

import numpy as np
import pytest
from noise_models import MODELS, Pair, drifting, lingering, white

from clprobe.bench.timing.statistics import block_length, estimate, estimate_ratio
from clprobe.bench.verdicts import decide

TRIALS = 100


@pytest.mark.parametrize("true_ratio", [0.1, 1.0, 1.5, 40.0])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_the_interval_holds_the_true_ratio_in_90_of_100(model, true_ratio: float) -> None:
    random = np.random.default_rng(7)
    held = 0
    for _ in range(TRIALS):
        reference, device = np.exp(model(random, 40))
        low, high = estimate_ratio(true_ratio * reference, device).ci95
        held += low <= true_ratio <= high

    assert held >= 90


@pytest.mark.parametrize("count", [10, 25, 100])
@pytest.mark.parametrize("model", [white, drifting], ids=lambda model: model.__name__)
def test_a_device_against_itself_makes_no_difference_in_95_of_100(model, count: int) -> None:
    random = np.random.default_rng(11)
    decisions = [decide(estimate_ratio(*np.exp(model(random, count)))) for _ in range(TRIALS)]

    assert decisions.count("no-difference") + decisions.count("unclear") >= 95


def test_a_slow_machine_does_not_hide_what_pairs_have_in_common() -> None:
    reference, device = np.exp(drifting(np.random.default_rng(3), 40))

    in_turns = estimate_ratio(1.5 * reference, device).ci95
    apart = estimate_ratio(1.5 * reference, device[::-1]).ci95

    assert in_turns[0] > 1
    assert in_turns[1] / in_turns[0] < apart[1] / apart[0]


def test_samples_that_resemble_each_other_make_the_interval_wider() -> None:
    random = np.random.default_rng(5)
    ordered = [width(lingering(random, 100)) for _ in range(20)]
    shuffled = [width(random.permuted(lingering(random, 100), axis=1)) for _ in range(20)]

    assert np.median(ordered) > 1.2 * np.median(shuffled)


def test_blocks_are_long_only_where_samples_resemble_each_other() -> None:
    random = np.random.default_rng(2)

    assert block_length(random.normal(size=200)) <= 3
    assert block_length(np.cumsum(random.normal(size=200))) > 10
    assert block_length(np.ones(9)) == 1


@pytest.mark.parametrize("other_cores", [0.3, 1.0])
def test_other_programs_widen_the_interval_where_waits_are_not_known(other_cores: float) -> None:
    reference, device = np.exp(white(np.random.default_rng(1), 30))
    quiet, noisy = (
        estimate_ratio(1.5 * reference, device, other_cores=cores).ci95
        for cores in (0, other_cores)
    )

    assert noisy[0] < quiet[0] / 1.5
    assert noisy[1] > quiet[1] * 1.5


def test_identical_samples_make_no_difference() -> None:
    samples = [1.0, 1.1, 1.2, 1.3, 1.4]

    assert decide(estimate_ratio(samples, samples)) == "no-difference"


def test_one_constant_everywhere_makes_no_difference() -> None:
    assert decide(estimate_ratio([2.0] * 9, [2.0] * 9)) == "no-difference"


def test_the_same_samples_give_the_same_interval() -> None:
    samples = np.random.default_rng(1).lognormal(0, 0.3, 20)

    assert estimate(samples) == estimate(samples)


def test_the_median_lies_inside_its_interval() -> None:
    found = estimate(np.random.default_rng(2).lognormal(0, 1, 50))

    assert found.ci95[0] <= found.median <= found.ci95[1]


def width(pair: Pair) -> float:
    low, high = estimate_ratio(*np.exp(pair)).ci95
    return float(np.log(high / low))
