# SPDX-License-Identifier: MIT
"""Which complaints are over: what was said before a step that led to another complaint."""

from collections.abc import Sequence

import msgspec

from clprobe.knowledge.line_words import LineWords
from clprobe.knowledge.printed import Forms
from clprobe.paste.reading import Context

_STEPS = Forms("told_steps")
_MESSAGES = Forms("messages")
_FARTHEST = 12
"""So many lines may lie between the step and what came of it: its commands and their output."""


def ended_complaints(lines: Sequence[str], words: LineWords | None = None) -> frozenset[int]:
    """Return the complaints before the last step after which the same trial ends otherwise."""
    turn = _turn(lines, words if words is not None else LineWords(lines))
    if turn is None:
        return frozenset()
    step, outcome = turn
    later = {_plain(line) for line in lines[outcome + 1 :] if _complains(line)}
    earlier = {index: _plain(lines[index]) for index in range(step) if _complains(lines[index])}
    if later.issubset(earlier.values()):
        return frozenset()  # nothing else came of it, so the step was no remedy
    return frozenset(index for index, line in earlier.items() if line not in later)


def in_the_past(contexts: Sequence[Context], ended: frozenset[int]) -> list[Context]:
    """Return the contexts, those of the ended complaints as of the time before."""
    return [
        msgspec.structs.replace(context, when="before") if index in ended else context
        for index, context in enumerate(contexts)
    ]


def _turn(lines: Sequence[str], words: LineWords) -> tuple[int, int] | None:
    """Return the last line that tells a step, and the line that tells what came of it."""
    for step in sorted(words.may_hold(_STEPS.taken), reverse=True):
        if not _STEPS.taken.search(lines[step]):
            continue
        for outcome in range(step, min(step + _FARTHEST, len(lines))):
            if _STEPS.came_of_it.search(lines[outcome]):
                return step, outcome
    return None


def _complains(line: str) -> bool:
    return _MESSAGES.complains.search(line) is not None


def _plain(line: str) -> str:
    return " ".join(line.split())
