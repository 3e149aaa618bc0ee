# SPDX-License-Identifier: MIT
"""Texts, ready to be searched for those whose words are most like others, with SQLite's FTS5.

The measure is BM25, and 1 is the nearest one's: https://www.sqlite.org/fts5.html#the_bm25_function
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite3 import Connection


class WordIndex:
    """The index of texts, by their place; it finds nothing where Python has no SQLite or FTS5."""

    def __init__(self, base: Connection | None) -> None:
        self._base = base

    @classmethod
    def of(cls, texts: Iterable[str]) -> WordIndex:
        """Return the index of texts."""
        base = _in_memory()
        if base is None:
            return cls(None)
        import sqlite3  # noqa: PLC0415 - a Python may have been built without it

        with contextlib.suppress(sqlite3.OperationalError):
            base.execute(
                "CREATE VIRTUAL TABLE texts USING fts5"
                "(body, tokenize=\"porter unicode61 tokenchars '-_./+'\")"
            )
            base.executemany("INSERT INTO texts(rowid, body) VALUES (?, ?)", enumerate(texts))
            base.commit()
            return cls(base)
        return cls(None)

    @classmethod
    def from_bytes(cls, kept: bytes) -> WordIndex:
        """Return the index that `to_bytes` gave."""
        base = _in_memory()
        deserialize = getattr(base, "deserialize", None)  # since Python 3.11
        if deserialize is not None:
            deserialize(kept)
        return cls(base)

    def to_bytes(self) -> bytes:
        """Return the index as it can be kept; empty: there is none, or Python 3.10 gives none."""
        serialize = getattr(self._base, "serialize", None)
        return serialize() if serialize is not None else b""

    def nearest(self, words: Sequence[str], most: int) -> list[tuple[int, float]]:
        """Return place and nearness of the texts nearest to the words."""
        if self._base is None or not words:
            return []
        asked = " OR ".join(f'"{word}"' for word in words)
        question = (
            "SELECT rowid, -bm25(texts) FROM texts WHERE texts MATCH ? ORDER BY 2 DESC LIMIT ?"
        )
        rows = self._base.execute(question, (asked, most)).fetchall()
        best = max((score for _, score in rows), default=0.0)
        return [(row, score / best) for row, score in rows if score > 0] if best > 0 else []


def _in_memory() -> Connection | None:
    try:
        import sqlite3  # noqa: PLC0415 - a Python may have been built without it
    except ImportError:
        return None
    return sqlite3.connect(":memory:", check_same_thread=False)
