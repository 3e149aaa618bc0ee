# SPDX-License-Identifier: MIT
"""The words without which a pattern cannot match: whoever has none of them need not be searched.

Logs are long, hundreds of rules search them, and most logs are about something else.
"""

import functools
from collections.abc import Iterable
from typing import Any

from clprobe.knowledge.literals import small

try:
    from re import _parser as parser  # type: ignore[attr-defined]
except ImportError:  # Python 3.10
    import sre_parse as parser

_SHORTEST = 3
"""What is shorter stands in nearly every text."""
_small = functools.lru_cache(maxsize=4)(small)
_REPEATS = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}


def can_match(words: frozenset[str] | None, text: str) -> bool:
    """Return False where the pattern with these words surely matches nowhere in the text."""
    if words is None:
        return True
    lower = _small(text)
    return any(word in lower for word in words)


def words_of(pattern: str) -> frozenset[str] | None:
    """Return words, in lower case, of which every match holds one; None: nobody can tell."""
    return _best(_candidates(parser.parse(pattern)))


def _candidates(parts: Iterable[tuple[Any, Any]]) -> Iterable[frozenset[str]]:
    """Yield sets of words, each of which holds a word of every match of the parts in a row."""
    run = ""
    for kind, argument in parts:
        if str(kind) == "LITERAL" and argument < 128:
            run += chr(argument).lower()
            continue
        yield frozenset({run})
        run = ""
        if (words := _words(str(kind), argument)) is not None:
            yield words
    yield frozenset({run})


def _words(kind: str, argument: Any) -> frozenset[str] | None:
    if kind == "BRANCH":
        found = [_best(_candidates(branch)) for branch in argument[1]]
        known = [one for one in found if one is not None]
        return frozenset().union(*known) if len(known) == len(found) else None
    if kind == "SUBPATTERN" or (kind in _REPEATS and argument[0] > 0):
        return _best(_candidates(argument[-1]))
    return None


def _best(candidates: Iterable[frozenset[str]]) -> frozenset[str] | None:
    """Return the set whose shortest word is longest; None: it is too short to tell anything."""
    best = max(candidates, key=lambda words: min(map(len, words)))
    return best if min(map(len, best)) >= _SHORTEST else None
