# SPDX-License-Identifier: MIT
"""Whether the clock that a device times its commands by agrees with the machine's own.

Kernel times are what it is used for alone: figures and verdicts go by the machine's.
"""

import time
from dataclasses import dataclass

import pyopencl as cl

from clprobe.bench.trust.work import Work

_TRIES = 3
_LONGER = 3
"""Times as long the first launch takes, so that the second is enqueued before it has ended."""
_MOST_SHARE, _LEAST_SHARE = 1.05, 0.4
"""Of the time that passed, as two kernels' times together; the rest is launches and a read."""
_LEAST_GROWTH = 1.5
_SLACK_NS = 300_000
_APART_SECONDS = 0.1
_DRIFT = 0.06
_DRIFT_SLACK_NS = 5_000_000
_MOST_MHZ = 6500
"""The Core i9-14900KS, 6200 MHz, is the fastest that was sold (theoretical.py has the source)."""


@dataclass(frozen=True, slots=True)
class _Try:
    """Two launches, the first longer, by the device's clock in nanoseconds, and by ours."""

    first: tuple[int, int, int, int]
    """Queued, submitted, started, ended."""
    second: tuple[int, int, int, int]
    passed_ns: float
    read_at_ns: float


def problem_of_clock(work: Work) -> str:
    """Return how the device's clock is wrong; "": it is right, or it says that it has none.

    **Raises** pyopencl.Error.
    """
    queue = cl.CommandQueue(
        work.device.context, properties=cl.command_queue_properties.PROFILING_ENABLE
    )
    lengths = []
    for _ in range(_TRIES):
        tried = _tried(work, queue)
        # rusticl of Mesa 22.3 says 1 ns of every command.
        if all(one[3] - one[2] in (0, 1) for one in (tried.first, tried.second)):
            return ""
        # No other program can be to blame for it.
        disorder = _disorder(tried)
        if disorder:
            return disorder
        lengths.append(_length(tried))
    return lengths[-1] if all(lengths) else _drift(work, queue)


def problem_of_frequency(device: cl.Device) -> str:
    """Return what is wrong with the highest clock that the driver states."""
    mhz = device.max_clock_frequency
    if mhz <= _MOST_MHZ:
        return ""
    return f"its driver states a clock of {mhz} MHz, which no processor has."


def _tried(work: Work, queue: cl.CommandQueue) -> _Try:
    started = time.perf_counter_ns()
    events = [work.enqueue(queue, times=_LONGER), work.enqueue(queue)]
    work.read(queue)
    now = time.perf_counter_ns()
    first, second = (
        (one.profile.queued, one.profile.submit, one.profile.start, one.profile.end)
        for one in events
    )
    return _Try(first, second, now - started, now)


def _disorder(tried: _Try) -> str:
    for queued, _, start, end in (tried.first, tried.second):
        if end < start:
            return f"a kernel ended {(start - end) / 1e6:.3g} ms before it began."
        if queued > start + _SLACK_NS:
            return f"a kernel began {(queued - start) / 1e6:.3g} ms before it was enqueued."
    overlap = tried.first[3] - tried.second[2]
    if overlap > _SLACK_NS:
        return (
            f"a kernel began {overlap / 1e6:.3g} ms before the one ahead of it in the queue had "
            "ended: times of waiting are counted as times of computing."
        )
    return ""


def _length(tried: _Try) -> str:
    first, second = (one[3] - one[2] for one in (tried.first, tried.second))
    counted, passed = (first + second) / 1e6, tried.passed_ns / 1e6
    said = f"it counts {counted:.3g} ms for kernels that took {passed:.3g} ms by the machine's own."
    if first + second > _MOST_SHARE * tried.passed_ns + _SLACK_NS:
        return said
    if first + second < _LEAST_SHARE * tried.passed_ns:
        return said
    if first < _LEAST_GROWTH * second:
        return (
            f"it counts {second / 1e6:.3g} ms for one kernel and {first / 1e6:.3g} ms for "
            f"{_LONGER} times its work."
        )
    return ""


def _drift(work: Work, queue: cl.CommandQueue) -> str:
    """Return how far the two clocks part while nothing is done."""
    problem = ""
    for _ in range(2):
        before = _tried(work, queue)
        time.sleep(2 * _APART_SECONDS)
        after = _tried(work, queue)
        counted = after.second[3] - before.second[3]
        passed = after.read_at_ns - before.read_at_ns
        if abs(counted - passed) <= _DRIFT * passed + _DRIFT_SLACK_NS:
            return ""
        problem = (
            f"it counts {counted / 1e6:.4g} ms between two kernels, the machine's own "
            f"{passed / 1e6:.4g} ms: it drifts."
        )
    return problem
