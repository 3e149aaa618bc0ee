# SPDX-License-Identifier: MIT
"""Medians and their intervals."""

import numpy as np
import pytest

from clprobe.bench.statistics import estimate, estimate_ratio
from clprobe.bench.verdicts import decide


@pytest.mark.parametrize("true_ratio", [0.1, 0.9, 1.0, 1.5, 40.0])
def test_the_interval_holds_the_true_ratio_in_most_repetitions(true_ratio: float) -> None:
    random = np.random.default_rng(7)
    held = 0
    for _ in range(100):
        device = random.lognormal(0, 0.1, 30)
        reference = true_ratio * random.lognormal(0, 0.1, 30)
        low, high = estimate_ratio(reference, device).ci95
        held += low <= true_ratio <= high

    assert held >= 88


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
