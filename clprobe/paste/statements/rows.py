# SPDX-License-Identifier: MIT
"""Rows that programs print while they look for devices or configure a build, and Makefiles'."""

from collections.abc import Iterator

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.reading import Paste
from clprobe.paste.statements.page import labelled
from clprobe.paste.statements.predicates import tidy

_FORMS = Forms("program_rows")
_LINES = Forms("said_lines")


def of_listings(paste: Paste, index: int, text: str) -> Iterator[Statement]:
    """Yield how many platforms or devices a program lists, which it takes, and that it is done."""
    tag = _FORMS.tag.match(text) or _LINES.stamp.match(text)
    is_printed = tag is not None or index in paste.fenced or paste.contexts[index].command
    if not is_printed or paste.contexts[index].program == "clinfo":
        return
    rest = (text[tag.end() :] if tag is not None else text).strip()
    program = paste.contexts[index].program
    counted = _FORMS.counted.match(rest)
    if counted is not None:
        yield labelled(paste, index, "field", counted["key"], counted["value"])
    elif _FORMS.found.match(rest) or (tag is not None and _FORMS.told.match(rest)):
        yield labelled(paste, index, "shows", program, tidy(rest))
    elif (about := _FORMS.about.match(text)) is not None:
        yield Statement(
            line=index + 1, what="version", subject=about["name"].lower(), version=about["version"]
        )


def of_builds(paste: Paste, index: int, text: str) -> Iterator[Statement]:
    """Yield what CMake finds or lacks, and what a Makefile's variables name."""
    if text.lstrip()[:3] == "-- ":
        yield from _of_cmake(paste, index, text)
    elif "=" in text and (found := _FORMS.make_variable.match(text)) is not None:
        says = f"{found['name']}={found['value']}"
        yield labelled(paste, index, "sets", found["name"], says)


def _of_cmake(paste: Paste, index: int, text: str) -> Iterator[Statement]:
    lacks = _FORMS.cmake_lacks.match(text)
    field = _FORMS.cmake_field.match(text)
    if lacks is not None:
        asked = _FORMS.cmake_asks.match(paste.lines[index - 1]) if index > 0 else None
        says = tidy(lacks["text"])
        says = f"{says} (for {asked['what']})" if asked is not None else says
        yield labelled(paste, index, "absent", "cmake", says)
    elif field is not None:
        yield labelled(paste, index, "field", field["key"], field["value"])
    elif _FORMS.cmake_found.match(text):
        yield labelled(paste, index, "shows", "cmake", tidy(text.lstrip(" -")))
