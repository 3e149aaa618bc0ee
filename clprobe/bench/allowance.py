# SPDX-License-Identifier: MIT
"""The time that one device's measurements may take, shared out while they are made."""

import time
from collections.abc import Callable
from dataclasses import replace

from clprobe.bench.effort import Effort

_OWN_SHARE = 0.9
"""Of a device's time, in which steps begin; the rest is for the last to end."""
_TIMED_SHARE = 0.5
"""Of a step's time: the rest goes into building kernels, proving and warming up."""
_LONGEST_SHARE = 0.5
"""Of the time left that one training may take: what comes after it is of interest too."""


class Allowance:
    """So many seconds from now on for so many steps; None: as many as they take."""

    def __init__(
        self,
        seconds: float | None,
        steps: int,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._seconds = seconds
        self._now = now
        self._started = now()
        self._steps = steps

    def next_effort(self, effort: Effort) -> Effort | None:
        """Return what may be spent on the next step; None where the time is used up.

        What one step leaves, all that follow share.
        """
        remaining, self._steps = max(1, self._steps), self._steps - 1
        if self._seconds is None:
            return effort
        left = _OWN_SHARE * self._seconds - (self._now() - self._started)
        if left <= 0:
            return None
        return replace(
            effort,
            seconds_per_case=min(effort.seconds_per_case, _TIMED_SHARE * left / remaining),
            patience_seconds=min(effort.patience_seconds, _LONGEST_SHARE * left),
            training_patience_seconds=min(effort.training_patience_seconds, _LONGEST_SHARE * left),
        )

    @property
    def problem(self) -> str:
        """Return why a step does not begin."""
        return f"not run, as the device's {self._seconds or 0:.0f} s of this run were used up."


def share_of(deadline: float | None, devices: int, now: float) -> float | None:
    """Return the seconds that the next of so many devices may take, at least a moment."""
    return None if deadline is None else max(1.0, (deadline - now) / devices)
