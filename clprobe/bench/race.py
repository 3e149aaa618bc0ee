# SPDX-License-Identifier: MIT
"""From the samples of a race to figures and a ratio, though other programs may have disturbed it.

What disturbs is not alike for both sides: one preempted thread holds up all that wait for it, and
a library that spins loses a hundred times more by it than one that sleeps. So disturbed rounds do
not count; and where hardly any other is left, the interval holds what might have been without.
"""

from collections.abc import Sequence

from clprobe.bench.clock import Side, Turns
from clprobe.bench.statistics import Estimate, estimate, estimate_ratio

# Even of a sample that waited all the time something was work.
_LEAST_WORK = 0.01


def figure(turns: Turns, side: int) -> tuple[Estimate, int]:
    """Return the seconds per run of one side, and of how many samples."""
    chosen = _chosen(turns)
    return estimate([turns.sides[side].samples[index] for index in chosen]), len(chosen)


def ratio_to_reference(turns: Turns) -> Estimate:
    """Return how many times as fast the first side is as the second."""
    device, reference = turns.sides[:2]
    if turns.is_usable:
        clean = turns.undisturbed
        found = estimate_ratio(
            [reference.samples[index] for index in clean],
            [device.samples[index] for index in clean],
        )
        return _stretched(found, 2 - len(clean) / len(device.samples))
    if any(wait is None for side in (device, reference) for wait in side.waits):
        # Nobody counts who waited; what is known is only how busy others were.
        cores = [one.cores for one in turns.loads if one is not None]
        return estimate_ratio(
            reference.samples, device.samples, other_cores=sum(cores) / len(cores)
        )
    found = estimate_ratio(reference.samples, device.samples)
    least = estimate_ratio(_without_waits(reference), device.samples)
    most = estimate_ratio(reference.samples, _without_waits(device))
    return Estimate(
        found.median, (min(found.ci95[0], least.ci95[0]), max(found.ci95[1], most.ci95[1]))
    )


def _stretched(found: Estimate, factor: float) -> Estimate:
    """Return a wider interval: what disturbed its neighbours left no round quite as it was."""
    low, high = (found.median * (end / found.median) ** factor for end in found.ci95)
    return Estimate(found.median, (low, high))


def _chosen(turns: Turns) -> Sequence[int]:
    return turns.undisturbed if turns.is_usable else range(len(turns.sides[0].samples))


def _without_waits(side: Side) -> list[float]:
    """Return the least that each sample can have been without other programs."""
    return [
        max(sample - (wait or 0.0), sample * _LEAST_WORK)
        for sample, wait in zip(side.samples, side.waits, strict=True)
    ]
