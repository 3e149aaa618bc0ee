# SPDX-License-Identifier: MIT
"""Says which lines of a pasted report nobody understood: a count, or with -v the lines."""

from collections.abc import Iterator, Sequence

_MOST = 200


def unread_lines(unread: Sequence[str], *, verbosity: int) -> Iterator[str]:
    """Yield the lines of the screen, none if everything was understood."""
    if not unread or verbosity < 0:
        return
    counted = "1 line" if len(unread) == 1 else f"{len(unread)} lines"
    if verbosity == 0:
        yield f"Not understood: {counted} of the report; -v shows them."
        return
    yield f"Not understood: {counted} of the report:"
    yield from unread[:_MOST]
    if len(unread) > _MOST:
        yield f"… and {len(unread) - _MOST} more; --json has them all."
