# SPDX-License-Identifier: MIT
"""Medians, and how sure we are of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Interval = tuple[float, float]

_RESAMPLES = 2000
# Fixed, so that the same samples always give the same interval.
_SEED = 20260820


@dataclass(frozen=True, slots=True)
class Estimate:
    """A median and the interval that holds it in 95 of 100 repetitions."""

    median: float
    ci95: Interval


def estimate(samples: Sequence[float]) -> Estimate:
    """Return the median with its bootstrap interval.

    **Source** Efron & Tibshirani 1993, An Introduction to the Bootstrap, percentile interval.
    """
    return Estimate(float(np.median(samples)), _interval(_resampled_medians(samples, _SEED)))


def estimate_ratio(numerators: Sequence[float], denominators: Sequence[float]) -> Estimate:
    """Return median(numerators) / median(denominators); the two are resampled separately."""
    ratio = float(np.median(numerators) / np.median(denominators))
    resampled = _resampled_medians(numerators, _SEED) / _resampled_medians(denominators, _SEED + 1)
    return Estimate(ratio, _interval(resampled))


def _resampled_medians(samples: Sequence[float], seed: int) -> np.ndarray:
    values = np.asarray(samples, dtype=np.float64)
    drawn = np.random.default_rng(seed).integers(0, len(values), (_RESAMPLES, len(values)))
    medians: np.ndarray = np.median(values[drawn], axis=1)
    return medians


def _interval(resampled: np.ndarray) -> Interval:
    low, high = np.percentile(resampled, (2.5, 97.5))
    return float(low), float(high)
