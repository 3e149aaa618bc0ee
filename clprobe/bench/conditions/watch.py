# SPDX-License-Identifier: MIT
"""Watches clock, heat and throttling while bench measures, and says what speaks against it."""

from collections.abc import Iterator
from pathlib import Path

from clprobe.bench.conditions.readings import (
    cpu_clock_mhz,
    energy_joules,
    temperature_c,
    throttle_count,
)
from clprobe.bench.timing.quiet import CPUS, Load, mark
from clprobe.model.measurement import Conditions, FrequencyMhz, TemperatureC

CLOCK_DRIFT = 0.05
"""The share of its speed that a clock may lose before figures of one run are no longer alike."""


class Watch:
    """Look at the machine after each workload; `root` stands in for its file system in tests."""

    def __init__(self, root: Path = Path("/")) -> None:
        self._root = root
        self._throttled_before = throttle_count(root)
        self._heat_before = temperature_c(root)
        self._clocks: list[float] = []
        self._loads: list[float] = []
        self._begun = mark(root)

    def look(self, other_cores: float | None = None) -> None:
        """Take note of the clock, and of how busy other programs were during a workload."""
        clock = cpu_clock_mhz(self._root)
        if clock is not None:
            self._clocks.append(clock)
        if other_cores is not None:
            self._loads.append(other_cores)

    def unreadable(self) -> tuple[str, ...]:
        """Return what this machine does not tell, or not this user."""
        read = {
            "the CPU's clock": cpu_clock_mhz(self._root) is not None,
            "its temperature": self._heat_before is not None,
            "throttling": self._throttled_before is not None,
            "energy": bool(energy_joules(self._root)),
            "the load of other programs": self._begun.busy is not None,
        }
        return tuple(name for name, is_known in read.items() if not is_known)

    def conditions(self) -> Conditions:
        """Return what was seen until now."""
        # All child processes have ended, so what they did counts as ours.
        load = self._begun.load_until(mark(self._root))
        clock = None
        if self._clocks:
            ends = {"start": self._clocks[0], "end": self._clocks[-1]}
            clock = FrequencyMhz(**ends, lowest=min(self._clocks))
        before, after = self._heat_before, temperature_c(self._root)
        throttles, throttled = throttle_count(self._root), None
        if throttles is not None and self._throttled_before is not None:
            throttled = throttles > self._throttled_before
        return Conditions(
            other_load_percent=None if load is None else load.percent,
            frequency_mhz=clock,
            temperature_c=None
            if before is None and after is None
            else TemperatureC(start=before, end=after),
            throttled=throttled,
            warnings=(
                *_about_clock(clock),
                *_about_heat(throttled, after),
                *_about_load(self._loads, load),
            ),
        )


def _about_clock(clock: FrequencyMhz | None) -> Iterator[str]:
    if clock is None or clock.start is None or clock.end is None or clock.lowest is None:
        return
    if clock.end < clock.start * (1 - CLOCK_DRIFT):
        lost = 100 * (1 - clock.end / clock.start)
        yield (
            f"The CPU's clock fell by {lost:.0f} % while measuring, from {clock.start:.0f} to "
            f"{clock.end:.0f} MHz: what came first looks faster than what came last."
        )
    elif clock.lowest < min(clock.start, clock.end) * (1 - CLOCK_DRIFT):
        yield (
            f"The CPU's clock fell to {clock.lowest:.0f} MHz for a while, from "
            f"{clock.start:.0f} MHz: workloads may not compare with each other."
        )


def _about_heat(throttled: bool | None, degrees: float | None) -> Iterator[str]:
    if throttled:
        at = "" if degrees is None else f" ({degrees:.0f} °C)"
        yield f"The processor throttled meanwhile: it was too hot to keep its speed{at}."


def _about_load(loads: list[float], whole: Load | None) -> Iterator[str]:
    disturbed = [load for load in loads if load > 0]
    if disturbed:
        yield (
            f"Other programs kept up to {max(disturbed):.1f} of {CPUS} processors "
            f"busy during {len(disturbed)} of {len(loads)} workloads: what they disturbed does not "
            "count, and intervals are wider. Measure again when they rest."
        )
    elif whole is not None and whole.is_busy:
        yield (
            f"Other programs kept {whole.cores:.1f} of {CPUS} processors busy meanwhile, "
            "though hardly while workloads were timed: measure again when they rest."
        )
