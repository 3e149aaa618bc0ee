# SPDX-License-Identifier: MIT
"""Judges numbers by which a program was told to take a device or platform."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from clprobe.model.opencl import View
from clprobe.model.unknown import Unknown
from clprobe.watch.numbers import kind_of


class Absent(NamedTuple):
    """A number that no device or platform has, and what there is, in words.

    `is_sure`: it is none where counting starts at 1, either.
    """

    choice: str
    there_are: str
    is_sure: bool


def absent_choice(choices: Sequence[str], view: View | None) -> Absent | None:
    """Return the first of the choices that is not there, by what the program is shown."""
    counts = _counts(view)
    if not sum(counts):
        return None
    chosen = None
    for choice in choices:
        numbers = _numbers(choice)
        if len(numbers) == 1 and kind_of(choice) != "platform":
            continue
        if numbers[0] >= len(counts):
            there_are = _in_words(len(counts), "platform", "")
            return Absent(choice, there_are, numbers[0] > len(counts))
        chosen = numbers[0]
    for choice in choices:
        numbers = _numbers(choice)
        if len(numbers) == 1 and kind_of(choice) == "platform":
            continue
        count = max(counts) if chosen is None else counts[chosen]
        where = " on a platform" if chosen is None else f" on platform {chosen}"
        if count and numbers[-1] >= count:
            is_sure = numbers[-1] > (count if chosen is not None else sum(counts))
            return Absent(choice, _in_words(count, "device", where), is_sure)
    return None


def _counts(view: View | None) -> list[int]:
    """Return how many devices each platform has; [] where that is not known."""
    if view is None or isinstance(view.answer.platforms, Unknown):
        return []
    found = [platform.devices for platform in view.answer.platforms]
    return [len(one) for one in found if not isinstance(one, Unknown)]


def _numbers(choice: str) -> list[int]:
    return [int(one) for one in re.split(r"[:.]", re.split(r"[ =]", choice)[1])]


def _in_words(count: int, what: str, where: str) -> str:
    return f"there is only one {what}{where}" if count == 1 else f"there are {count} {what}s{where}"
