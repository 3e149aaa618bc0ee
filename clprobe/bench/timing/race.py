# SPDX-License-Identifier: MIT
"""From the samples of a race to figures and a ratio, though other programs may have disturbed it.

What disturbs is not alike for both sides: one preempted thread holds up all that wait for it, and
a library that spins loses a hundred times more by it than one that sleeps. So disturbed rounds do
not count; and where hardly any other is left, or where threads kept each other from a processor,
the interval holds what might have been without.
"""

from clprobe.bench.timing.statistics import Estimate, estimate, estimate_ratio
from clprobe.bench.timing.turns import Side, Turns


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


def _seconds(turns: Turns, side: Side) -> list[float]:
    return [side.samples[one].seconds for one in turns.chosen]


def _least(turns: Turns, side: Side) -> list[float]:
    """Return the least that each sample can have been, had nobody waited."""
    is_disturbed = not turns.is_usable
    return [side.samples[one].least(is_disturbed=is_disturbed) for one in turns.chosen]
