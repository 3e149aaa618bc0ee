# SPDX-License-Identifier: MIT
"""What two snapshots differ in, in words: the cause first, then what changed."""

import json
from collections.abc import Iterator
from typing import Any

from clprobe.model.comparison import Change, Comparison

MOST_CHANGES = 12
"""A reader follows so many; more tell that these are two machines."""
_LONGEST = 60


def comparison_heading(comparison: Comparison) -> str:
    """Return what stands above the lines."""
    return f"Since {comparison.since.removeprefix('before ')}"


def comparison_lines(comparison: Comparison, *, whole: bool) -> Iterator[str]:
    """Yield a line for the cause, the problems, and each change; not `whole`: the first changes."""
    if comparison.caused_by_change is not None:
        yield f"Most likely broken by: {told(comparison.caused_by_change)}"
    if comparison.new_findings:
        yield f"New: {', '.join(comparison.new_findings)}"
    if comparison.mended:
        yield f"Fixed: {', '.join(comparison.mended)}"
    differs = comparison.changes or comparison.new_findings or comparison.mended
    if not differs:
        yield "Nothing changed."
    if comparison.new_findings and comparison.caused_by_change is None:
        yield "No change alone explains the new problem."
    shown = comparison.changes if whole else comparison.changes[:MOST_CHANGES]
    for change in shown:
        if change != comparison.caused_by_change:
            yield told(change)
    left = len(comparison.changes) - len(shown)
    if left:
        yield f"and {left} more changes; -v shows them"


def told(change: Change) -> str:
    """Return a change as a line."""
    if change.before is None and change.after is not None:
        return f"{change.what}: new, {_value(change.after)}"
    if change.after is None:
        return f"{change.what}: gone, was {_value(change.before)}"
    return f"{change.what}: {_value(change.before)} → {_value(change.after)}"


def _value(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(one, dict) for one in value):
        value = ", ".join(str(one.get("name") or one.get("gid")) for one in value) or "none"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
