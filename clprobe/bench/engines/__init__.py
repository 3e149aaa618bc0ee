# SPDX-License-Identifier: MIT
"""What runs a workload: the device, or a CPU reference beside it, behind one interface."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from clprobe.bench.digits import Digits, Floats, Labels
from clprobe.bench.nets import Net
from clprobe.bench.witness import Witness


@dataclass(frozen=True, slots=True)
class Prepared:
    """An operation with its operands in place, ready to be timed."""

    run: Callable[[int], None]
    """Run it this many times and wait until all have finished."""
    result: Callable[[], np.ndarray[Any, Any]]
    """Run it once and bring back what it computes."""


class Trainer(Protocol):
    """One net being trained."""

    def train(self, batches: range) -> list[float]:
        """Train on these batches, wait, and return the loss of each."""

    def weights(self) -> list[Floats]:
        """Return a copy of every weight and bias, in the order of `Net.initial_weights`."""

    def gradients(self) -> list[Floats]:
        """Return a copy of the last step's gradient by every weight; zeros where there is none."""

    def predict(self, images: Floats) -> Labels:
        """Return the digit that the net sees in each image."""


class Engine(Protocol):
    """Something that computes; all operands are float32 and row-major."""

    name: str

    def copy(self, values: Floats) -> Prepared:
        """Copy values within the engine's own memory."""

    def add(self, a: Floats, b: Floats) -> Prepared:
        """Return a + b."""

    def matmul(self, a: Floats, b: Floats) -> Prepared:
        """Return a @ b."""

    def conv_forward(self, x: Floats, weight: Floats) -> Prepared:
        """Return the 3x3 convolution, padded by 1. **Shapes** (n, c, h, w), (k, c, 3, 3)."""

    def conv_input_gradient(self, dy: Floats, weight: Floats) -> Prepared:
        """Return its gradient for the images. **Shapes** (n, k, h, w), (k, c, 3, 3)."""

    def conv_weight_gradient(self, dy: Floats, x: Floats) -> Prepared:
        """Return its gradient for the weights. **Shapes** (n, k, h, w), (n, c, h, w)."""

    def bring(self, batch: Digits) -> None:
        """Move a batch to where it would be trained on, and wait."""

    def trainer(self, net: Net, batches: Sequence[Digits]) -> Trainer:
        """Return the untrained net with its training images in place."""


class Reference(Engine, Protocol):
    """The engine that others are compared with, and proved by."""

    def witness(self, net: Net) -> Witness:
        """Return what says how a right step of this net's training looks."""
