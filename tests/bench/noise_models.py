# SPDX-License-Identifier: MIT
"""How timings of two sides vary on real machines, as logarithms around 0."""

import numpy as np

Pair = tuple[np.ndarray, np.ndarray]


def white(random: np.random.Generator, count: int) -> Pair:
    """Every sample varies by itself."""
    return random.normal(0, 0.1, count), random.normal(0, 0.1, count)


def held_up(random: np.random.Generator, count: int) -> Pair:
    """Some samples take much longer, as an interrupt came."""
    late = [(random.random(count) < 0.2) * random.exponential(0.5, count) for _ in range(2)]
    return random.normal(0, 0.02, count) + late[0], random.normal(0, 0.02, count) + late[1]


def lingering(random: np.random.Generator, count: int) -> Pair:
    """Each side resembles what it was a moment ago."""
    return _resembling(random, count, 0.6), _resembling(random, count, 0.6)


def drifting(random: np.random.Generator, count: int) -> Pair:
    """The machine slows down and speeds up, and both sides with it."""
    drift = np.cumsum(random.normal(0, 0.05, count))
    return drift + random.normal(0, 0.05, count), drift + random.normal(0, 0.05, count)


def two_speeds(random: np.random.Generator, count: int) -> Pair:
    """A side is sometimes at another speed, as its threads sit on other cores."""
    first, second = (
        (random.random(count) < 0.3) * 0.4 + random.normal(0, 0.03, count) for _ in range(2)
    )
    return first, second


def _resembling(random: np.random.Generator, count: int, share: float) -> np.ndarray:
    values = np.empty(count)
    values[0] = random.normal(0, 0.1)
    for index in range(1, count):
        fresh = random.normal(0, 0.1 * np.sqrt(1 - share**2))
        values[index] = share * values[index - 1] + fresh
    return values


MODELS = (white, held_up, lingering, drifting, two_speeds)
