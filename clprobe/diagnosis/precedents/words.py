# SPDX-License-Identifier: MIT
"""The words by which a snapshot and a solved report are compared: what was told, and the facts."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

_WORD = re.compile(r"[\w\-./+]+")
_MOST = 400
_LONGEST = 60
_NOT_SAID = {
    "schema", "clprobe", "source", "taken", "excerpts", "scrubbed", "unread", "told", "unknown",
    "statements", "user", "acl",
}  # fmt: skip
"""Fields that say how a snapshot was made or who made it, or name people."""
_WITH_NAME = {
    "outcome", "error_code", "uid", "wsl", "container", "machine", "errno", "kernel_result",
    "library_fault", "who", "where", "when", "mode", "manager", "kernel_driver", "state",
}  # fmt: skip
"""Facts whose value means little without its name, such as -1 or user."""


def words_of(text: str) -> list[str]:
    """Return the words of a text in their order, in lower case; versions and paths are one word."""
    found = (word.strip(".-/+") for word in _WORD.findall(text.lower()))
    return [word for word in found if 1 < len(word) <= _LONGEST]


def words_of_facts(facts: Any) -> list[str]:
    """Return the words of a snapshot's plain data: its texts, and what is telling besides.

    Names of people and folders are left out, so that a scrubbed snapshot has the same words.
    """
    return [word for name, value in _leaves(facts, "") for word in _said(name, value)]


def distinct(words: Sequence[str]) -> list[str]:
    """Return each word once, the first ones of very many."""
    return list(dict.fromkeys(words))[:_MOST]


def _leaves(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, part in value.items():
            if key not in _NOT_SAID:
                yield from _leaves(part, key)
    elif isinstance(value, list | tuple) and value:
        for part in value:
            yield from _leaves(part, name)
    else:
        yield name, value


def _said(name: str, value: Any) -> Iterator[str]:
    if value is None or value in ([], ()):
        yield f"no_{name}"
    elif name in _WITH_NAME:
        yield from (f"{name}_{word}" for word in words_of(str(value)) or _WORD.findall(str(value)))
    elif isinstance(value, str):
        yield from (word.rpartition("/")[2] for word in words_of(value))
