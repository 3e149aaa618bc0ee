# SPDX-License-Identifier: MIT
"""How far off one training step may be: as far as rounding takes the right one.

Where ReLU and max-pool decide by a hair, rounding decides, and the whole gradient behind that
value goes another way: on 512 random images the gradients of conv-pool-conv-pool by torch in
float32 are 0.0007 of their size off those in float64, by PoCL 0.0016, and an MLP's now 5e-7, now
0.0036, by the last bit of a weight. No constant fits. So torch (or NumPy) takes the same step
again from weights and images that are a little different, and a device may be as far off.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clprobe.bench.digits import Digits, Floats
from clprobe.bench.engines import Slope
from clprobe.bench.nets import LEARNING_RATE, MOMENTUM
from clprobe.bench.proof import Proof

_NOISE = 64 * 2.0**-24
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
_LOSS_FLOOR = 1e-4
"""A right device's loss is allowed to be off by this much, however sure float32 is of it.

Measured on 12 nets at batches 1 to 512: PoCL 3.1 is off by 1.1e-6 at most.
"""
GRADIENT_FLOOR = 1e-3
"""The same for a gradient, relative to its size: PoCL's 2e-5 where nothing falls otherwise."""
_SPREAD_FACTOR = 2.0
"""A device may be off by this many times the most that a draw is: what falls to the other side on
the device does so in half of the draws, beside others that hardly cancel it."""
DRAWS = 3
_MOST_DRAWS = 15
"""Before a device is called wrong: one of a value's two sides is missed by 1 in 2¹⁵."""
_UPDATE_TOLERANCE = 1e-6
"""Of weight, velocity and change together; four roundings are 2.4e-7."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a device made of one step."""

    slope: Slope
    weights: list[Floats]


def close(slope: Slope, right: Slope, plain: Slope, draw: Callable[[int], Slope]) -> Proof:
    """Return how far a step is off, and how far it may be; more draws before it is called wrong."""
    errors = _distances(slope, right)
    if not np.isfinite(errors).all():
        return Proof(None, GRADIENT_FLOOR)
    floors = np.full(len(errors), GRADIENT_FLOOR)
    floors[0] = _LOSS_FLOOR * max(1.0, abs(right.loss))
    spread = _distances(plain, right)
    # What is as near as this needs no draw.
    most_draws = 0 if (errors <= floors).all() else _MOST_DRAWS
    for seed in range(most_draws):
        if seed >= DRAWS and (errors <= np.maximum(floors, _SPREAD_FACTOR * spread)).all():
            break
        spread = np.maximum(spread, _distances(draw(seed), right))
    # What is no number in float32 on the CPU either proves nothing.
    allowed = np.maximum(floors, _SPREAD_FACTOR * np.nan_to_num(spread, posinf=0.0))
    worst = int((errors / allowed).argmax())
    what = "its loss" if worst == 0 else "its gradients"
    return Proof(float(errors[worst]), float(allowed[worst]), what)


def loss_only(slope: Slope, right: Slope) -> Proof:
    """Return how far the loss alone is off."""
    error = abs(slope.loss - right.loss)
    allowed = _LOSS_FLOOR * max(1.0, abs(right.loss))
    return Proof(error if np.isfinite(error) else None, allowed, "its loss after a step")


def updated(
    before: Sequence[Floats], velocities: Sequence[np.ndarray[Any, Any]] | None, step: Step
) -> Proof:
    """Return whether the weights became what the device's own gradients make of them."""
    worst = 0.0
    for index, (old, new) in enumerate(zip(before, step.weights, strict=True)):
        gradient = step.slope.gradients[index].astype(np.float64)
        kept = np.zeros_like(gradient) if velocities is None else MOMENTUM * velocities[index]
        right = old - LEARNING_RATE * (kept + gradient)
        size = np.abs(old) + LEARNING_RATE * (np.abs(kept) + np.abs(gradient))
        errors = np.abs(new - right) / np.where(size > 0, size, 1)
        if not np.isfinite(errors).all():
            return Proof(None, _UPDATE_TOLERANCE)
        worst = max(worst, float(np.max(errors, initial=0.0)))
    return Proof(worst, _UPDATE_TOLERANCE, "its new weights")


def drawn(batch: Digits, weights: Sequence[Floats], seed: int) -> tuple[Digits, list[Floats]]:
    """Return both with noise as rounding makes it; zeros stay zeros."""
    random = np.random.default_rng(seed)
    # Numbers of words are what they are.
    is_exact = batch.images.dtype.kind != "f"
    images = batch.images if is_exact else _noisy(batch.images, random)
    others = [_noisy(values, random) for values in weights]
    return Digits(images, batch.labels), others


def _noisy(values: Floats, random: np.random.Generator) -> Floats:
    noise = random.uniform(1 - _NOISE, 1 + _NOISE, values.shape)
    noisy: Floats = (values * noise).astype(np.float32)
    return noisy


def _distances(slope: Slope, right: Slope) -> np.ndarray[Any, Any]:
    """Return the difference of the losses, then of each gradient relative to its size."""
    sizes = [float(np.linalg.norm(one)) for one in right.gradients]
    least = max(LEAST_CHANGE * max(sizes, default=0.0), TINY)
    apart = [
        float(np.linalg.norm(own.astype(np.float64) - one)) / max(size, least)
        for own, one, size in zip(slope.gradients, right.gradients, sizes, strict=True)
    ]
    return np.array([abs(slope.loss - right.loss), *apart])
