# SPDX-License-Identifier: MIT
"""Proves a training: its first two steps, and that two trained to the end alike agree.

Rounding makes two whole trainings drift apart, so their bounds are many times what right devices
show and far below what one wrong gradient causes. Deep nets make more of rounding, and say how
much; what their first steps do is held as close as float32 allows.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from clprobe.bench.digits import Digits, Floats
from clprobe.bench.engines import Slope, Witness
from clprobe.bench.nets import Net
from clprobe.bench.proof import Proof, finite_max
from clprobe.bench.step_proof import (
    DRAWS,
    GRADIENT_FLOOR,
    LEAST_CHANGE,
    TINY,
    Step,
    close,
    drawn,
    loss_only,
    updated,
)
from clprobe.bench.training_run import Run

_TOLERANCE = 2e-2
"""Of any loss of the curve; the whole change may differ by the net's own `drift`."""
_DOUBLE_COST = 12
"""Steps in float32 that one in float64 takes at most: torch's convolutions take nine."""
_STEPS = DRAWS + 3


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
        slope = witness.slope(*drawn(batches[0], weights, seed), double=False)
        alive()
        return slope

    proofs = [close(first.slope, right, plain, draw)]
    proofs.append(updated(weights, None, first))
    if all(one.holds for one in proofs):
        second = _step(device, min(1, len(batches) - 1))
        proofs.append(updated(first.weights, first.slope.gradients, second))
        again = witness.slope(batches[min(1, len(batches) - 1)], first.weights, double=False)
        alive()
        proofs.append(loss_only(second.slope, again))
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
        return Proof(0.0, GRADIENT_FLOOR)
    right = witness.slope(batches[last], weights, double=False)
    alive()
    step = _step(device, last)

    def draw(seed: int) -> Slope:
        slope = witness.slope(*drawn(batches[last], weights, seed), double=False)
        alive()
        return slope

    if not (np.isfinite(right.loss) and all(np.isfinite(one).all() for one in right.gradients)):
        return Proof(0.0, GRADIENT_FLOOR)
    return close(step.slope, right, right, draw)


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


def _step(device: Run, batch: int) -> Step:
    device.train(range(batch, batch + 1))
    trainer = device.trainer
    return Step(Slope(device.losses[-1], list(trainer.gradients())), trainer.weights())


def _excess(proof: Proof) -> float:
    """Return how many times as far off something is as it may be."""
    return np.inf if proof.max_error is None else proof.max_error / proof.tolerance


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
    least = LEAST_CHANGE * max(changes)
    relative = [
        per_drift * error / max(change, least, TINY)
        for error, change in zip(errors, changes, strict=True)
    ]
    return Proof(finite_max(np.concatenate([losses, relative])), _TOLERANCE)
