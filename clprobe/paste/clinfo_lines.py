# SPDX-License-Identifier: MIT
"""Reads all lines of a text as clinfo's, joining values that were wrapped at some width."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from clprobe.paste.clinfo_tokens import Token, token_of

_WRAPPED = range(60, 260)
_EXTENSIONS = re.compile(r"(?:\s*cl_\w{1,100})+")


class Lines(NamedTuple):
    """Plain lines, what each says, and which only continue the line before them."""

    texts: tuple[str, ...]
    tokens: tuple[Token | None, ...]
    continuations: frozenset[int]


def read_lines(texts: Sequence[str], taken: frozenset[int]) -> Lines:
    """Return what the lines say, but for those that are already taken."""
    widths = _wrap_widths(texts)
    tokens: list[Token | None] = []
    parts: dict[int, list[str]] = {}
    start: int | None = None
    for index, line in enumerate(texts):
        token = None if index in taken else token_of(index, line)
        tokens.append(token)
        glued = None
        if token is not None:
            start = index
        elif start is not None and line.strip() and index not in taken:
            glued = _glued(tokens[start], texts[index - 1], line, widths)
        if glued is not None and start is not None:
            parts.setdefault(start, []).append(glued)
        elif token is None:
            start = None
    for at, more in parts.items():
        tokens[at] = _continued(at, texts[at], more, tokens[at])
    continuations = {at + 1 + place for at, more in parts.items() for place in range(len(more))}
    return Lines(tuple(texts), tuple(tokens), frozenset(continuations))


def _wrap_widths(texts: Sequence[str]) -> frozenset[int]:
    """Return the widths at which this text may have been wrapped."""
    counts = Counter(len(line) for line in texts if len(line) in _WRAPPED)
    return frozenset(width for width, count in counts.items() if count >= 3)


def _glued(token: Token | None, before: str, line: str, widths: frozenset[int]) -> str | None:
    """Return what a line adds to the line before it; None if it does not continue it."""
    if token is None or token.kind not in ("query", "other", "detail", "tree-device"):
        return None
    # A blank at the edge is often lost, so that the line is one or two shorter than the others.
    width = next((len(before) + lost for lost in range(3) if len(before) + lost in widths), 0)
    if width:
        return " " * (width - len(before)) + line
    if token.name.endswith("_EXTENSIONS") and _EXTENSIONS.fullmatch(line[:4000]):
        return f" {line.strip()}"
    return None


def _continued(index: int, text: str, more: list[str], token: Token | None) -> Token | None:
    whole = token_of(index, text + "".join(more))
    return whole if whole is not None and token is not None and whole.kind == token.kind else token
