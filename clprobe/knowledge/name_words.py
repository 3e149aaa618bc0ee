# SPDX-License-Identifier: MIT
"""Names as rows of words, and an index that finds known names inside what people type."""

import re
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")
# i7-6700 and A10-7850K stay whole: the A10 is a card, too.
_WORD = re.compile(r"[a-z]{1,2}\d{1,2}-\d\w*|[a-z]+|\d+")
_SIGNS = re.compile(r"\((?:r|tm|c)\)|[®™©]")


def words_of(text: str) -> list[str]:
    """Return the words, letters and digits apart: "RTX3060Ti" is rtx, 3060, ti."""
    text = text.lower()
    if "(" in text or not text.isascii():
        text = _SIGNS.sub(" ", text)
    return _WORD.findall(text)


class Index(Generic[T]):
    """Known names, and what each may mean."""

    def __init__(self, named: Iterable[tuple[str, T]]) -> None:
        self._known: dict[tuple[str, ...], list[T]] = {}
        for name, meaning in named:
            found = self._known.setdefault(tuple(words_of(name)), [])
            if meaning not in found:
                found.append(meaning)
        self._longest = max(map(len, self._known), default=0)

    def find(self, text: str) -> list[T]:
        """Return what the longest known name inside the text means; the first of equal length."""
        return next((meanings for _, meanings in self.found(text)), [])

    def found(self, text: str) -> Iterator[tuple[int, list[T]]]:
        """Yield each known name inside the text by its number of words, the longest first."""
        said = words_of(text)
        for length in range(min(len(said), self._longest), 0, -1):
            for start in range(len(said) - length + 1):
                meanings = self._known.get(tuple(said[start : start + length]))
                if meanings is not None:
                    yield length, meanings
