# SPDX-License-Identifier: MIT
"""Axes: where a value stands, and which values are marked."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

_NICE = (1, 2, 5, 10)
_SHORT = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps `low`..`high` to `start`..`end`; values outside land on the nearer end.

    `base` is that of a logarithmic scale, None for a linear one.
    """

    low: float
    high: float
    start: float
    end: float
    base: int | None = None

    def at(self, value: float) -> float:
        """Return the place of a value."""
        bounded = min(max(value, self.low), self.high)
        low, high, here = (self._steps(one) for one in (self.low, self.high, bounded))
        return self.start + (self.end - self.start) * (here - low) / (high - low)

    def ticks(self, most: int = 6) -> list[float]:
        """Return at most so many round values between the ends."""
        return _powers(self, self.base, most) if self.base else _round_steps(self, most)

    def _steps(self, value: float) -> float:
        return math.log(value) if self.base else value


def log_scale(values: Sequence[float], start: float, end: float, base: int = 10) -> Scale:
    """Return a scale with room around the values, which are above 0."""
    low, high = min(values), max(values)
    room = max((high / low) ** 0.06, 1.15)
    return Scale(low / room, high * room, start, end, base)


def linear_scale(low: float, high: float, start: float, end: float) -> Scale:
    """Return a scale from `low` to `high`, which may be one value."""
    return Scale(low, high if high > low else low + 1, start, end)


def tick_label(value: float) -> str:
    """Return a number as it stands at an axis: 0.5, 20, 5k."""
    for unit, sign in _SHORT:
        # 1024 is a round number to those who choose batch sizes.
        if value >= unit and value % (unit / 10) == 0:
            return f"{value / unit:g}{sign}"
    return f"{value:g}"


def _powers(scale: Scale, base: int, most: int) -> list[float]:
    first = math.ceil(math.log(scale.low, base) - 1e-9)
    last = math.floor(math.log(scale.high, base) + 1e-9)
    powers = [float(base) ** exponent for exponent in range(first, last + 1)]
    if base == 10 and len(powers) <= 2:
        fine = [
            factor * 10.0**exponent
            for exponent in range(first - 1, last + 1)
            for factor in (1, 2, 5)
        ]
        powers = [value for value in fine if scale.low <= value <= scale.high]
    if len(powers) < 2:
        return _round_steps(scale, most)
    return powers[:: math.ceil(len(powers) / most)]


def _round_steps(scale: Scale, most: int) -> list[float]:
    rough = (scale.high - scale.low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in _NICE if factor * power >= rough * (1 - 1e-9))
    first = math.ceil(scale.low / step - 1e-9)
    last = math.floor(scale.high / step + 1e-9)
    return [round(count * step, 12) for count in range(first, last + 1)]
