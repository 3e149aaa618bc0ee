# SPDX-License-Identifier: MIT
"""From clauses and lines to typed statements; what is unsure is left out."""

from collections.abc import Iterator, Sequence
from itertools import groupby

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.prose.clauses import Clause, Line
from clprobe.paste.statements.consoles import is_printed
from clprobe.paste.statements.fields import fields_in, is_column, named_versions_alone, values_in
from clprobe.paste.statements.headings import announced_by_line
from clprobe.paste.statements.lines import command_of, quotes_in
from clprobe.paste.statements.named import named_in
from clprobe.paste.statements.page import Page, page_of
from clprobe.paste.statements.predicates import tidy
from clprobe.paste.statements.sentences import OUTCOMES, of_sentence
from clprobe.paste.statements.ties import (
    after_deed,
    announced_scene,
    continued,
    continues_output,
    deed_of,
    not_reached,
    under_also,
)
from clprobe.paste.statements.titles import of_title
from clprobe.paste.statements.trials import DEEDS, Told, with_outcomes

_FORMS = Forms("statements")
_LINES = Forms("said_lines")
_ROWS = Forms("program_rows")
_MOST = 300
_LONGEST = 220
_FEW_WORDS = 2
_NEAR = 3
"""So many lines below a deed somebody may tell what is so now."""


def statements_of(lines: Sequence[Line], clauses: Sequence[Clause]) -> tuple[Statement, ...]:
    """Return what these lines, and the clauses in them, say; the first of very many."""
    fields = _fields(lines)
    headed = lines
    lines = [one for one in lines if not _FORMS.boilerplate.search(one.text)]
    page = page_of(lines, fields, headed)
    read = with_outcomes(list(_of_sentences(clauses, page)))
    sentences = [one for one in read if not _is_of_field(one, fields)]
    told = [*fields, *sentences, *quotes_in(lines)]
    told += named_in(clauses, page, told)
    once: dict[tuple[int, str, str, str], Statement] = {}
    for one in told:
        says = one.says.lower() or one.version
        once.setdefault((one.line, one.what, one.subject.lower(), says), one)
    return tuple(sorted(once.values(), key=lambda one: one.line))[:_MOST]


def _fields(lines: Sequence[Line]) -> list[Statement]:
    """Return the lines that are keys and values, or the values of the headings above them."""
    plain = [one for one in lines if not _FORMS.boilerplate.search(one.text)]
    found = [*fields_in(plain), *named_versions_alone(plain)]
    told = {one.line for one in found}
    values = values_in(lines, announced_by_line(lines))
    return [*found, *(one for one in values if one.line not in told)]


def _is_of_field(one: Statement, fields: Sequence[Statement]) -> bool:
    """Tell whether a version is that of a longer name, which its line tells as a whole."""
    return one.what == "version" and any(
        told.line == one.line and told.what == "version" and told.version == one.version
        for told in fields
    )


def _of_sentences(clauses: Sequence[Clause], page: Page) -> Iterator[Told]:
    titles = {one for one, text in page.texts.items() if text.lstrip().startswith("#") and one > 0}
    sentences = [
        list(group) for _, group in groupby(clauses, lambda one: (one.sentence, one.lines))
    ]
    before: Statement | None = None
    deed: Statement | None = None
    last: list[Statement] = []
    for place, sentence in enumerate(sentences):
        first = sentence[0]
        if first.lines[0] not in page.texts or page.above(first).opens:
            continue
        following = sentences[place + 1][0] if place + 1 < len(sentences) else None
        after = following.sentence if following is not None else ""
        line = page.texts[first.lines[0]]
        is_progress = _FORMS.progress.match(line) and not page.above(first).kind
        is_progress = is_progress or (first.lines[0] in page.fields and is_column(line))
        is_source = _FORMS.source_line.match(line) or _ROWS.make_variable.match(line)
        if is_source or is_progress or is_printed(line, first.sentence):
            continue
        if (typed := command_of(line)) and (not first.is_title or line.startswith("$ ")):
            if place == 0 or sentences[place - 1][0].lines[0] != first.lines[0]:
                did = msgspec.structs.replace(page.base(first), what="did", says=typed[:_LONGEST])
                yield Told(first, [did])
            continue
        if _FORMS.machine_line.match(line) and not of_title(sentence, page):
            yield Told(first, [_printed_error(first, page)])
            continue
        given = list(of_title(sentence, page) or of_sentence(sentence, before, after, page))
        if deed is not None and first.lines[0] + 1 - deed.line > _NEAR:
            deed = None
        given = list(after_deed(given, deed, first.sentence))
        given = continued(given, before, first) or list(not_reached(last, first, page))
        deed = deed_of(given) or (deed if not given else None)
        before = next((one for one in reversed(given) if one.what in OUTCOMES), before)
        if continues_output(first):
            under_also(last, first.text if given else first.sentence, first.lines[0])
        elif not given and (scene := announced_scene(sentence)):
            # "With the GPU:" is told with what is shown on the line below.
            shown = msgspec.structs.replace(page.base(first), what="shows", says="shows")
            given = [msgspec.structs.replace(shown, under=(scene,))]
        given = [one for one in given if one.what in OUTCOMES or not _is_idle(one, page, titles)]
        last = given or last
        yield Told(first, given)


def _is_idle(one: Statement, page: Page, titles: set[int]) -> bool:
    """Tell whether what is no outcome stands in a title, or is a field's value that is no deed."""
    is_value = one.what == "did" and one.line - 1 in page.fields
    is_short = len(one.says.split()) <= _FEW_WORDS
    if one.what == "wants" and " " not in one.says:
        return True
    if one.what in DEEDS and is_short and page.texts[one.line - 1].strip() == f"{one.says}:":
        return True  # "Installing:", as package managers print it
    return one.line - 1 in titles or (is_value and not _LINES.person.search(one.says))


def _printed_error(first: Clause, page: Page) -> Statement:
    """Return a program's complaint that stands among sentences: it is one, whatever its words."""
    says = tidy(page.texts[first.lines[0]])[:_LONGEST]
    return msgspec.structs.replace(page.base(first), what="error", says=says)
