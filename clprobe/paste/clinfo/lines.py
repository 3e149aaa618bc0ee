# SPDX-License-Identifier: MIT
"""Reads all lines of a text as clinfo's, joining values that were wrapped at some width."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from clprobe.paste.clinfo.tokens import Token, token_of

_WRAPPED = range(60, 260)
_NEIGHBOURS = 50
_OF_TERMINALS = (80, 120, 132)
_EXTENSIONS = re.compile(r"(?:\s*cl_\w{1,100})+")


class Lines(NamedTuple):
    """Plain lines, what each says, and which only continue the line before them."""

    texts: tuple[str, ...]
    tokens: tuple[Token | None, ...]
    continuations: frozenset[int]


def read_lines(texts: Sequence[str], taken: frozenset[int]) -> Lines:
    """Return what the lines say, but for those that are already taken."""
    widths = _Widths(texts)
    tokens: list[Token | None] = []
    parts: dict[int, list[str]] = {}
    start: int | None = None
    for index, line in enumerate(texts):
        token = None if index in taken else token_of(index, line)
        glued = None
        if token and start is not None and _is_symbol_within(token, tokens[start]):
            token = (
                None
                if _glued(tokens[start], texts[index - 1], line, widths.before(index))
                else token
            )
        tokens.append(token)
        if token is not None:
            start = index
        elif start is not None and line.strip() and index not in taken:
            glued = _glued(tokens[start], texts[index - 1], line, widths.before(index))
        if glued is not None and start is not None:
            parts.setdefault(start, []).append(glued)
        elif token is None:
            start = None
    for at, more in parts.items():
        tokens[at] = _continued(at, texts[at], more, tokens[at])
    continuations = {at + 1 + place for at, more in parts.items() for place in range(len(more))}
    return Lines(tuple(texts), tuple(tokens), frozenset(continuations))


def _is_symbol_within(token: Token, before: Token | None) -> bool:
    """Tell whether a line without a prefix may belong to the value of a line with one."""
    is_bare = token.form == "raw" and not token.owner[0]
    return is_bare and before is not None and bool(before.owner[0])


class _Widths:
    """The widths at which lines may have been wrapped: none near them is longer."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = Counter(len(line) for line in texts if len(line) in _WRAPPED)
        self._all = {width for width in counts if counts[width] >= 3 or width in _OF_TERMINALS}
        lengths = [len(line) for line in texts]
        self._longest = [
            max(lengths[at : at + _NEIGHBOURS]) for at in range(0, len(lengths), _NEIGHBOURS)
        ]

    def before(self, index: int) -> frozenset[int]:
        """Return those at which the line before this one may end."""
        block = index // _NEIGHBOURS
        longest = max(self._longest[max(block - 2, 0) : block + 3])
        return frozenset({longest} & self._all)


def _glued(token: Token | None, before: str, line: str, widths: frozenset[int]) -> str | None:
    """Return what a line adds to the line before it; None if it does not continue it."""
    if token is None or token.kind not in (
        "query",
        "other",
        "detail",
        "null",
        "note",
        "tree-device",
    ):
        return None
    # A blank at the edge is often lost, so that the line is one or two shorter than the others.
    width = max(
        (len(before) + lost for lost in range(3) if len(before) + lost in widths), default=0
    )
    if width:
        return " " * (width - len(before)) + line
    if token.name.endswith("_EXTENSIONS") and _EXTENSIONS.fullmatch(line[:4000]):
        return f" {line.strip()}"
    return None


def _continued(index: int, text: str, more: list[str], token: Token | None) -> Token | None:
    whole = token_of(index, text + "".join(more))
    return whole if whole is not None and token is not None and whole.kind == token.kind else token
