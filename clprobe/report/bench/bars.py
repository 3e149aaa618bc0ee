# SPDX-License-Identifier: MIT
"""Bars of letters: how a ratio compares with 1, on a logarithmic scale."""

CELLS = 9
"""The middle one stands for equal speed."""
_HALF = CELLS // 2


def ratio_bar(share: float | None, *, plain: bool) -> str:
    """Return a bar from the middle to the left (slower) or right (faster); "" without a ratio.

    `share` is the ratio on a scale from 0 over ½ (equal) to 1. `plain`: in ASCII.
    """
    if share is None:
        return ""
    full, half, turned, middle = ("#", "-", "-", "|") if plain else ("█", "▌", "▐", "│")
    halves = min(round(abs(share - 0.5) * 2 * _HALF * 2), _HALF * 2)
    blocks = full * (halves // 2)
    if share < 0.5:
        return ((turned if halves % 2 else "") + blocks).rjust(_HALF) + middle + " " * _HALF
    return " " * _HALF + middle + (blocks + (half if halves % 2 else "")).ljust(_HALF)
