# SPDX-License-Identifier: MIT
"""Keys and their values: on one line, as a heading with its value below, as a name and a number."""

import re
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.prose.clauses import Line
from clprobe.paste.statements.headings import Announced
from clprobe.paste.statements.page import placed
from clprobe.paste.statements.parts import version_alone
from clprobe.paste.statements.predicates import tidy
from clprobe.paste.statements.things import things_in

_FORMS = Forms("statements")
_LINES = Forms("said_lines")
_CLAUSES = Forms("clauses")
_MOST_WORDS = 5
_MOST_WORDS_OF_A_VALUE = 9
_LONGEST = 220
_COLUMN = re.compile(r"\w:\s{3,40}\S")
_NAMED = ("package", "driver", "program", "toolkit")


def fields_in(lines: Iterable[Line]) -> Iterator[Statement]:
    """Yield the lines of a key and its value, as forms for issues have them."""
    for line in lines:
        found = _FORMS.dashed_field.match(line.text) or _FORMS.field.match(line.text)
        is_error = _FORMS.machine_line.match(line.text) is not None
        is_error = is_error or _FORMS.source_line.match(line.text) is not None
        if found is None or is_error or len(found["key"].split()) > _MOST_WORDS:
            continue
        key, given = tidy(found["key"]).rstrip("."), found["value"].strip()
        value = given if given.startswith("[") else tidy(given)
        is_key = is_column(line.text) or not _FORMS.key.search(key)
        if not value or value.endswith("?") or not is_key or line.index == 0:
            continue
        is_sentence = _LINES.person.search(value) and not _LINES.value_title.search(key)
        if _LINES.no_value.match(value) or is_sentence:
            continue
        yield _field(line, key, value)


def is_column(text: str) -> bool:
    """Tell whether a key and its value stand in columns: no sentence, whatever its words."""
    return _COLUMN.search(text) is not None


def columns_in(line: Line, text: str) -> Iterator[Statement]:
    """Yield a label and its value that stand in two columns of what a program printed."""
    found = _LINES.column.match(text)
    if found is not None and not _FORMS.key.search(found["key"]):
        yield _field(line, tidy(found["key"]), tidy(found["value"]))


def values_in(lines: Iterable[Line], announced: Mapping[int, Announced]) -> Iterator[Statement]:
    """Yield the lines that are the value of the heading above, such as a version or a system."""
    for line in lines:
        title = announced.get(line.index, Announced())
        text = line.text.strip()
        if title.opens or title.own or text == title.title.strip():
            continue
        if not (_asks_value(title.title) or _LINES.form_question.match(title.title)):
            continue
        if _LINES.unticked.match(text) or _FORMS.error_of_below.match(text):
            continue
        value = tidy(_CLAUSES.mark.sub("", text))
        is_short = 0 < len(value.split()) <= _MOST_WORDS_OF_A_VALUE
        if not is_short or value[-1:] in "?:" or _LINES.no_value.match(value):
            continue
        if _LINES.says_something.search(value) or _FORMS.field.match(text):
            continue
        yield _field(line, tidy(_CLAUSES.mark.sub("", title.title)).rstrip(":"), value)


def _asks_value(title: str) -> bool:
    is_of_value = _LINES.value_title.search(title) is not None
    return is_of_value and _LINES.no_value_title.search(title) is None


def named_versions_alone(lines: Iterable[Line]) -> Iterator[Statement]:
    """Yield the lines that are a name of several words and its version, and nothing else."""
    for line in lines:
        found = _LINES.name_and_version.match(line.text.strip())
        if found is None or line.index == 0:
            continue
        things = [one for one in things_in(found["name"]) if one.sort in _NAMED]
        if _LINES.says_something.search(found["name"]):
            continue
        if not things or len(found["name"].split()) <= len(things[0].name.split()):
            continue
        told = placed(line.index, line.context, "version")
        name = tidy(found["name"])
        yield msgspec.structs.replace(told, subject=name, version=found["version"])


def _field(line: Line, key: str, value: str) -> Statement:
    told = placed(line.index, line.context, "field", value[:_LONGEST])
    is_version = re.fullmatch(r"v?\d[\w.+~:-]{0,60}", value) is not None
    version = value.removeprefix("v") if is_version else version_alone(f"{key} {value}")
    return msgspec.structs.replace(told, subject=key, version=version)
