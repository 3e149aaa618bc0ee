# SPDX-License-Identifier: MIT
"""Times contestants in turns, so that a machine that slows down slows them all."""

import math
import time
from collections.abc import Callable, Sequence
from functools import partial

from clprobe.bench.timing.quiet import mark
from clprobe.bench.timing.turns import MIN_ROUNDS, EnergyMeter, Side, Turns, turns_of

Contestant = Callable[[int], None]
"""Runs this many times and waits."""

_MAX_ROUNDS = 200
# Shorter samples would measure the clock and the scheduler.
_SAMPLE_SECONDS = 0.005
_STABLE_RUNS = 3
_STABLE_SPREAD = 1.1
# What a sample costs once is spread over as many runs on every side, unless one is far slower.
_LONGEST_SAMPLE = 4
# OpenBLAS's threads go on asking for work for 26 ms, and would slow down whoever is next.
_REST_SECONDS = 0.001
_LONGEST_REST_SECONDS = 0.05
_AT_REST = 0.3


def time_in_turns(
    contestants: Sequence[Contestant], budget_seconds: float, meter: EnergyMeter = lambda: None
) -> Turns:
    """Return samples, taken A B, B A, A B … until the budget is spent.

    Where others disturb so much that too few samples are of use, it is spent twice.
    """
    deadline = time.perf_counter() + budget_seconds
    repeats = alike([warm_up(one, budget_seconds / 3 / len(contestants)) for one in contestants])
    sides = tuple(Side() for _ in contestants)
    turns = list(zip(contestants, repeats, sides, strict=True))
    marks = [mark()]
    for number in range(_MAX_ROUNDS):
        left = deadline - time.perf_counter()
        if number >= MIN_ROUNDS and left <= 0:
            found = turns_of(sides, marks)
            if len(found.undisturbed) >= MIN_ROUNDS or left <= -budget_seconds:
                return found
        # Whoever always came second would always find the other's heat.
        for contestant, times, side in turns if number % 2 == 0 else reversed(turns):
            come_to_rest()
            # The other side has just used the caches.
            contestant(1)
            side.add(partial(seconds, contestant, times), times, meter)
        marks.append(mark())
    return turns_of(sides, marks)


def come_to_rest() -> None:
    """Wait until no thread of this process computes, or for as long as makes sense."""
    deadline = time.perf_counter() + _LONGEST_REST_SECONDS
    while time.perf_counter() < deadline:
        used, started = time.process_time(), time.perf_counter()
        time.sleep(_REST_SECONDS)
        if time.process_time() - used < _AT_REST * (time.perf_counter() - started):
            return


def warm_up(contestant: Contestant, budget_seconds: float) -> int:
    """Run until the last runs take equally long; return how many runs make one sample."""
    deadline = time.perf_counter() + budget_seconds
    recent = [seconds(contestant, 1)]
    while time.perf_counter() < deadline:
        recent = [*recent, seconds(contestant, 1)][-_STABLE_RUNS:]
        if len(recent) == _STABLE_RUNS and max(recent) < min(recent) * _STABLE_SPREAD:
            break
    return max(1, math.ceil(_SAMPLE_SECONDS / max(min(recent), 1e-9)))


def alike(repeats: Sequence[int]) -> list[int]:
    """Return for each side how many runs make a sample: as many as for the fastest, if it can."""
    return [min(max(repeats), _LONGEST_SAMPLE * one) for one in repeats]


def seconds(contestant: Contestant, times: int) -> float:
    """Return the seconds that one of `times` runs takes."""
    started = time.perf_counter()
    contestant(times)
    return (time.perf_counter() - started) / times
