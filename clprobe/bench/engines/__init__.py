# SPDX-License-Identifier: MIT
"""What runs a workload: the device, or a CPU reference beside it, behind one interface."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from clprobe.bench.digits import Digits, Floats, Labels
from clprobe.bench.nets import Net
from clprobe.model.measurement import TransferBy


class Exchange(Protocol):
    """An operation whose first operand changes before every run, for another and back."""

    turn: int
    """Which of the two was in place at the last run: 0 the operation's own, 1 the other."""

    def exchange(self, times: int) -> None:
        """Let the two change places so many times, and wait."""

    def run(self, times: int) -> None:
        """Let them change places and compute, so many times, and wait."""

    def latest(self) -> np.ndarray[Any, Any]:
        """Bring back what the last run left."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """An operation with its operands in place, ready to be timed."""

    run: Callable[[int], None]
    """Run it this many times and wait until all have finished."""
    result: Callable[[], np.ndarray[Any, Any]]
    """Run it once and bring back what it computes."""
    exchange: Callable[[Floats], Exchange] | None = None
    """Takes another first operand; None of what is not under test."""


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


class Engine(Protocol):
    """Something that computes; all operands are float32 and row-major."""

    name: str

    def prepare(self, operation: str, *operands: Floats) -> Prepared:
        """Return an operation with its operands in place.

        **Shapes** copy: any; add: two alike; matmul: (m, k), (k, n). A convolution is 3x3, padded
        by 1: conv-forward (n, c, h, w), (k, c, 3, 3); conv-input-grad, its gradient for the images,
        (n, k, h, w), (k, c, 3, 3); conv-weight-grad, that for the weights, (n, k, h, w),
        (n, c, h, w).
        """

    def inference(self, net: Net, images: Floats) -> Prepared:
        """Return the untrained net, used on these images: the result is a row of each."""

    def trainer(self, net: Net, batches: Sequence[Digits]) -> Trainer:
        """Return the untrained net with its training images in place."""


class Reference(Engine, Protocol):
    """The engine that others are compared with, and proved by."""

    def witness(self, net: Net) -> Witness:
        """Return what says how a right step of this net's training looks."""


TakenMs = Callable[[], float | None]
"""Returns what the device says that its commands took; None where it keeps no time."""


class Subject(Engine, Protocol):
    """The engine under test, which also says what it spends its time on."""

    framework: str
    """Whose kernels it runs."""
    is_cpu: bool
    """Whether it is, and says that it is, the CPU itself."""

    def compile_ns(self) -> int:
        """Return the time spent on building kernels so far."""

    def ways(self, batch: Digits) -> dict[TransferBy, Callable[[], None]]:
        """Return what brings a batch to the device and waits; first the way that training takes.

        A batch that is mapped is written by whoever makes it right where the device reads it.
        """

    def recording(self) -> AbstractContextManager[TakenMs]:
        """Watch the commands of a `with` block, and tell what they took."""
