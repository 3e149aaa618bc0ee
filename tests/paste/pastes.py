# SPDX-License-Identifier: MIT
"""Reads pasted texts in tests, and gives their facts as plain dictionaries."""

from pathlib import Path
from typing import Any

import msgspec

from clprobe.model.snapshot import Snapshot
from clprobe.paste.assemble import read_paste

TEXTS = Path(__file__).parent / "texts"


def read(text: str) -> Snapshot:
    """Return the snapshot of a pasted text."""
    return read_paste(text, name="-")


def facts(text: str) -> dict[str, Any]:
    """Return what a pasted text states, without the bookkeeping of how whole it is."""
    told: dict[str, Any] = msgspec.to_builtins(read(text))
    for name in ("source", "excerpts", "told", "statements"):
        told.pop(name, None)
    return told


def contains(told: Any, expected: Any) -> bool:
    """Tell whether the expected facts are among those told; lists must be equally long."""
    if isinstance(expected, dict) and isinstance(told, dict):
        return all(key in told and contains(told[key], part) for key, part in expected.items())
    if isinstance(expected, list | tuple) and isinstance(told, list | tuple):
        pairs = zip(told, expected, strict=False)
        return len(told) == len(expected) and all(contains(one, part) for one, part in pairs)
    return bool(told == expected)
