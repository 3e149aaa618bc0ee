# SPDX-License-Identifier: MIT
"""Medians, and how sure we are of them: also where one sample resembles the one before it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Interval = tuple[float, float]

PLACEMENT = 1.05
"""What a ratio may be off by and no sample shows it, as memory and threads stay where they were.

Linux keeps both threads of PoCL on one of two processors for up to a second, and between races in
the same minute ratios differ by 4 % more than within them (tests/benchmarks/verdict_trials.py).

**Source** Mytkowicz et al. 2009, Producing wrong data without doing anything obviously wrong.
"""
_RESAMPLES = 2000
# Fixed, so that the same samples always give the same interval.
_SEED = 20260820
_NORMAL_QUANTILE = 1.959964
# Fewer blocks than this say too little about how much they differ.
_FEWEST_BLOCKS = 4
_MOST_OTHER_CORES = 1.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """A median and the interval that holds it in 95 of 100 repetitions."""

    median: float
    ci95: Interval


def estimate(samples: Sequence[float]) -> Estimate:
    """Return the median of times or rates, in the order in which they were taken."""
    return _estimate(np.log(np.asarray(samples, dtype=np.float64)))


def estimate_ratio(
    numerators: Sequence[float], denominators: Sequence[float], *, other_cores: float = 0.0
) -> Estimate:
    """Return how many times as long the numerators took as what was timed beside each.

    The two were taken in turns, so what slows the machine slows both of a pair and cancels out.
    `other_cores`: how many processors' worth of work other programs did meanwhile. A program on
    one of our processors halves the speed of whoever waits for all of them, and need not hit both
    sides alike; the interval allows for that.
    """
    found = _estimate(np.log(np.asarray(numerators)) - np.log(np.asarray(denominators)))
    # Half a processor is all that one busy program gets where we compete for it.
    allowance = PLACEMENT * (1 + min(_MOST_OTHER_CORES, 2 * other_cores))
    low, high = found.ci95
    return Estimate(found.median, (low / allowance, high * allowance))


def _estimate(logarithms: np.ndarray[Any, Any]) -> Estimate:
    """Return the median with its interval from a bootstrap of whole blocks of samples.

    Samples that follow each other are alike, so blocks are drawn, long enough to be independent;
    and percentiles of few values are too close, so the interval is stretched.

    **Source** Politis & White 2004, Automatic block-length selection for the dependent bootstrap;
    Hesterberg 2015, What teachers should know about the bootstrap, section 4 (expansion).
    """
    median = float(np.median(logarithms))
    length = block_length(logarithms)
    resampled = _resampled_medians(logarithms, length)
    low, high = np.percentile(resampled, (2.5, 97.5))
    stretch = _expansion(max(2.0, len(logarithms) / length))
    return Estimate(
        math.exp(median),
        (
            math.exp(median - stretch * max(0.0, median - float(low))),
            math.exp(median + stretch * max(0.0, float(high) - median)),
        ),
    )


def block_length(values: np.ndarray[Any, Any]) -> int:
    """Return how many samples in a row make a block, from how much each resembles the last."""
    longest = max(1, len(values) // _FEWEST_BLOCKS)
    # Ranks, as one sample that was held up says nothing of the rest.
    ranks = np.argsort(np.argsort(values, kind="stable"), kind="stable") - (len(values) - 1) / 2
    spread = float(ranks @ ranks)
    if spread == 0 or float(np.ptp(values)) == 0:
        return 1
    alike = float(ranks[1:] @ ranks[:-1]) / spread + 1 / len(values)
    if alike <= 1 / math.sqrt(len(values)):
        return 1
    alike = min(alike, 0.97)
    ideal = math.pow(6 * alike**2 / (1 - alike**2) ** 2 * len(values), 1 / 3)
    return min(longest, max(1, math.ceil(ideal)))


def _resampled_medians(values: np.ndarray[Any, Any], length: int) -> np.ndarray[Any, Any]:
    """Return medians of samples put together from blocks; the last sample precedes the first."""
    count = len(values)
    starts = np.random.default_rng(_SEED).integers(0, count, (_RESAMPLES, -(-count // length)))
    drawn = (starts[:, :, None] + np.arange(length)).reshape(_RESAMPLES, -1)[:, :count] % count
    medians: np.ndarray[Any, Any] = np.median(values[drawn], axis=1)
    return medians


def _expansion(blocks: float) -> float:
    """Return Student's quantile over the normal one, and what dividing by n loses."""
    freedom = blocks - 1
    z = _NORMAL_QUANTILE
    # Fisher's expansion, good to 3 % from 2 degrees of freedom on.
    student = (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )
    return student / z * math.sqrt(blocks / freedom)
