# SPDX-License-Identifier: MIT
"""Lines of long logs that are alike but for their numbers, or the names of tests and functions."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

_LONG = 1 << 16
"""So many characters are more than a person writes, or shows of several commands."""
_MOST_ALIKE = 5
_NUMBER = re.compile(r"(?i)0x[0-9a-f]+|\b[0-9a-f]*\d[0-9a-f]*\b|\d+")
_NAMES = re.compile(r"\w+(?:\W{1,2}\w+)*")
_OF_NAMES = "::"
"""Stands in the names of tests and functions, each of which is another one."""


class Alike:
    """Counts the lines of a long text by what they are without their numbers, or names.

    Of a shorter text, no line counts as alike to another: people repeat what matters to them.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self.is_long = sum(map(len, lines)) >= _LONG
        self._counts = Counter[str]()

    def is_of_names(self, line: str) -> bool:
        """Tell whether a line of a long text names a test or a function, as no person does."""
        return self.is_long and _OF_NAMES in line

    def tells_more(self, line: str) -> bool:
        """Tell whether few lines of this kind came before; the others tell nothing more."""
        if not self.is_long:
            return True
        kind = _kind(line)
        self._counts[kind] += 1
        return self._counts[kind] <= _MOST_ALIKE


@lru_cache(maxsize=1 << 15)
def _kind(line: str) -> str:
    """Return a line without its numbers, or names; each is asked for several times."""
    kind = _NUMBER.sub("0", line.strip())
    return _NAMES.sub("", kind) if _OF_NAMES in kind else kind
