# SPDX-License-Identifier: MIT
"""Proves a training: its first two steps, and that two trained to the end alike agree.

Where ReLU and max-pool decide by a hair, rounding decides, and the whole gradient behind that
value goes another way: on 512 random images the gradients of conv-pool-conv-pool by torch in
float32 are 0.0007 of their size off those in float64, by PoCL 0.0016, and an MLP's now 5e-7, now
0.0036, by the last bit of a weight. No constant fits. So torch (or NumPy) takes the same step
again from weights and images that are a little different, and a device may be as far off.

Rounding makes two whole trainings drift apart, so their bounds are many times what right devices
show and far below what one wrong gradient causes. Deep nets make more of rounding, and say how
much; what their first steps do is held as close as float32 allows.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np

from clprobe.bench.digits import Digits, Floats
from clprobe.bench.engines import Engine, Slope, Witness
from clprobe.bench.nets import LEARNING_RATE, MOMENTUM, Net
from clprobe.bench.proof import Proof, finite_max

_TOLERANCE = 2e-2
"""Of any loss of the curve; the whole change may differ by the net's own `drift`."""
_NOISE = 64 * 2.0**-24
"""By how much, at most, weights and images of a draw differ from the true ones.

By estimate, a sum of n products taken one by one in float32 is off by 0.3 √n roundings (2⁻²⁴) of
its terms, Winograd's by 30: 64 are enough to reach every value that may fall to the other side on
a right device, and half of the draws then take that side too.
"""
_LEAST_CHANGE = 0.1
"""Of the largest gradient, or change, of any weight; a smaller one is compared with this much.

The gradient of a bias before a normalisation is nothing but rounding: at batch 1024 right devices
differ in it by 5e-6 of the largest, and large images make more of it.
"""
_TINY = 1e-30
"""What nothing is divided by less than."""
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


class Trainable(Protocol):
    """A net, as far as it must be known to compare two that were trained."""

    @property
    def name(self) -> str:
        """Return what it is called in reports."""

    def initial_weights(self) -> list[Floats]:
        """Return every parameter before training."""


class Run:
    """One engine's training so far."""

    def __init__(self, engine: Engine, net: Trainable, batches: Sequence[Digits]) -> None:
        # An engine for the user's nets is made for one of them and takes no other.
        self.trainer = engine.trainer(cast("Net", net), batches)
        self.losses: list[float] = []

        self.seconds = 0.0

    def train(self, batches: range) -> float:
        """Train on these batches and return the seconds that it took."""
        started = time.perf_counter()
        self.losses += self.trainer.train(batches)
        elapsed = time.perf_counter() - started
        self.seconds += elapsed
        return elapsed

    def repeat_first_batch(self, steps: int) -> None:
        """Train this many steps."""
        for _ in range(steps):
            self.train(range(1))

    def accuracy(self, test: Digits) -> float:
        """Return the share of images that the net recognises."""
        return float(np.mean(self.trainer.predict(test.images) == test.labels))


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

    def draw(seed: int) -> Slope:
        """Return what the witness says of almost the same; one seed always gives the same."""
        slope = witness.slope(*_drawn(batches[0], weights, seed), double=False)
        alive()
        return slope

    proofs = [_close(first.slope, right, plain, draw)]
    proofs.append(_updated(weights, None, first))
    if all(one.holds for one in proofs):
        second = _step(device, min(1, len(batches) - 1))
        proofs.append(_updated(first.weights, first.slope.gradients, second))
        again = witness.slope(batches[min(1, len(batches) - 1)], first.weights, double=False)
        alive()
        proofs.append(_loss_only(second.slope, again))
    return Checked(max(proofs, key=_excess), note=_note(double=double, at_ease=at_ease))


def unseen(batch: Digits) -> Digits:
    """Return another batch of the same shape: mirrored images, others' labels."""
    images = np.ascontiguousarray(batch.images[..., ::-1])
    return Digits(images, np.roll(batch.labels, 1, axis=0))


def check_later_step(
    device: Run, witness: Witness, batches: Sequence[Digits], alive: Callable[[], None]
) -> Proof:
    """Take one more step on the device, on the last batch, and hold it against the witness.

    Nothing is proved where the weights have grown beyond all numbers, as too steep a descent lets
    them.
    """
    weights, last = device.trainer.weights(), len(batches) - 1
    if not all(np.isfinite(one).all() for one in weights):
        return Proof(0.0, _GRADIENT_FLOOR)
    right = witness.slope(batches[last], weights, double=False)
    alive()
    step = _step(device, last)

    def draw(seed: int) -> Slope:
        slope = witness.slope(*_drawn(batches[last], weights, seed), double=False)
        alive()
        return slope

    if not (np.isfinite(right.loss) and all(np.isfinite(one).all() for one in right.gradients)):
        return Proof(0.0, _GRADIENT_FLOOR)
    return _close(step.slope, right, right, draw)


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


def _close(slope: Slope, right: Slope, plain: Slope, draw: Callable[[int], Slope]) -> Proof:
    """Return how far a step is off, and how far it may be; more draws before it is called wrong."""
    errors = _distances(slope, right)
    if not np.isfinite(errors).all():
        return Proof(None, _GRADIENT_FLOOR)
    floors = np.full(len(errors), _GRADIENT_FLOOR)
    floors[0] = _LOSS_FLOOR * max(1.0, abs(right.loss))
    spread = _distances(plain, right)
    # What is as near as this needs no draw.
    most_draws = 0 if (errors <= floors).all() else _MOST_DRAWS
    for seed in range(most_draws):
        if seed >= _DRAWS and (errors <= np.maximum(floors, _SPREAD_FACTOR * spread)).all():
            break
        spread = np.maximum(spread, _distances(draw(seed), right))
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


def _drawn(batch: Digits, weights: Sequence[Floats], seed: int) -> tuple[Digits, list[Floats]]:
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
    least = max(_LEAST_CHANGE * max(sizes, default=0.0), _TINY)
    apart = [
        float(np.linalg.norm(own.astype(np.float64) - one)) / max(size, least)
        for own, one, size in zip(slope.gradients, right.gradients, sizes, strict=True)
    ]
    return np.array([abs(slope.loss - right.loss), *apart])


def compare(net: Net, device: Run, reference: Run) -> Proof:
    """Return the largest difference of losses, or of the weights relative to their change.

    Weights that differ by the net's drift count as much as losses that do by the tolerance.
    """
    per_drift = _TOLERANCE / net.drift
    losses = np.abs(np.subtract(device.losses, reference.losses))
    weights = zip(
        device.trainer.weights(), reference.trainer.weights(), net.initial_weights(), strict=True
    )
    errors, changes = [], []
    for own, right, initial in weights:
        errors.append(float(np.linalg.norm(own - right)))
        changes.append(float(np.linalg.norm(right - initial)))
    # What hardly changes, such as a bias before a normalisation, is nothing but rounding.
    least = _LEAST_CHANGE * max(changes)
    relative = [
        per_drift * error / max(change, least, _TINY)
        for error, change in zip(errors, changes, strict=True)
    ]
    return Proof(finite_max(np.concatenate([losses, relative])), _TOLERANCE)
