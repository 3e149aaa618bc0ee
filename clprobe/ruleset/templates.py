# SPDX-License-Identifier: MIT
"""Texts of rules with facts in them: "You cannot open {node.path}"."""

import re
from collections.abc import Callable

import msgspec

from clprobe.facts.paths import Scope, Variables, check_path, label_of, look_up
from clprobe.model.unknown import Unknown

_SENTENCE_END = re.compile(r"(?<=[.!?]) +(?=[A-Z])")
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][\w.]*)\}")


def check_template(text: str, variables: Variables) -> None:
    """Raise PathError if a placeholder in `text` leads to no fact."""
    for path in _PLACEHOLDER.findall(text):
        check_path(path, variables)


def on_one_line(text: str) -> str:
    """Return the text without line ends: what follows one could pass for a line of ours."""
    return " ".join(text.splitlines())


def fill(text: str, scope: Scope, *, word: Callable[[str], str] = on_one_line) -> str:
    """Return `text` with its facts filled in; an unknown one reads "(not known)".

    `word` is what becomes of each fact, such as quoting where the text is for a shell.
    """

    def filled(match: re.Match[str]) -> str:
        value = look_up(match[1], scope).value
        return _spoken(value) if isinstance(value, Unknown) else word(_spoken(value))

    return _PLACEHOLDER.sub(filled, text)


def fill_known(text: str, scope: Scope) -> str:
    """Return the sentences of `text` all of whose facts are known, filled in."""
    sentences = _SENTENCE_END.split(text)
    return " ".join(fill(one, scope) for one in sentences if not names_unknown(one, scope))


def names_unknown(text: str, scope: Scope) -> bool:
    """Whether a fact that `text` names is not known."""
    values = (look_up(path, scope).value for path in _PLACEHOLDER.findall(text))
    return any(isinstance(value, Unknown) for value in values)


def missing_facts(text: str, scope: Scope) -> bool:
    """Whether a fact that `text` names is unknown or absent, so that no command can hold it."""
    values = (look_up(path, scope).value for path in _PLACEHOLDER.findall(text))
    return any(value is None or isinstance(value, Unknown) for value in values)


def _spoken(value: object) -> str:
    if isinstance(value, Unknown):
        return "(not known)"
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        parts = (label_of(part, index) for index, part in enumerate(value))
        return ", ".join(parts) or "none"
    return label_of(value, 0) if isinstance(value, msgspec.Struct) else str(value)
