# SPDX-License-Identifier: MIT
"""Times contestants in turns, so that a machine that slows down slows them all."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from clprobe.bench.quiet import Load, Mark, loads_between, mark
from clprobe.bench.waiting import waited_seconds

Contestant = Callable[[int], None]
"""Runs this many times and waits."""
EnergyMeter = Callable[[], float | None]
"""Returns joules used since some time in the past; None where nobody counts them."""

MIN_ROUNDS = 10
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
# A sample that waited longer than this for a processor is not of use.
_WAITED_SHARE = 0.05


@dataclass(slots=True)
class Side:
    """What was taken of one contestant."""

    samples: list[float] = field(default_factory=list)
    """Seconds per run."""
    waits: list[float | None] = field(default_factory=list)
    """Of those, what its threads may have waited for a processor; None: not known."""
    runs: int = 0
    joules: float | None = None
    """Of all its runs."""

    @property
    def joules_per_run(self) -> float | None:
        """Return the energy of one run; the whole processor's, whoever used it."""
        return None if self.joules is None or not self.runs else self.joules / self.runs

    def add(self, measure: Callable[[], float], runs: int, meter: EnergyMeter) -> None:
        """Take a sample of `runs` runs, which `measure` returns in seconds per run."""
        joules, waited = meter(), waited_seconds()
        self.samples.append(measure())
        waited_then, joules_then = waited_seconds(), meter()
        self.runs += runs
        unknown = waited is None or waited_then is None
        self.waits.append(None if unknown else max(0.0, (waited_then or 0) - (waited or 0)) / runs)
        if joules is not None and joules_then is not None:
            self.joules = (self.joules or 0.0) + joules_then - joules

    def waited(self, index: int) -> bool:
        """Return whether a sample may be longer than it would be without other programs."""
        wait = self.waits[index]
        return wait is None or wait > _WAITED_SHARE * self.samples[index]


@dataclass(frozen=True, slots=True)
class Turns:
    """All contestants' samples, and what other programs did around each round; None: unknown."""

    sides: tuple[Side, ...]
    loads: tuple[Load | None, ...]

    @property
    def other_cores(self) -> float | None:
        """Return the most processors that others kept busy; 0: they rested; None: unknown."""
        known = [one for one in self.loads if one is not None]
        return max((one.cores if one.is_busy else 0.0 for one in known), default=None)

    @property
    def undisturbed(self) -> list[int]:
        """Return the rounds in which other programs rested, or kept nobody waiting.

        Where they rest, whoever waits does so for threads of its own.
        """
        return [
            one
            for one, load in enumerate(self.loads)
            if load is None or not load.is_busy or not any(side.waited(one) for side in self.sides)
        ]

    @property
    def is_usable(self) -> bool:
        """Return whether enough rounds are undisturbed to do without the others."""
        return len(self.undisturbed) >= min(MIN_ROUNDS, len(self.loads) // 2 + 1)


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


def turns_of(sides: tuple[Side, ...], marks: Sequence[Mark]) -> Turns:
    """Return what was taken between these marks, a round between any two."""
    return Turns(sides, tuple(loads_between(marks)))


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
