# SPDX-License-Identifier: MIT
"""One engine's training of a net: its losses so far, and the time that it took."""

import time
from collections.abc import Sequence
from typing import Protocol, cast

import numpy as np

from clprobe.bench.digits import Digits, Floats
from clprobe.bench.engines import Engine
from clprobe.bench.nets import Net


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
