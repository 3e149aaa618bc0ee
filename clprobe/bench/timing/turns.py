# SPDX-License-Identifier: MIT
"""From the samples of contestants that took turns to figures and a ratio, whoever disturbed them.

What disturbs is not alike for both sides: one preempted thread holds up all that wait for it, and
a library that spins loses a hundred times more by it than one that sleeps. So disturbed rounds do
not count; and where hardly any other is left, or where threads kept each other from a processor,
the interval holds what might have been without.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clprobe.bench.timing.quiet import CPUS, Load, Mark, loads_between
from clprobe.bench.timing.statistics import PLACEMENT, Estimate, estimate, estimate_ratio

EnergyMeter = Callable[[], float | None]
"""Returns joules used since some time in the past; None where nobody counts them."""

MIN_ROUNDS = 10
# Of a sample: who waits less for a processor would not have been noticeably faster without.
_WAITED_SHARE = 0.05
# Who waits more, beside programs at rest, has several threads on one processor.
_STACKED_SHARE = 0.5
# Even of a sample that waited all the time something was work.
_LEAST_WORK = 0.01


@dataclass(frozen=True, slots=True)
class Sample:
    """Seconds of one run: passed, waited for a processor by all threads, and computed by them.

    None: not known.
    """

    seconds: float
    waited: float | None = 0.0
    computed: float | None = None

    def per(self, parts: int) -> "Sample":
        """Return what falls to each of so many parts of a run."""
        waited, computed = (
            None if one is None else one / parts for one in (self.waited, self.computed)
        )
        return Sample(self.seconds / parts, waited, computed)

    @property
    def was_held_up(self) -> bool:
        """Return whether it may be longer than it would be without other programs."""
        return self.waited is None or self.waited > _WAITED_SHARE * self.seconds

    def least(self, *, is_disturbed: bool) -> float:
        """Return the seconds that it may have been, had nobody waited.

        Beside a busy program a library that spins for its own threads wastes what it computes, so
        that nothing but waiting tells. At rest, what was computed takes at least as long as on all
        processors at once; Linux may keep both threads of PoCL on one of two for a second.
        """
        waited = self.waited or 0.0
        if is_disturbed:
            return max(self.seconds - waited, _LEAST_WORK * self.seconds)
        if self.computed is None or waited <= _STACKED_SHARE * self.seconds:
            return self.seconds
        return min(self.seconds, max(self.seconds - waited, self.computed / CPUS))


@dataclass(slots=True)
class Side:
    """What was taken of one contestant."""

    samples: list[Sample] = field(default_factory=list)
    runs: int = 0
    joules: float | None = None
    """Of all its runs."""

    @property
    def joules_per_run(self) -> float | None:
        """Return the energy of one run; the whole processor's, whoever used it."""
        return None if self.joules is None or not self.runs else self.joules / self.runs

    def add(self, measure: Callable[[], float], runs: int, meter: EnergyMeter) -> None:
        """Take a sample of `runs` runs, which `measure` returns in seconds per run."""
        joules, waited, computed = meter(), waited_seconds(), time.process_time()
        seconds = measure()
        computed_then, waited_then, joules_then = time.process_time(), waited_seconds(), meter()
        held_up = None
        if waited is not None and waited_then is not None:
            held_up = max(0.0, waited_then - waited) / runs
        self.samples.append(Sample(seconds, held_up, (computed_then - computed) / runs))
        self.runs += runs
        if joules is not None and joules_then is not None:
            self.joules = (self.joules or 0.0) + joules_then - joules

    def divide(self, parts: int) -> None:
        """Let each of so many parts of a run be a run from here on."""
        self.samples = [one.per(parts) for one in self.samples]
        self.runs *= parts


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
            if load is None
            or not load.is_busy
            or not any(side.samples[one].was_held_up for side in self.sides)
        ]

    @property
    def is_usable(self) -> bool:
        """Return whether enough rounds are undisturbed to do without the others."""
        return len(self.undisturbed) >= min(MIN_ROUNDS, len(self.loads) // 2 + 1)

    @property
    def chosen(self) -> Sequence[int]:
        """Return the rounds that count: the undisturbed ones, if they are enough."""
        return self.undisturbed if self.is_usable else range(len(self.loads))


def turns_of(sides: tuple[Side, ...], marks: Sequence[Mark]) -> Turns:
    """Return what was taken between these marks, a round between any two."""
    return Turns(sides, tuple(loads_between(marks)))


def figure(turns: Turns, side: int) -> tuple[Estimate, int]:
    """Return the seconds per run of one side, and of how many samples."""
    samples = _seconds(turns, turns.sides[side])
    return estimate(samples), len(samples)


def ratio_to_reference(turns: Turns) -> Estimate:
    """Return how many times as fast the first side is as the second."""
    device, reference = turns.sides[:2]
    samples = _seconds(turns, reference), _seconds(turns, device)
    waits = [sample.waited for side in (device, reference) for sample in side.samples]
    if None in waits and not turns.is_usable:
        # Nobody counts who waited; what is known is only how busy others were.
        cores = [one.cores for one in turns.loads if one is not None]
        return estimate_ratio(*samples, other_cores=sum(cores) / len(cores))
    found = estimate_ratio(*samples)
    possible = (_least(turns, reference), samples[1]), (samples[0], _least(turns, device))
    intervals = [found.ci95, *(estimate_ratio(*one).ci95 for one in possible if one != samples)]
    # What disturbed its neighbours left no round quite as it was.
    stretch = 2 - len(turns.chosen) / len(turns.loads)
    low, high = (
        found.median * (end / found.median) ** stretch
        for end in (min(low for low, _ in intervals), max(high for _, high in intervals))
    )
    return Estimate(found.median, (low, high))


def ratio_between(device: Turns, other: Turns) -> Estimate:
    """Return how many times as fast the first side of one race is as that of another.

    They were not timed beside each other, so nothing that slowed one cancels out: the interval
    holds what either of them may have been, and what it may have been had nobody waited.
    """
    (own, *own_ends), (theirs, *their_ends) = map(_possible, (device, other))
    low = min(one.ci95[0] for one in (theirs, *their_ends))
    high = max(one.ci95[1] for one in (theirs, *their_ends))
    least = min(one.ci95[0] for one in (own, *own_ends))
    most = max(one.ci95[1] for one in (own, *own_ends))
    return Estimate(theirs.median / own.median, (low / most / PLACEMENT, high / least * PLACEMENT))


def _possible(turns: Turns) -> tuple[Estimate, ...]:
    """Return what the first side took, and the least that it may have taken if that is less."""
    side = turns.sides[0]
    seconds, least = _seconds(turns, side), _least(turns, side)
    return tuple(map(estimate, (seconds,) if least == seconds else (seconds, least)))


def ratios_to_all(
    turns: Turns, reference: str, apart: Sequence[tuple[str, Turns | None]]
) -> list[tuple[str, Estimate]]:
    """Return the ratio to the reference, then to each that was timed apart."""
    others = [(name, ratio_between(turns, one)) for name, one in apart if one is not None]
    return [(reference, ratio_to_reference(turns)), *others]


def _seconds(turns: Turns, side: Side) -> list[float]:
    return [side.samples[one].seconds for one in turns.chosen]


def _least(turns: Turns, side: Side) -> list[float]:
    """Return the least that each sample can have been, had nobody waited."""
    is_disturbed = not turns.is_usable
    return [side.samples[one].least(is_disturbed=is_disturbed) for one in turns.chosen]


_TASKS = Path("/proc/self/task")


def waited_seconds(tasks: Path = _TASKS) -> float | None:
    """Return for how long all threads together were ready to run and did not; None: unknown.

    Threads that ended meanwhile are no longer counted.

    **Source** Linux, Documentation/scheduler/sched-stats.rst: the second field of schedstat.
    """
    waits = [one for one in map(_waited_ns, tasks.glob("[0-9]*/schedstat")) if one is not None]
    return sum(waits) / 1e9 if waits else None


def _waited_ns(schedstat: Path) -> int | None:
    try:
        return int(schedstat.read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        # A thread that has just ended, or a Linux that does not count.
        return None
