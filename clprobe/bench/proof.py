# SPDX-License-Identifier: MIT
"""Decides whether a result is right; nothing is timed before that."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from clprobe.bench.cases import Expected

_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Proof:
    """The largest error of `what`, and the largest allowed; None: some value is not a number."""

    max_error: float | None
    tolerance: float
    what: str = "its results"

    @property
    def holds(self) -> bool:
        """Return whether every value is right."""
        return self.max_error is not None and self.max_error <= self.tolerance

    @property
    def problem(self) -> str:
        """Return in words how wrong the values are."""
        if self.max_error is None:
            return "its results are not numbers."
        verb = "is" if self.what.startswith("its loss") else "are"
        said = f"error {self.max_error:.2g}, allowed {self.tolerance:.2g}"
        return f"{self.what} {verb} wrong ({said})."


def prove(values: np.ndarray[Any, Any], expected: Expected, tolerance: float) -> Proof:
    """Compare values with what they should be, a piece at a time: they may be large."""
    own, right = values.reshape(-1), expected.values.reshape(-1)
    scale = expected.scale.reshape(-1)
    if own.size != right.size:
        return Proof(None, tolerance)
    errors = [
        _largest_error(own[piece], right[piece], scale if scale.size == 1 else scale[piece])
        for start in range(0, own.size, _PIECE)
        for piece in [slice(start, start + _PIECE)]
    ]
    known = [one for one in errors if one is not None]
    return Proof(max(known, default=0.0) if len(known) == len(errors) else None, tolerance)


def _largest_error(
    values: np.ndarray[Any, Any], right: np.ndarray[Any, Any], scale: np.ndarray[Any, Any]
) -> float | None:
    errors = np.abs(values.astype(np.float64) - right)
    # Where nothing but zeros is summed, any error at all counts whole.
    return finite_max(errors / np.where(scale > 0, scale, 1))


def finite_max(errors: np.ndarray[Any, Any]) -> float | None:
    """Return the largest value, or None unless all are finite."""
    return float(errors.max()) if np.isfinite(errors).all() else None
