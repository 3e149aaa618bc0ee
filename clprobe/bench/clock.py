# SPDX-License-Identifier: MIT
"""Times two contestants in turns, so that a machine that slows down slows both."""

import math
import time
from collections.abc import Callable

Contestant = Callable[[int], None]
"""Runs this many times and waits."""

MIN_ROUNDS = 7
_MAX_ROUNDS = 200
# Shorter samples would measure the clock and the scheduler.
_SAMPLE_SECONDS = 0.002
_STABLE_RUNS = 3
_STABLE_SPREAD = 1.1


def time_in_turns(
    first: Contestant, second: Contestant, budget_seconds: float
) -> tuple[list[float], list[float]]:
    """Return samples of both, in seconds per run, taken A B A B until the budget is spent."""
    deadline = time.perf_counter() + budget_seconds
    contestants = (first, second)
    repeats = [warm_up(contestant, budget_seconds / 6) for contestant in contestants]
    samples: tuple[list[float], list[float]] = ([], [])
    while len(samples[0]) < MIN_ROUNDS or (
        len(samples[0]) < _MAX_ROUNDS and time.perf_counter() < deadline
    ):
        for contestant, times, taken in zip(contestants, repeats, samples, strict=True):
            # The other side has just used the caches, and its threads may still spin.
            contestant(1)
            taken.append(seconds(contestant, times))
    return samples


def warm_up(contestant: Contestant, budget_seconds: float) -> int:
    """Run until the last runs take equally long; return how many runs make one sample."""
    deadline = time.perf_counter() + budget_seconds
    recent = [seconds(contestant, 1)]
    while time.perf_counter() < deadline:
        recent = [*recent, seconds(contestant, 1)][-_STABLE_RUNS:]
        if len(recent) == _STABLE_RUNS and max(recent) < min(recent) * _STABLE_SPREAD:
            break
    return max(1, math.ceil(_SAMPLE_SECONDS / max(min(recent), 1e-9)))


def seconds(contestant: Contestant, times: int) -> float:
    """Return the seconds that one of `times` runs takes."""
    started = time.perf_counter()
    contestant(times)
    return (time.perf_counter() - started) / times
