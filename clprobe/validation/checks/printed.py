# SPDX-License-Identifier: MIT
"""Checks of rules/tables/printed: every form is an expression, and is found in its examples."""

import re
from pathlib import Path

from clprobe.knowledge.printed import Form, Printed
from clprobe.validation.checks.place import Mistakes, Place


def printed(files: dict[Path, Printed]) -> Mistakes:
    """Yield what is wrong with the forms of each file."""
    for path, file in files.items():
        forms: list[tuple[tuple[str, ...], Form]] = [
            (("forms", name), form) for name, form in file.forms.items()
        ]
        for table, meant in file.meanings.items():
            forms += [(("meanings", table, name), form) for name, form in meant.items()]
        for keys, form in forms:
            here = Place(path).at(*keys)
            try:
                pattern = form.pattern(file.parts)
            except re.error as error:
                yield here.mistake(f"its pieces are no regular expression: {error}")
                continue
            if not form.examples:
                yield here.mistake("it has no example", "Give a line in which it is found.")
            for example in form.examples:
                if not pattern.search(example):
                    yield here.at("examples", example).mistake(f"it is not found in {example!r}")
