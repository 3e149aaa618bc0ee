# SPDX-License-Identifier: MIT
"""Placing values with known lifetimes: nothing overlaps, and little memory is taken."""

from itertools import combinations

import numpy as np
import pytest

from clprobe.tensor.placement import Need, Room, place


def overlap(one: tuple[int, Need], other: tuple[int, Need], alignment: int) -> bool:
    (start, need), (other_start, other_need) = one, other
    at_once = need.first <= other_need.last and other_need.first <= need.last
    end, other_end = (
        -(-(begin + it.size_bytes) // alignment) * alignment
        for begin, it in ((start, need), (other_start, other_need))
    )
    return at_once and start < other_end and other_start < end


def most_at_once(needs: dict[int, Need]) -> int:
    return max(
        sum(it.size_bytes for it in needs.values() if it.first <= time <= it.last)
        for time in range(1 + max(it.last for it in needs.values()))
    )


def random_needs(generator: np.random.Generator, count: int) -> dict[int, Need]:
    firsts = generator.integers(0, 60, count)
    lengths, sizes = generator.integers(0, 20, count), generator.integers(1, 100_000, count)
    return {
        name: Need(int(size), int(first), int(first + length))
        for name, (size, first, length) in enumerate(zip(sizes, firsts, lengths, strict=True))
    }


@pytest.mark.parametrize("alignment", [1, 128, 512])
@pytest.mark.parametrize("most", [1 << 40, 300_000])
def test_what_lives_at_once_never_overlaps(
    generator: np.random.Generator, alignment: int, most: int
) -> None:
    needs = random_needs(generator, 80)
    rooms = [Room(50_000, 0, [(0, Need(50_000, 30, 99))])]

    places = place(needs, rooms, alignment, most)

    assert places.keys() == needs.keys()
    assert rooms[0].size_bytes == 50_000
    for name, (index, offset) in places.items():
        assert offset % alignment == 0
        assert offset + needs[name].size_bytes <= rooms[index].size_bytes <= most
    for room in rooms:
        assert not any(overlap(*pair, alignment) for pair in combinations(room.placed, 2))


def test_little_more_is_taken_than_what_lives_at_once(generator: np.random.Generator) -> None:
    for _ in range(20):
        needs = random_needs(generator, 60)
        rooms: list[Room] = []

        place(needs, rooms, 1, 1 << 40)

        assert sum(room.size_bytes for room in rooms) <= 1.2 * most_at_once(needs)


def test_what_exists_is_used_before_it_holds_anything() -> None:
    rooms = [Room(1000, 0, [(0, Need(1000, 5, 9))])]

    places = place({"before": Need(600, 0, 4), "after": Need(600, 4, 6)}, rooms, 128, 1 << 20)

    assert places["before"] == (0, 0)
    assert places["after"] == (1, 0)
    assert [room.size_bytes for room in rooms] == [1000, 600]
