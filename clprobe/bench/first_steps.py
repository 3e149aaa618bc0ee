# SPDX-License-Identifier: MIT
"""Proves the first two steps of a training: loss, every gradient, and what they do to the weights.

The same for bench's own nets and for the user's; see witness.py for what may be off, and why.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clprobe.bench.digits import Digits, Floats
from clprobe.bench.nets import LEARNING_RATE, MOMENTUM
from clprobe.bench.proof import Proof
from clprobe.bench.trained import Run
from clprobe.bench.witness import Slope, Witness, distances, drawn

_LOSS_FLOOR = 1e-4
"""A right device's loss is allowed to be off by this much, however sure float32 is of it.

Measured on 12 nets at batches 1 to 512: PoCL 3.1 is off by 1.1e-6 at most.
"""
_GRADIENT_FLOOR = 1e-3
"""The same for a gradient, relative to its size: PoCL's 2e-5 where nothing falls otherwise."""
_SPREAD_FACTOR = 2.0
"""A device may be off by this many times the most that a draw is: what falls to the other side on
the device does so in half of the draws, beside others that hardly cancel it."""
_DRAWS = 3
_MOST_DRAWS = 15
"""Before a device is called wrong: one of a value's two sides is missed by 1 in 2¹⁵."""
_UPDATE_TOLERANCE = 1e-6
"""Of weight, velocity and change together; four roundings are 2.4e-7."""
_DOUBLE_COST = 12
"""Steps in float32 that one in float64 takes at most: torch's convolutions take nine."""
_STEPS = _DRAWS + 3


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of the proof; None: there is none, as it would take so many seconds.

    `note` says in what it was weaker than usual.
    """

    proof: Proof | None
    note: str = ""
    seconds: float = 0.0


def check_first_steps(
    device: Run,
    witness: Witness,
    batches: Sequence[Digits],
    patience_seconds: float,
    alive: Callable[[], None],
) -> Checked:
    """Take the first two steps on the device and hold them against the witness.

    The second is on the second batch, or the first again.
    """
    weights = device.trainer.weights()
    plain, step_seconds = _timed(witness, batches[0], weights)
    alive()
    if _DOUBLE_COST * step_seconds > patience_seconds / 2:
        # The first one may have had threads to start.
        step_seconds = min(step_seconds, _timed(witness, batches[0], weights)[1])
        alive()
    if _STEPS * step_seconds > patience_seconds:
        return Checked(None, seconds=_STEPS * step_seconds)
    at_ease = _DOUBLE_COST * step_seconds <= patience_seconds / 2
    double = at_ease and witness.fits_double()
    right = witness.slope(batches[0], weights, double=True) if double else plain
    alive()
    first = _step(device, 0)
    proofs = [_close(first.slope, right, plain, _Draws(witness, batches[0], weights, alive))]
    proofs.append(_updated(weights, None, first))
    if all(one.holds for one in proofs):
        second = _step(device, min(1, len(batches) - 1))
        proofs.append(_updated(first.weights, first.slope.gradients, second))
        again = witness.slope(batches[min(1, len(batches) - 1)], first.weights, double=False)
        alive()
        proofs.append(_loss_only(second.slope, again))
    return Checked(max(proofs, key=_excess), note=_note(double=double, at_ease=at_ease))


def _timed(witness: Witness, batch: Digits, weights: Sequence[Floats]) -> tuple[Slope, float]:
    """Return the slope in float32 and the seconds that it took."""
    started = time.perf_counter()
    slope = witness.slope(batch, weights, double=False)
    return slope, time.perf_counter() - started


def _note(*, double: bool, at_ease: bool) -> str:
    if double:
        return ""
    why = "there is too little memory for float64" if at_ease else "float64 would take too long"
    return f"proved against float32 alone: {why}"


@dataclass(frozen=True, slots=True)
class _Step:
    """What a device made of one step."""

    slope: Slope
    weights: list[Floats]


def _step(device: Run, batch: int) -> _Step:
    device.train(range(batch, batch + 1))
    trainer = device.trainer
    return _Step(Slope(device.losses[-1], list(trainer.gradients())), trainer.weights())


@dataclass(frozen=True, slots=True)
class _Draws:
    """What the witness says of almost the same weights and images."""

    witness: Witness
    batch: Digits
    weights: Sequence[Floats]
    alive: Callable[[], None]

    def take(self, seed: int) -> Slope:
        """Return one; the same seed always gives the same."""
        batch, weights = drawn(self.batch, self.weights, seed)
        slope = self.witness.slope(batch, weights, double=False)
        self.alive()
        return slope


def _close(slope: Slope, right: Slope, plain: Slope, draws: _Draws) -> Proof:
    """Return how far a step is off, and how far it may be; more draws before it is called wrong."""
    errors = distances(slope, right)
    if not np.isfinite(errors).all():
        return Proof(None, _GRADIENT_FLOOR)
    floors = np.full(len(errors), _GRADIENT_FLOOR)
    floors[0] = _LOSS_FLOOR * max(1.0, abs(right.loss))
    spread = distances(plain, right)
    for seed in range(_MOST_DRAWS):
        if seed >= _DRAWS and (errors <= np.maximum(floors, _SPREAD_FACTOR * spread)).all():
            break
        spread = np.maximum(spread, distances(draws.take(seed), right))
    # What is no number in float32 on the CPU either proves nothing.
    allowed = np.maximum(floors, _SPREAD_FACTOR * np.nan_to_num(spread, posinf=0.0))
    worst = int((errors / allowed).argmax())
    what = "its loss" if worst == 0 else "its gradients"
    return Proof(float(errors[worst]), float(allowed[worst]), what)


def _loss_only(slope: Slope, right: Slope) -> Proof:
    error = abs(slope.loss - right.loss)
    allowed = _LOSS_FLOOR * max(1.0, abs(right.loss))
    return Proof(error if np.isfinite(error) else None, allowed, "its loss after a step")


def _updated(
    before: Sequence[Floats], velocities: Sequence[np.ndarray[Any, Any]] | None, step: _Step
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


def _excess(proof: Proof) -> float:
    """Return how many times as far off something is as it may be."""
    return np.inf if proof.max_error is None else proof.max_error / proof.tolerance
