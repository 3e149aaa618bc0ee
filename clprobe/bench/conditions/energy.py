# SPDX-License-Identifier: MIT
"""Counts the energy that the processor packages use."""

from pathlib import Path

from clprobe.bench.conditions.readings import energy_joules


class EnergyMeter:
    """Call it for the joules used since it was made; None where this user may not read them."""

    def __init__(self, root: Path = Path("/")) -> None:
        self._root = root
        self._last = energy_joules(root)
        self._used = 0.0

    def __call__(self) -> float | None:
        """Return the joules of all packages together."""
        if not self._last:
            return None
        now = energy_joules(self._root)
        for package, (joules, wraps_at) in now.items():
            before = self._last.get(package, (joules, wraps_at))[0]
            # The counter starts anew when it is full.
            self._used += joules - before if joules >= before else joules + wraps_at - before
        self._last = now or self._last
        return self._used
