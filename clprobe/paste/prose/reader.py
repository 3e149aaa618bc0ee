# SPDX-License-Identifier: MIT
"""Reads the sentences of a paste; all that they tell is weaker than what programs printed."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice

from clprobe.knowledge.printed import Forms
from clprobe.paste.commands import command_line
from clprobe.paste.prose.access import read_access
from clprobe.paste.prose.alike import Alike
from clprobe.paste.prose.clauses import Clause, Line
from clprobe.paste.prose.frameworks import read_frameworks
from clprobe.paste.prose.gpus import read_gpus, read_processor
from clprobe.paste.prose.other_times import read_service_restarts
from clprobe.paste.prose.packages import read_packages
from clprobe.paste.prose.program_versions import read_program_versions
from clprobe.paste.prose.quoted import read_quoted
from clprobe.paste.prose.systems import read_systems
from clprobe.paste.prose.views import read_views
from clprobe.paste.prose.wrong_gpu import read_wrong_gpu
from clprobe.paste.reading import Context, Paste, Reader, Reading
from clprobe.paste.text import FENCE

_LONGEST = 900
_MOST_LINES = 400
"""Lines that are read as sentences: a post has some dozens, a log thousands."""
_MOST_SILENT = 100
"""Of a long text, those of them that may be fields or names, as no word shows a sentence."""
_FORMS = Forms("clauses")
_LINES = Forms("said_lines")
_STATEMENTS = Forms("statements")

_READERS: tuple[Callable[[list[Clause]], Iterator[Reading]], ...] = (
    read_gpus,
    read_processor,
    read_systems,
    read_packages,
    read_access,
    read_views,
    read_service_restarts,
    read_program_versions,
    read_frameworks,
    read_quoted,
    read_wrong_gpu,
)


def prose_reader(clauses: list[Clause]) -> Reader:
    """Return the reader of these clauses of a paste."""

    def read(_: Paste) -> Iterator[Reading]:
        for reader in _READERS:
            yield from reader(clauses)

    return read


def prose_lines(paste: Paste, spoken: frozenset[int]) -> Iterator[Line]:
    """Give the lines on which people write, with the context of the heading above.

    `spoken` lines are given although they were read before, and so are the title and what talks.
    Of a log's lines that differ in numbers only, the first few are, of those without words that
    only a sentence has, the first, and of those that name tests or functions, none.
    """
    for index, line in islice(_lines_of_people(paste, spoken), _MOST_LINES):
        text, around = line.strip().expandtabs(), paste.contexts[index]
        if around.command and _FORMS.goes_on.match(line):
            # What a command is said to do, in the line below it.
            text = f"{around.program} {text}"
        elif around.command:
            around = Context()
        yield Line(
            index=index,
            text=text,
            context=around,
            stands_alone=index == 0
            or not paste.is_free(index)
            or _LINES.typed_line.match(text) is not None
            or _STATEMENTS.machine_line.match(text) is not None,
        )


def _lines_of_people(paste: Paste, spoken: frozenset[int]) -> Iterator[tuple[int, str]]:
    silent = 0
    alike = Alike(paste.whole_lines)
    for index, line in enumerate(paste.whole_lines):
        if line == FENCE or index in paste.fenced or len(line) > _LONGEST or not line.strip():
            continue
        if line.startswith("# stated:") or (silent > _MOST_SILENT and not talks(line)):
            continue
        if alike.is_of_names(line):
            continue
        context = paste.contexts[index]
        is_untold = index in spoken or paste.is_free(index)
        if not (is_untold or _talks(index, line, context)):
            continue
        if not _is_output(line, context, is_title=index == 0) and alike.tells_more(line):
            silent += alike.is_long and not talks(line)
            yield index, line


def _talks(index: int, line: str, context: Context) -> bool:
    """Tell whether a line whose facts are read is one that somebody wrote, the title first."""
    if context.command or command_line(line) is not None or _FORMS.frame.match(line):
        return False
    return index == 0 or talks(line)


@lru_cache(maxsize=4096)
def talks(text: str) -> bool:
    """Tell whether a text has words that only a sentence has."""
    return _FORMS.talks.search(text) is not None


def _is_output(line: str, context: Context, *, is_title: bool) -> bool:
    """Tell whether a line is a command, or looks like what a program printed."""
    if is_title or _FORMS.package_log.search(line):
        return False
    if _LINES.stamped.match(line):
        return True
    if command_line(line) is not None and not _FORMS.talks.search(line):
        return True
    return _FORMS.printed.match(line.strip()) is not None and bool(
        context.command or line[:1] in " \t["
    )


def is_small_talk(line: str) -> bool:
    """Tell whether a line greets, thanks or asks, and holds no word that a fact might need."""
    found = _FORMS.small_talk.match(line.strip())
    return found is not None and _FORMS.telling.search(found["rest"]) is None
