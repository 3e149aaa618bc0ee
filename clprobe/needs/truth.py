# SPDX-License-Identifier: MIT
"""Kleene's three-valued logic: True, False, and None for what is not known."""

from collections.abc import Iterable
from typing import Literal

Truth = bool | None
Answer = Literal["yes", "no", "not-known"]


def every(truths: Iterable[Truth]) -> Truth:
    """Return whether all hold: one that does not decides, then one that is not known."""
    seen = set(truths)
    return False if False in seen else (None if None in seen else True)


def some(truths: Iterable[Truth]) -> Truth:
    """Return whether one holds: one that does decides, then one that is not known."""
    seen = set(truths)
    return True if True in seen else (None if None in seen else False)


def opposite(truth: Truth) -> Truth:
    """Return whether it does not hold."""
    return None if truth is None else not truth


def in_words(truth: Truth) -> Answer:
    """Return the truth as documents tell it."""
    return "not-known" if truth is None else ("yes" if truth else "no")
