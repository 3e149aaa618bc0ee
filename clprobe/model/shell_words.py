# SPDX-License-Identifier: MIT
"""Words as a POSIX shell reads them: the one place where text becomes part of a command line."""

import shlex
import unicodedata

from clprobe.model.placeholders import HOME, USER

_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Kinds of characters that steer a terminal or are not seen in it."""
_READ_IN_QUOTES = '"$`\\!'
"""What shells read in double quotes, too."""


def can_be_typed(text: str) -> bool:
    """Whether a line can show the text as it is: no line end, control or unseen character."""
    if text.isascii():
        return text.isprintable()
    return not any(unicodedata.category(char) in _UNSEEN for char in text)


def shell_word(text: str) -> str:
    """Return text so that a shell reads it as one word of exactly these characters."""
    if "'" in text and not set(text) & set(_READ_IN_QUOTES):
        return f'"{text}"'
    return shlex.quote(text)


def windows_word(text: str) -> str:
    """Return text as one word of PowerShell and of cmd, where no quotes are in it."""
    return f'"{text}"' if " " in text else text


def command_line(argv: tuple[str, ...]) -> str:
    """Return an argv as one would type it; the shell fills in the user and the home folder."""
    return " ".join(_typed(word) for word in argv)


def assignment(name: str, value: str) -> str:
    """Return the line that sets a variable for this shell and its programs."""
    return f"export {name}={shell_word(value)}"


def _typed(word: str) -> str:
    if word == USER:
        return '"$USER"'
    if word.startswith(f"{HOME}/"):
        return f"{HOME}/{shell_word(word[2:])}"
    return shell_word(word)
