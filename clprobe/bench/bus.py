# SPDX-License-Identifier: MIT
"""What memory carries at most, as far as nobody but its owner may read how fast it is clocked.

Firmware tells bus widths and rates to root alone. So all processors copy together, and what a
device copies in the same memory is held against a multiple of that.
"""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np

from clprobe.model.measurement import Peak

_MEBIBYTES = 64
"""In all, as the copies that are timed at least; what fits caches there fits them here."""
_REPEATS = 6
MOST = 4
"""Times as much as all processors, so that none of these is refused: a GPU behind the same memory,
stores that bypass caches and so move a third less, processors that another program held up.
"""


def bound_of_copies(device: str) -> Peak:
    """Return the bound of a device that copies in the processors' own memory."""
    rate = host_copy()
    how = f"{MOST} times the {rate:.3g} GB/s that all processors copy together"
    return Peak(device=device, unit="GB/s", bound=MOST * rate, bound_how=how)


@cache
def host_copy() -> float:
    """Return the GB/s that all processors read and write when each copies a part."""
    parts = max(1, len(os.sched_getaffinity(0)))
    size = (_MEBIBYTES << 18) // parts
    pairs = [(np.ones(size, np.float32), np.zeros(size, np.float32)) for _ in range(parts)]

    def copy(pair: tuple[Any, Any]) -> None:
        np.copyto(pair[1], pair[0])

    best = 0.0
    with ThreadPoolExecutor(parts) as pool:
        for _ in range(_REPEATS):
            started = time.perf_counter()
            list(pool.map(copy, pairs))
            elapsed = time.perf_counter() - started
            best = max(best, 2 * parts * pairs[0][0].nbytes / elapsed / 1e9)
    return best
