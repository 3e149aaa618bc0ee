# SPDX-License-Identifier: MIT
"""How a product's tiles are dealt out to a GPU's work-groups, and about how long they take."""

from dataclasses import dataclass

# A part of a sum with fewer terms than this costs more than it gains.
_LEAST_DEPTH = 64
# Fitted to what an H200 takes: to store a tile, for each value that a compute unit holds; for the
# launch that adds up parts, for them to travel, and to wait for each of those of one tile.
_SECONDS_TO_STORE = 1.7e-10
_SECONDS_TO_ADD = 3.7e-6
_BYTES_PER_SECOND = 5.6e12
_SECONDS_OF_A_PART = 0.09e-6
_MULTIPLY_ADDS_OF_A_COMPUTE_UNIT = 247e9
# Of so many work-items on it, a compute unit waits half of the time.
_WORK_ITEMS_OF_HALF_SPEED = 110
# A share reaches into the next tile, and then leaves two parts, about so often.
_PARTS_OF_A_SHARE = 1.3


@dataclass(frozen=True, slots=True)
class Dealt:
    """The first `whole` tiles are a work-group's each; of the others each takes `share` steps."""

    whole: int
    shares: int = 0
    share: int = 1
    """Steps over depth, no more than a tile has."""

    @property
    def work_groups(self) -> int:
        """Return how many there are."""
        return self.whole + self.shares


def deal(tiles: int, steps: int, *, held: int, most: int, step_depth: int) -> Dealt:
    """Return how to keep `held` work-groups busy to the end; up to `most` share a tile.

    As many tiles as fill the device some times are whole, and the steps of the rest are shared out.
    """
    whole = tiles // held * held
    rest = tiles - whole
    least = -(-_LEAST_DEPTH // step_depth)
    wanted = min(held, rest * max(1, min(most, steps // least)))
    if wanted <= rest or tiles * steps >= 1 << 31:
        return Dealt(tiles)
    share = -(-rest * steps // wanted)
    return Dealt(whole, -(-rest * steps // share), share)


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """What a tile costs on a device that is full of them."""

    rate: float
    """Share of all multiply-adds that a compute unit could do."""
    tile: tuple[int, int]
    step_depth: int
    compute_units: int
    held: int
    """Work-groups on a compute unit."""
    work_items: int
    """Work-items of a work-group."""

    def seconds(self, dealt: Dealt, tiles: int, steps: int) -> float:
        """Return about how long a product of so many tiles takes, which have so many steps."""
        all_held = self.held * self.compute_units
        full, rest = divmod(dealt.whole, all_held)
        seconds = full * self._of_steps(steps, 1) + self._of_last(rest, steps)
        if dealt.shares:
            parts = dealt.shares * _PARTS_OF_A_SHARE
            seconds += self._of_last(dealt.shares, dealt.share) + _SECONDS_TO_ADD
            seconds += 2 * 4 * parts * self.tile[0] * self.tile[1] / _BYTES_PER_SECOND
            seconds += _SECONDS_OF_A_PART * dealt.shares / (tiles - dealt.whole)
        return seconds

    def _of_last(self, work_groups: int, steps: int) -> float:
        """Return how long work-groups take that do not fill the device."""
        if not work_groups:
            return 0.0
        on_each = -(-work_groups // self.compute_units)
        reached = self._busy(on_each) / self._busy(self.held)
        return self._of_steps(steps, on_each / self.held / min(1, reached))

    def _busy(self, work_groups: int) -> float:
        """Return which share of its time a compute unit multiplies that has so many."""
        work_items = work_groups * self.work_items
        return work_items / (work_items + _WORK_ITEMS_OF_HALF_SPEED)

    def _of_steps(self, steps: int, load: float) -> float:
        values = self.tile[0] * self.tile[1] * self.held
        terms = steps * self.step_depth * values * load
        multiplying = terms / (self.rate * _MULTIPLY_ADDS_OF_A_COMPUTE_UNIT)
        return multiplying + values * _SECONDS_TO_STORE
