# SPDX-License-Identifier: MIT
"""What lines say as a whole: a key and its value, words in quotation marks, a command."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.commands import command_line
from clprobe.paste.prose.clauses import Line
from clprobe.paste.reading import Paste
from clprobe.paste.statements.page import placed
from clprobe.paste.statements.parts import version_alone
from clprobe.paste.statements.predicates import tidy
from clprobe.paste.statements.things import things_in
from clprobe.paste.text import FENCE

_FORMS = Forms("statements")
_MOST_WORDS = 5
_FEWEST_WORDS = 2
_MOST_COMMANDS = 40
_KINDS = ("package", "driver", "gpu", "processor", "toolkit")
_MOST_PRINTED = 300
_LONGEST = 220


def lines_of(paste: Paste, said: Sequence[Statement], left: Sequence[int]) -> tuple[Statement, ...]:
    """Return what lines say beside the sentences: commands, what is shown below, what is left.

    `said` are the statements of sentences, `left` the lines that nobody has read.
    """
    told = [*_commands_in(paste), *_shown_below(said, paste)]
    read = {one.line - 1 for one in (*said, *told)}
    return (*told, *_printed_in(paste, (index for index in left if index not in read)))


def fields_in(lines: Iterable[Line]) -> Iterator[Statement]:
    """Yield the lines of a key and its value, as forms for issues have them."""
    for line in lines:
        found = _FORMS.dashed_field.match(line.text) or _FORMS.field.match(line.text)
        if found is None or len(found["key"].split()) > _MOST_WORDS:
            continue
        key, value = tidy(found["key"]).rstrip("."), tidy(found["value"])
        if not value or value.endswith("?") or _FORMS.key.search(key) or line.index == 0:
            continue
        told = placed(line.index, line.context, "field", value[:_LONGEST])
        version = version_alone(f"{key} {value}")
        yield msgspec.structs.replace(told, subject=key, version=version)


def quotes_in(lines: Iterable[Line]) -> Iterator[Statement]:
    """Yield what stands in quotation marks and reads like an error."""
    for line in lines:
        if line.text.rstrip().endswith("?"):
            continue
        for found in _FORMS.quoted.finditer(line.text):
            before = line.text[: found.start()]
            if not _FORMS.error_like.search(found["text"]) or _FORMS.modal.search(before):
                continue
            yield Statement(
                line=line.index + 1,
                what="error",
                says=tidy(found["text"])[:_LONGEST],
                negated=_FORMS.no_error_ahead.search(before) is not None,
            )


def _shown_below(told: Iterable[Statement], paste: Paste) -> Iterator[Statement]:
    """Yield the line below a sentence that ends with "clinfo shows", as what it shows."""
    for one in told:
        if one.what not in ("shows", "fails") or not _FORMS.says_below.search(one.says):
            continue
        line = paste.lines[one.line - 1].rstrip(" *_")
        following = range(one.line, min(one.line + 4, len(paste.lines)))
        index = next((at for at in following if _is_text(paste.lines[at])), None)
        if index is None or not line.endswith((":", one.says[-4:])):
            continue
        is_printed = index in paste.fenced or paste.lines[index][:1] == " "
        if (is_printed or line.endswith(":")) and command_line(paste.lines[index]) is None:
            text = tidy(paste.lines[index])[:_LONGEST]
            yield msgspec.structs.replace(
                one, line=index + 1, what="shows", says=text, negated=False, under=()
            )


def _is_text(line: str) -> bool:
    return bool(line.strip()) and line.strip() != FENCE and not line.strip().startswith("~~~")


def _printed_in(paste: Paste, left: Iterable[int]) -> Iterator[Statement]:
    """Yield what stands on lines that programs printed and that nobody read: fields and errors."""
    for index in islice(left, _MOST_PRINTED):
        context, text = paste.contexts[index], paste.lines[index]
        if not (index in paste.fenced or context.command or text[:1] == " "):
            continue
        line = Line(index=index, text=text.strip(), context=context)
        if _FORMS.command_ahead.match(text) or _runs_program(text):
            yield Statement(line=index + 1, what="did", says=tidy(text)[:_LONGEST])
            continue
        package = _FORMS.package_line.match(text[:_LONGEST])
        if package is not None:
            name, version = package["name"], package["version"]
            yield Statement(line=index + 1, what="version", subject=name, version=version)
        elif fields := list(fields_in([line])):
            yield from fields
        elif named := _named_ahead(text):
            says = tidy(text)[:_LONGEST]
            yield Statement(line=index + 1, what="has", subject=named, says=says)
        elif _is_error(text):
            yield placed(index, context, "error", tidy(text))


def _named_ahead(text: str) -> str:
    """Return the package, driver or piece of hardware with whose name a line begins."""
    things = (one for one in things_in(text.strip()) if one.start == 0 and one.sort in _KINDS)
    return next((one.name for one in things), "")


def _runs_program(text: str) -> bool:
    """Tell whether a line begins with a program's name and gives it options."""
    named = things_in(text.strip()) if " -" in text else ()
    return bool(named) and named[0].start == 0 and named[0].sort == "program"


def _is_error(text: str) -> bool:
    words = len(text.split())
    is_line = len(text) <= _LONGEST and words >= _FEWEST_WORDS and "?" not in text
    return is_line and _FORMS.error_like.search(text) is not None


def _commands_in(paste: Paste) -> Iterator[Statement]:
    """Yield the commands that were typed behind a prompt."""
    given = 0
    for index, line in enumerate(paste.lines):
        context = paste.contexts[index]
        found = command_line(line) if context.command else None
        is_typed = found is not None and index in paste.fenced and context.command == found.command
        if found is None or not (found.prompted or is_typed):
            continue
        given += 1
        if given > _MOST_COMMANDS:
            return
        base = placed(index, context, "did", found.command[:_LONGEST])
        yield base
        for one in things_in(line):
            if one.sort == "variable" and one.value:
                says = f"{one.name}={one.value}"
                yield msgspec.structs.replace(base, what="sets", subject=one.name, says=says)
