# SPDX-License-Identifier: MIT
"""Tells keys, tokens and digests from words, paths and symbols, which are as long."""

import re
from itertools import pairwise

SHORTEST = 24
LONG_RUN = re.compile(rf"[A-Za-z0-9+/_-]{{{SHORTEST},}}={{0,2}}")
_HEX = re.compile(rf"[0-9a-fA-F]{{{SHORTEST},}}")
_SEPARATORS = re.compile(r"[+/_-]")
_LONGEST_WORD = 12  # of lists such as gfx1100-gfx1101-gfx1102
_MANY_DIGITS = 3
FEWEST_KINDS = 6  # different characters; masks and padding have fewer
# Of random base64, every second character or so is of another class than the one before it;
# of CamelCase and mangled C++ names with their lengths, not even every third.
_CHANGES_OF_MIXED, _CHANGES_OF_LOWER = 0.4, 0.28


def random_parts(run: str) -> list[str]:
    """Return the parts of a match of `LONG_RUN` that look like keys."""
    parts = _HEX.findall(run)
    if parts:
        return [part for part in parts if len(set(part.lower())) >= FEWEST_KINDS]
    if _looks_random(run):
        return [run]
    # A path is a run of its own; one of its names may be a key.
    return [part for part in run.split("/") if len(part) >= SHORTEST and _looks_random(part)]


def _looks_random(text: str) -> bool:
    letters = "".join(character for character in text if character.isalnum())
    longest = max(map(len, _SEPARATORS.split(text)))
    if longest < _LONGEST_WORD or "_Z" in text or text.count("/") > len(text) // 12:
        return False
    if sum(character.isdigit() for character in letters) < _MANY_DIGITS:
        return False
    classes = [_class(character) for character in letters]
    changes = sum(one != two for one, two in pairwise(classes)) / len(letters)
    mixed = len(set(classes)) == 3
    return changes >= (_CHANGES_OF_MIXED if mixed else _CHANGES_OF_LOWER)


def _class(character: str) -> str:
    return "digit" if character.isdigit() else "upper" if character.isupper() else "lower"
