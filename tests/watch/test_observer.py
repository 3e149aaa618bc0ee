# SPDX-License-Identifier: MIT
"""Looking at a program must not slow it down."""

import os
import time

from clprobe.watch.observer import Observer

FIRST_S = 0.2


def test_looks_take_a_small_share_of_the_first_moments() -> None:
    observer = Observer()
    began = time.monotonic()
    used_s = 0.0
    while time.monotonic() - began < FIRST_S:
        looks = time.monotonic()
        pause_s = observer.look(os.getpid())
        used_s += time.monotonic() - looks
        time.sleep(pause_s)

    assert os.getpid() in observer.sights
    assert used_s < 0.01 + FIRST_S / 4  # an eighth, and what the last look was too long
