# SPDX-License-Identifier: MIT
"""Repeats the beginning of a training, which a sound driver does to the last bit."""

from collections.abc import Sequence

import numpy as np

from clprobe.bench.digits import Digits
from clprobe.bench.engines import Engine
from clprobe.bench.nets import Net
from clprobe.bench.training_run import Run


def repeats(engine: Engine, net: Net, batches: Sequence[Digits], losses: Sequence[float]) -> bool:
    """Return whether the first epoch, taken again, has the same losses to the last bit.

    Every loss after the first depends on all weights, so that one bit in one gradient shows in the
    losses that follow. Kernels of clprobe sum in one order and use no atomic additions: what
    differs is the driver's.
    """
    again = Run(engine, net, batches)
    again.train(range(len(batches)))
    first, second = (
        np.asarray(one, np.float32).tobytes() for one in (losses[: len(batches)], again.losses)
    )
    return first == second
