# SPDX-License-Identifier: MIT
"""A net being trained, and how closely two that were trained to the end alike must agree.

Rounding makes the two drift apart, so the bounds below are many times what right devices show
and far below what one wrong gradient causes. Deep nets make more of rounding, and say how much;
what their first steps do is held as close as float32 allows (first_steps.py).
"""

import time
from collections.abc import Sequence
from typing import Protocol, cast

import numpy as np

from clprobe.bench.digits import Digits, Floats
from clprobe.bench.engines import Engine
from clprobe.bench.nets import Net
from clprobe.bench.proof import Proof, finite_max
from clprobe.bench.witness import LEAST_CHANGE, TINY

TOLERANCE = 2e-2
"""Of any loss of the curve; the whole change may differ by the net's own `drift`."""


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


def compare(net: Trainable, device: Run, reference: Run, tolerance: float, drift: float) -> Proof:
    """Return the largest difference of losses, or of the weights relative to their change.

    Weights that differ by `drift` count as much as losses that do by the tolerance.
    """
    per_drift = tolerance / drift
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
    return Proof(finite_max(np.concatenate([losses, relative])), tolerance)
