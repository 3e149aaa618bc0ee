# SPDX-License-Identifier: MIT
"""What programs printed, and files that were pasted, say line by line: settings, fields, errors."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.prose.clauses import Line
from clprobe.paste.reading import Paste
from clprobe.paste.statements.fields import columns_in, fields_in
from clprobe.paste.statements.page import placed
from clprobe.paste.statements.predicates import tidy
from clprobe.paste.statements.things import things_in
from clprobe.paste.text import FENCE

_FORMS = Forms("statements")
_PRINTED = Forms("said_lines")
_MESSAGES = Forms("messages")
_VARIABLES = Forms("variables")
_KINDS = ("package", "driver", "gpu", "processor", "toolkit")
_HARDWARE = ("gpu", "processor")
_MOST = 300
_LONGEST = 220
_MOST_PAIRS = 20
_FEWEST_WORDS = 2


def printed_in(paste: Paste, left: Iterable[int]) -> Iterator[Statement]:
    """Yield what stands on lines that nobody has read: settings, commands, fields and errors."""
    source = _source(paste)
    for index in islice((one for one in left if one not in source), _MOST):
        if _FORMS.source_line.match(paste.lines[index]):
            continue
        context, text = paste.contexts[index], paste.lines[index]
        line = Line(index=index, text=text.strip(), context=context)
        if (set_to := _PRINTED.setting.match(text)) is not None:
            yield _setting(line, text, set_to["name"], set_to["value"].strip())
        elif (within := _PRINTED.setting_within.search(text)) is not None:
            told = placed(index, context, "sets", f"{within['name']}={within['value']}")
            yield msgspec.structs.replace(told, subject=within["name"])
        elif _PRINTED.command_alone.match(text) and not _PRINTED.sentence.search(text):
            says = " ".join(text.split()).strip("`")[:_LONGEST]
            yield Statement(line=index + 1, what="did", says=says)
        elif (path := _PRINTED.path_alone.match(text)) is not None:
            told = placed(index, context, "has", tidy(text)[:_LONGEST])
            yield msgspec.structs.replace(told, subject=path["path"])
        elif _PRINTED.json_line.match(text):
            yield from _of_json(line)
        elif (stamp := _PRINTED.stamp.match(text)) is not None:
            yield from _of_output(line, text[stamp.end() :])
        elif index in paste.fenced or context.command or _is_column(text):
            yield from _of_output(line, text)


def _is_column(text: str) -> bool:
    """Tell whether a line is indented, or a name and its version in two columns."""
    return text[:1] == " " or ("  " in text and _FORMS.package_line.match(text) is not None)


def _setting(line: Line, text: str, name: str, value: str) -> Statement:
    """Return what a name in capitals and its value say: a variable that is set, or a field.

    Programs and files of the kernel, too, print such pairs, which nobody sets.
    """
    is_set = (
        (_VARIABLES.name.fullmatch(name) is not None and not _PRINTED.json_line.match(text))
        or _PRINTED.sets.match(text) is not None
        or _PRINTED.settings_command.match(line.context.command) is not None
    )
    says = f"{name}={value}" if is_set else value
    told = placed(line.index, line.context, "sets" if is_set else "field", says[:_LONGEST])
    return msgspec.structs.replace(told, subject=name)


def _of_json(line: Line) -> Iterator[Statement]:
    """Yield the keys of a line of JSON with their values, as fields."""
    for found in islice(_PRINTED.json_pair.finditer(line.text), _MOST_PAIRS):
        told = placed(line.index, line.context, "field", found["text"] or found["value"])
        yield msgspec.structs.replace(told, subject=found["key"])


def _of_output(line: Line, text: str) -> Iterator[Statement]:
    text = _PRINTED.log_level.sub("", text)
    if _PRINTED.comment.match(text) or not text.strip():
        return
    line = msgspec.structs.replace(line, text=text.strip())
    number = line.index + 1
    itself = _PRINTED.names_itself.match(text.strip())
    if itself is not None and not _FORMS.key.search(itself["name"]):
        name, version = itself["name"].lower(), itself["version"]
        yield Statement(line=number, what="version", subject=name, version=version)
        return
    if _FORMS.command_ahead.match(text) or _runs_program(text):
        yield Statement(line=number, what="did", says=tidy(text)[:_LONGEST])
        return
    if special := list(_of_shape(line, text)):
        yield from special
        return
    package = _FORMS.package_line.match(text[:_LONGEST])
    if package is not None:
        name, version = package["name"], package["version"]
        yield Statement(line=number, what="version", subject=name, version=version)
    elif fields := list(fields_in([line])) or list(columns_in(line, text)):
        yield from fields
    elif named := _named_ahead(text):
        yield Statement(line=number, what="has", subject=named, says=tidy(text)[:_LONGEST])
    elif _is_error(text):
        yield placed(line.index, line.context, "error", tidy(text))
    else:
        yield from _of_names(text, number)


def _of_shape(line: Line, text: str) -> Iterator[Statement]:
    """Yield what lines say that tell by their form what they are: dkms's, an object of Python."""
    module = _PRINTED.dkms.match(text)
    if module is not None:
        says = f"dkms: {tidy(text)}"[:_LONGEST]
        told = placed(line.index, line.context, "is", says)
        yield msgspec.structs.replace(told, subject=f"dkms {module['name']}")
    elif (row := _PRINTED.call_row.match(text)) is not None:
        told = placed(line.index, line.context, "field", tidy(row["value"])[:_LONGEST])
        yield msgspec.structs.replace(told, subject=row["call"])
    elif _PRINTED.shown_object.match(text):
        for found in islice(_PRINTED.object_field.finditer(text), _MOST_PAIRS):
            told = placed(line.index, line.context, "field", found["text"] or found["value"])
            yield msgspec.structs.replace(told, subject=found["key"])


def _of_names(text: str, number: int) -> Iterator[Statement]:
    """Yield the system that a line begins with, as /etc/issue does, or the hardware in it."""
    for one in things_in(text):
        is_system = one.sort == "distribution" and one.start == 0
        if is_system or one.sort in _HARDWARE:
            what = "uses" if is_system else "has"
            yield Statement(line=number, what=what, subject=one.name, says=tidy(text)[:_LONGEST])
            return


def _source(paste: Paste) -> frozenset[int]:
    """Return the lines between fences that are a program's source, and no compiler's output."""
    found: list[int] = []
    block: list[int] = []
    for index, line in enumerate(paste.lines):
        if index in paste.fenced:
            block.append(index)
        elif line == FENCE and block:
            is_session = any(paste.contexts[one].command for one in block)
            if not is_session and any(_PRINTED.source.search(paste.lines[one]) for one in block):
                found += block
            block = []
    return frozenset(found)


def _named_ahead(text: str) -> str:
    """Return the package, driver or piece of hardware with whose name a line begins."""
    things = (one for one in things_in(text.strip()) if one.start == 0 and one.sort in _KINDS)
    return next((one.name for one in things), "")


def _runs_program(text: str) -> bool:
    """Tell whether a line begins with a program's name and gives it options."""
    named = things_in(text.strip()) if re.search(r" -\w", text) else ()
    return bool(named) and named[0].start == 0 and named[0].sort == "program"


def _is_error(text: str) -> bool:
    words = len(text.split())
    is_line = len(text) <= _LONGEST and words >= _FEWEST_WORDS and "?" not in text
    is_source = _MESSAGES.of_source.match(text) is not None
    return is_line and not is_source and _FORMS.error_like.search(text) is not None


def is_text(line: str) -> bool:
    """Tell whether a line is more than a fence."""
    return any(map(str.isalnum, line)) and line.strip() != FENCE and not line.startswith("~~~")
