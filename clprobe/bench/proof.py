# SPDX-License-Identifier: MIT
"""Decides whether a result is right; nothing is timed before that."""

from dataclasses import dataclass

import numpy as np

from clprobe.bench.cases import Expected


@dataclass(frozen=True, slots=True)
class Proof:
    """The largest error found and the largest allowed; None: some value is not a number."""

    max_error: float | None
    tolerance: float

    @property
    def holds(self) -> bool:
        """Return whether every value is right."""
        return self.max_error is not None and self.max_error <= self.tolerance

    @property
    def problem(self) -> str:
        """Return in words how wrong the values are."""
        if self.max_error is None:
            return "its results are not numbers."
        return f"its results are wrong (error {self.max_error:.2g}, allowed {self.tolerance:.2g})."


def prove(values: np.ndarray, expected: Expected, tolerance: float) -> Proof:
    """Compare values with what they should be."""
    errors = np.abs(values.astype(np.float64) - expected.values)
    # Where nothing but zeros is summed, any error at all counts whole.
    relative = errors / np.where(expected.scale > 0, expected.scale, 1)
    return Proof(finite_max(relative), tolerance)


def finite_max(errors: np.ndarray) -> float | None:
    """Return the largest value, or None unless all are finite."""
    return float(errors.max()) if np.isfinite(errors).all() else None
