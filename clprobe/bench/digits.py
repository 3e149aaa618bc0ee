# SPDX-License-Identifier: MIT
"""The handwritten digits that the nets learn: real data, small enough to ship."""

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Labels = npt.NDArray[np.int32]

SIDE = 8
_DARKEST = 16
_TEST_EVERY = 5
_SEED = 1797
_FILE = Path(__file__).parent / "data" / "digits.csv.gz"


@dataclass(frozen=True, slots=True)
class Digits:
    """Images of shape (n, 1, 8, 8) with values 0 to 1, and what they show."""

    images: Floats
    labels: Labels

    def batches(self, size: int) -> "list[Digits]":
        """Return whole batches in a fixed order; the rest that fills none is left out.

        Every batch then has one shape, so each kernel is built once.
        """
        starts = range(0, len(self.labels) - size + 1, size)
        return [Digits(self.images[i : i + size], self.labels[i : i + size]) for i in starts]


def load_digits() -> tuple[Digits, Digits]:
    """Return the images to train on and those to test with; split and order never change.

    The file goes from writer to writer. Batches of one writer's hand would make the training jump,
    so the images to train on are mixed.

    **Source** UCI, Optical Recognition of Handwritten Digits; see data/README.md.
    """
    with gzip.open(_FILE, "rt", encoding="ascii") as lines:
        table = np.loadtxt(lines, delimiter=",", dtype=np.int32)
    images = (table[:, :-1] / _DARKEST).astype(np.float32).reshape(-1, 1, SIDE, SIDE)
    labels = np.ascontiguousarray(table[:, -1])
    is_test = np.arange(len(labels)) % _TEST_EVERY == 0
    train = np.random.default_rng(_SEED).permutation(np.flatnonzero(~is_test))
    return Digits(images[train], labels[train]), Digits(images[is_test], labels[is_test])
