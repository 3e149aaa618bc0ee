# SPDX-License-Identifier: MIT
"""How lines look that programs print, and the words in them: rules/tables/printed.

A file is read when the first of its forms is asked for, so that importing a reader costs nothing.
"""

import re
from functools import cache, cached_property
from pathlib import Path
from typing import TypeAlias

import msgspec

from clprobe.knowledge.checked_yaml import read
from clprobe.knowledge.often import Often
from clprobe.resources import rules_path

Piece: TypeAlias = str | tuple[str, ...]


class Form(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line, or a part of one, as a regular expression in pieces that follow one another.

    A piece that is a list holds alternatives; `{{name}}` stands for one of the file's parts. In
    each of the examples the form is found.
    """

    pieces: tuple[Piece, ...]
    examples: tuple[str, ...]

    def pattern(self, parts: dict[str, Piece]) -> re.Pattern[str]:
        """Return the expression. Raises: re.error if it is none."""
        text = "".join(map(_text, self.pieces))
        for name, part in parts.items():
            text = text.replace("{{" + name + "}}", _text(part))
        return re.compile(text)


def _text(piece: Piece) -> str:
    return piece if isinstance(piece, str) else f"(?:{'|'.join(piece)})"


class Printed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file of rules/tables/printed: what one kind of program, or of people's lines, looks like.

    `about` says which. `meanings` are forms by what they mean, in the order in which they are
    looked for; `tables` translate a program's words into ours.
    """

    about: str
    parts: dict[str, Piece] = {}
    forms: dict[str, Form] = {}
    meanings: dict[str, dict[str, Form]] = {}
    words: dict[str, frozenset[str]] = {}
    tables: dict[str, dict[str, str]] = {}


@cache
def _shipped(name: str) -> Printed:
    return read_printed(rules_path() / "tables" / "printed" / f"{name}.yaml")


def read_printed(path: Path) -> Printed:
    """Return a file of rules/tables/printed. Raises: ClprobeError if it does not fit."""
    return read(path, Printed)


class Forms:
    """The forms of one file as attributes, and its words and tables.

    Raises: ClprobeError at the first use if the file does not fit the format.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    @cached_property
    def _file(self) -> Printed:
        return _shipped(self._name)

    def __getattr__(self, name: str) -> re.Pattern[str]:
        if name.startswith("_") or name not in self._file.forms:
            raise AttributeError(f"rules/tables/printed/{self._name}.yaml has no form {name}")
        pattern = self._file.forms[name].pattern(self._file.parts)
        setattr(self, name, pattern)  # asked for once
        return pattern

    @cached_property
    def words(self) -> dict[str, frozenset[str]]:
        """Lists of words to look others up in."""
        return self._file.words

    @cached_property
    def tables(self) -> dict[str, dict[str, str]]:
        """What words of programs are in ours."""
        return self._file.tables

    @cached_property
    def patterns(self) -> dict[str, dict[str, re.Pattern[str]]]:
        """Tables of forms by what they mean."""
        parts = self._file.parts
        return {
            table: {name: form.pattern(parts) for name, form in forms.items()}
            for table, forms in self._file.meanings.items()
        }

    @cached_property
    def often(self) -> dict[str, dict[str, Often]]:
        """The same tables, for texts of which there are many and most hold none of the forms."""
        return {
            table: {name: Often(form) for name, form in forms.items()}
            for table, forms in self.patterns.items()
        }

    def first(self, table: str, text: str) -> tuple[str, re.Match[str]] | None:
        """Return the first form's meaning that is found in the text, and where; None: none is."""
        forms = self.often[table].items()
        return next(((name, found) for name, form in forms if (found := form.search(text))), None)

    def meaning(self, table: str, text: str) -> str | None:
        """Return what the first form means that is found in the text; None if none is."""
        found = self.first(table, text)
        return found[0] if found is not None else None
