# SPDX-License-Identifier: MIT
"""What a right step of training may look like: a CPU's answer in float64, and float32's spread.

Where ReLU and max-pool decide by a hair, rounding decides, and the whole gradient behind that
value goes another way: on 512 random images the gradients of conv-pool-conv-pool by torch in
float32 are 0.0007 of their size off those in float64, by PoCL 0.0016, and an MLP's now 5e-7, now
0.0036, by the last bit of a weight. No constant fits. So torch (or NumPy) takes the same step
again from weights and images that are a little different, and a device may be as far off.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from clprobe.bench.digits import Digits, Floats

NOISE = 64 * 2.0**-24
"""By how much, at most, weights and images of a draw differ from the true ones.

By estimate, a sum of n products taken one by one in float32 is off by 0.3 √n roundings (2⁻²⁴) of
its terms, Winograd's by 30: 64 are enough to reach every value that may fall to the other side on
a right device, and half of the draws then take that side too.
"""
LEAST_CHANGE = 0.1
"""Of the largest gradient, or change, of any weight; a smaller one is compared with this much.

The gradient of a bias before a normalisation is nothing but rounding: at batch 1024 right devices
differ in it by 5e-6 of the largest, and large images make more of it.
"""
TINY = 1e-30
"""What nothing is divided by less than."""


@dataclass(frozen=True, slots=True)
class Slope:
    """The loss of a net on one batch, and its gradient by every weight."""

    loss: float
    gradients: list[np.ndarray[Any, Any]]


class Witness(Protocol):
    """A CPU implementation that is asked for one net's gradients."""

    def slope(self, batch: Digits, weights: Sequence[Floats], *, double: bool) -> Slope:
        """Return loss and gradients at these weights, in float64 or float32."""

    def fits_double(self) -> bool:
        """Return whether memory is free for float64, as far as an earlier slope tells."""


def drawn(batch: Digits, weights: Sequence[Floats], seed: int) -> tuple[Digits, list[Floats]]:
    """Return both with noise as rounding makes it; zeros stay zeros."""
    random = np.random.default_rng(seed)
    images, *others = (_noisy(values, random) for values in (batch.images, *weights))
    return Digits(images, batch.labels), others


def _noisy(values: Floats, random: np.random.Generator) -> Floats:
    noise = random.uniform(1 - NOISE, 1 + NOISE, values.shape)
    noisy: Floats = (values * noise).astype(np.float32)
    return noisy


def distances(slope: Slope, right: Slope) -> np.ndarray[Any, Any]:
    """Return the difference of the losses, then of each gradient relative to its size."""
    sizes = [float(np.linalg.norm(one)) for one in right.gradients]
    least = max(LEAST_CHANGE * max(sizes, default=0.0), TINY)
    apart = [
        float(np.linalg.norm(own.astype(np.float64) - one)) / max(size, least)
        for own, one, size in zip(slope.gradients, right.gradients, sizes, strict=True)
    ]
    return np.array([abs(slope.loss - right.loss), *apart])
