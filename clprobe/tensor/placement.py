# SPDX-License-Identifier: MIT
"""Places values whose lifetimes are known in as little memory as can be found: no device here.

The largest go first, each into the tightest gap among those that live at the same time. Finding the
least memory is NP-hard; this comes within a few percent of it for training steps.

Source: Pisarchyk & Lee 2020, arXiv:2001.03288 (greedy by size)
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

Name = TypeVar("Name")


@dataclass(frozen=True, slots=True)
class Need:
    """Memory for the commands from `first` to `last`, both included."""

    size_bytes: int
    first: int
    last: int


@dataclass(slots=True)
class Room:
    """A buffer, or one to be created, and which needs begin where in it."""

    size_bytes: int
    most_bytes: int
    """What it may grow to; a buffer that exists does not grow."""
    placed: list[tuple[int, Need]] = field(default_factory=list)

    def gaps(self, need: Need, alignment: int) -> Iterator[tuple[int, int]]:
        """Yield offset and length of every gap that is free while `need` lasts.

        The last one reaches as far as the room may grow.
        """
        at = 0
        for offset, other in sorted(self.placed, key=lambda each: each[0]):
            if other.last < need.first or need.last < other.first:
                continue
            if offset > at:
                yield at, offset - at
            at = max(at, -(-(offset + other.size_bytes) // alignment) * alignment)
        yield at, max(self.size_bytes, self.most_bytes) - at


def place(
    needs: Mapping[Name, Need], rooms: list[Room], alignment: int, most_bytes: int
) -> dict[Name, tuple[int, int]]:
    """Return the room and the offset of each need; `rooms` grow and become more as needed.

    A room has at most `most_bytes`, and a need starts at a multiple of `alignment`.
    """
    places = {}
    for name, need in sorted(needs.items(), key=lambda item: -item[1].size_bytes):
        fitting = [
            # What makes a room grow comes last, and then the least growth first.
            (max(0, offset + need.size_bytes - room.size_bytes), length, index, offset)
            for index, room in enumerate(rooms)
            for offset, length in room.gaps(need, alignment)
            if length >= need.size_bytes
        ]
        if not fitting:
            rooms.append(Room(0, most_bytes))
            fitting = [(need.size_bytes, most_bytes, len(rooms) - 1, 0)]
        _, _, index, offset = min(fitting)
        room = rooms[index]
        room.placed.append((offset, need))
        room.size_bytes = max(room.size_bytes, offset + need.size_bytes)
        places[name] = (index, offset)
    return places
