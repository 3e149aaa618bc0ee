# SPDX-License-Identifier: MIT
"""What lines say beside their sentences: quoted errors, commands, what is shown below."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.commands import command_line
from clprobe.paste.prose.clauses import Line
from clprobe.paste.reading import Paste
from clprobe.paste.statements.beside import entries_in, read_again
from clprobe.paste.statements.consoles import sessions_in
from clprobe.paste.statements.outputs import complaints_in, outputs_in
from clprobe.paste.statements.page import placed
from clprobe.paste.statements.predicates import says_nothing, tidy
from clprobe.paste.statements.printed import is_text, printed_in
from clprobe.paste.statements.printers import Printers, advised_in, by_sentence
from clprobe.paste.statements.settings import settings_in
from clprobe.paste.statements.things import things_in
from clprobe.paste.statements.traced import traced_in
from clprobe.paste.statements.typed import containers_in, enters_container, typed_command
from clprobe.paste.text import FENCE

_FORMS = Forms("statements")
_LINES = Forms("said_lines")
_CLAUSES = Forms("clauses")
_MOST_COMMANDS = 40
_LONGEST = 220


def with_lines(
    paste: Paste, said: Sequence[Statement], left: Sequence[int]
) -> tuple[Statement, ...]:
    """Return what sentences say, and lines beside them: commands, what is shown below, the rest.

    `said` are the statements of sentences, `left` the lines that nobody has read. A sentence that
    only says that something is shown is left out.
    """
    shown = list(_shown_below(said, paste))
    lines = {one.line for one in shown}
    said = [one for one in said if not (one.what == "has" and one.line in lines)]
    told = [
        *_commands_in(paste),
        *shown,
        *entries_in(paste),
        *settings_in(paste),
        *containers_in(paste),
        *outputs_in(paste),
    ]
    of_sentences = {(one.what, *_key(one)) for one in said}
    told = [one for one in told if (one.what, *_key(one)) not in of_sentences]
    read = {one.line - 1 for one in (*said, *told)}
    told += printed_in(paste, (index for index in left if index not in read))
    printers = Printers(paste)
    complaints = list(complaints_in(paste, printers))
    by_line = {one.line: one.subject for one in complaints if one.what == "error"}
    by_line |= {index + 1: program for index, program in advised_in(paste)}
    told = [_by_program(one, by_line, printers, said) for one in (*telling(said), *told)]
    known = {_key(one) for one in (*said, *told)}
    more = (*read_again(paste), *traced_in(paste), *sessions_in(paste), *complaints)
    return (*told, *(one for one in more if _key(one) not in known))


def _key(one: Statement) -> tuple[int, str, str]:
    """Return what makes two statements of a line the same."""
    return one.line, one.subject.lower(), one.says or one.version


def _by_program(
    one: Statement, by_line: Mapping[int, str], printers: Printers, said: Sequence[Statement]
) -> Statement:
    """Return the statement; an error of which it is not told who printed it, with the program."""
    if one.what not in ("error", "supposes") or one.subject:
        return one
    program = by_line.get(one.line) or printers.of(one.line - 1) or by_sentence(one, said)
    return msgspec.structs.replace(one, subject=program) if program else one


def telling(said: Iterable[Statement]) -> list[Statement]:
    """Return the statements without those that only say that something is shown."""
    return [one for one in said if not says_nothing(one.what, one.says)]


def quotes_in(lines: Iterable[Line]) -> Iterator[Statement]:
    """Yield what stands in quotation marks and reads like an error."""
    for line in lines:
        if line.text.rstrip().endswith("?") or _FORMS.source_line.match(line.text):
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


def command_of(line: str) -> str:
    """Return the command that a line is, without marks around it; "" if it is a sentence."""
    marked = _CLAUSES.mark.sub("", line.strip())
    if marked[:1] == "`" and marked.strip("`").count("`"):
        return ""  # a command, and what is said of it
    text = marked.strip("`$ ")
    found = command_line(text)
    forms = (_LINES.command_alone, _LINES.typed_line)
    is_command = found is not None or any(form.match(text) for form in forms)
    if not is_command or _LINES.sentence.search(text):
        return ""
    return " ".join(text.split())


def _shown_below(told: Iterable[Statement], paste: Paste) -> Iterator[Statement]:
    """Yield the line below a sentence that ends with "clinfo shows", as what it shows."""
    for one in told:
        is_outcome = one.what in ("shows", "fails", "has", "symptom")
        about = _FORMS.error_of_below.match(one.says) if is_outcome else None
        if not about and not _may_show_below(one):
            continue
        line = paste.lines[one.line - 1].rstrip(" *_`")
        following = range(one.line, min(one.line + 4, len(paste.lines)))
        index = next((at for at in following if is_text(paste.lines[at])), None)
        if index is not None and paste.lines[index].startswith(">>> "):
            continue
        if index is None or not line.endswith((":", one.says[-4:])):
            continue
        is_path = _LINES.path_alone.match(paste.lines[index].strip(" `")) is not None
        is_printed = index in paste.fenced or paste.lines[index][:1] == " " or is_path
        below = paste.lines[index]
        is_typed = command_line(below) is not None or command_of(below) != ""
        is_command = is_typed or _LINES.path_command.match(below) is not None
        # "It stops with", and a blank line: what follows is quoted, and the sentence goes on below.
        is_complaint = _FORMS.machine_line.match(below) is not None
        ends = about or is_complaint or _FORMS.ends_below.search(one.says)
        is_quoted = index > one.line and ends
        if (is_printed or is_quoted or line.endswith(":")) and (is_complaint or not is_command):
            text = tidy(paste.lines[index])[:_LONGEST]
            if not about and _FORMS.ends_below.search(one.says):
                text = f"{one.says.rstrip(': ')}: {text}"[:_LONGEST]
            subject = one.subject or (about["program"] if about else "")
            is_scene = one.what == "has" or says_nothing(one.what, one.says)
            under = one.under if is_scene else ()
            yield msgspec.structs.replace(
                one,
                line=index + 1,
                what="shows",
                subject=subject,
                says=text,
                negated=False,
                under=under,
            )


def _may_show_below(one: Statement) -> bool:
    """Tell whether a statement ends with a verb of which the object may stand below."""
    is_outcome = one.what in ("shows", "fails", "has")
    if (is_outcome or one.what == "is") and _FORMS.ends_below.search(one.says):
        return True
    return is_outcome and _FORMS.says_below.search(one.says) is not None


def _prints_nothing(paste: Paste, index: int, command: str) -> bool:
    """Tell whether a command that looks for something is followed by the next prompt at once."""
    if index not in paste.fenced or not _LINES.searches.search(command) or ">" in command:
        return False
    after = next((one for one in paste.lines[index + 1 : index + 3] if one.strip()), "")
    following = command_line(after)
    is_next = following is not None and following.prompted
    return is_next or _LINES.bare_prompt.match(after) is not None


def _commands_in(paste: Paste) -> Iterator[Statement]:
    """Yield the commands that were typed behind a prompt."""
    given = 0
    for index, line in enumerate(paste.lines):
        context = paste.contexts[index]
        found = command_line(line) if context.command else None
        is_shown = index in paste.fenced or FENCE in paste.lines[index + 1 : index + 3]
        is_typed = found is not None and is_shown and context.command == found.command
        if found is None or not (found.prompted or is_typed):
            continue
        given += 1
        if given > _MOST_COMMANDS:
            return
        # "`$ clinfo` gives" is a command, and what is said of it.
        typed = typed_command(paste.lines, index)
        says = typed.partition("`")[0] or found.command
        base = placed(index, context, "did", says[:_LONGEST])
        if enters_container(typed):
            base = msgspec.structs.replace(base, where="")
        yield base
        if found.prompted and _prints_nothing(paste, index, found.command):
            says = f"{found.command[: _LONGEST - 20]}: no output"
            yield msgspec.structs.replace(base, what="absent", says=says)
        for one in things_in(line):
            if one.sort == "variable" and one.value:
                says = f"{one.name}={one.value}"
                yield msgspec.structs.replace(base, what="sets", subject=one.name, says=says)
