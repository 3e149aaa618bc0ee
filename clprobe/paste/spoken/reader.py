# SPDX-License-Identifier: MIT
"""Reads the own words of all programs in rules/tables/programs, several of them in one text."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.knowledge.program_table import Program
from clprobe.model.system import System, Virtualization
from clprobe.model.unknown import NOT_STATED
from clprobe.paste.commands import command_line
from clprobe.paste.reading import Context, Paste, Reading
from clprobe.paste.spoken.account import Account
from clprobe.paste.spoken.vocabulary import Spoken, Vocabulary, vocabulary
from clprobe.paste.text import FENCE

_FORMS = Forms("messages")
_PROGRAMS = Forms("programs")
_MOST_GAP = 60
_MOST_RUNS = 200
_NEAR = 12
_LONGEST_PROSE = 600
_BEFORE_WORDS = ("", ":", "]", ">", "|", '"')
"""What a program puts before its words: a prefix, a time, a frame."""
_SENTENCE_END = re.compile(r"[.?!](?=\s|$)")
_Found = tuple[Spoken, re.Match[str]]


class _Circumstances(msgspec.Struct):
    """What a text tells of programs as a whole.

    In which sandbox each runs, its version, and which one printed the lines of another.
    """

    sandboxes: dict[str, str]
    versions: dict[str, str]
    built_on: dict[str, str]


def read_programs(paste: Paste) -> Iterator[Reading]:
    """Give for each run of a program what it saw of OpenCL, and what else it told."""
    words = vocabulary()
    free = list(paste.free())
    text = "\n".join(paste.lines)
    named = words.named_in(text, paste.words)
    circumstances = _Circumstances(words.sandboxed_in(text, named), {}, _built_on(text, named))
    marked = words.marked([line for _, line in free], named, paste.words)
    accounts: dict[tuple[str, Context], Account] = {}
    last: tuple[Account, Context] | None = None
    runs = 0
    commands = _commands(paste)
    for place, (index, line) in enumerate(free):
        context = paste.contexts[index]
        running = _running(words, context, _above(last, index, context, paste))
        found = _with_mark(line, marked.get(place, ()), running, named)
        found = found or _between(line, running, words)
        if found is None:
            continue
        spoken, match = found
        key = spoken.program.program, context
        known = accounts.get(key)
        if known is None or (runs < _MOST_RUNS and _is_another(known, index, spoken, commands)):
            if known is not None:
                yield from _told(known, context, circumstances)
            known = accounts[key] = Account(spoken.program)
            runs += 1
        known.lines.append(index)
        if _stands_alone(line, match):
            # A row of which no fact is taken is left to who reads all rows.
            is_row = spoken.means.is_chatter and _PROGRAMS.row.match(line) is not None
            (known.idle if is_row else known.taken).append(index)
        for one in spoken.pattern.finditer(line):
            known.add(one, spoken.means, line)
        last = known, context
    for (_, context), account in accounts.items():
        yield from _told(account, context, circumstances)


def knows(line: str) -> bool:
    """Tell whether a line holds a program's own words that need no others around them."""
    return any(spoken.pattern.search(line) for spoken in vocabulary().marked([line]).get(0, ()))


def _built_on(text: str, named: frozenset[str]) -> dict[str, str]:
    """Return the programs that a text names and that print the lines of one it does not name."""
    inner = _PROGRAMS.tables["built_on"]
    return {inner[one]: one for one in named if one in inner and inner[one] not in text.lower()}


def _above(
    last: tuple[Account, Context] | None, index: int, context: Context, paste: Paste
) -> Account | None:
    """Return the account that a line may go on: the last one, close above and in one block."""
    if last is None or last[1] != context or index - last[0].lines[-1] > _NEAR:
        return None
    between = paste.whole_lines[last[0].lines[-1] : index]
    return None if FENCE in between else last[0]


def _running(words: Vocabulary, context: Context, above: Account | None) -> list[Program]:
    """Return the programs that may have printed a line without saying so."""
    by_command = words.by_command.get(context.program.lower())
    before = above.program if above is not None else None
    return [one for one in (by_command, before) if one is not None]


def _with_mark(
    line: str, marked: Sequence[Spoken], running: list[Program], named: frozenset[str]
) -> _Found | None:
    """Return what a line says by a mark in it; of several programs the one that is running."""
    matches = [
        (spoken, match)
        for spoken in marked
        if (match := spoken.pattern.search(line)) is not None and not _is_doubtful(line, match)
    ]
    own = (one for one in matches if one[0].program in running)
    told = (one for one in matches if one[0].program.program in named)
    return next((one for kind in (own, told, matches) for one in kind), None)


def _between(line: str, running: list[Program], words: Vocabulary) -> _Found | None:
    """Return what a line without a mark says between others of a program."""
    for program in running:
        for spoken in words.between.get(program.program, ()):
            match = spoken.pattern.match(line)
            if match is not None:
                return spoken, match
    return None


def _commands(paste: Paste) -> list[int]:
    """Return the lines that start a command, of which one line may be told twice."""
    return [
        index
        for index, line in enumerate(paste.whole_lines)
        if not paste.is_free(index) and len(line) < _LONGEST_PROSE and command_line(line)
    ]


def _is_another(known: Account, index: int, spoken: Spoken, commands: list[int]) -> bool:
    """Tell whether a line belongs to another run of the program than the lines so far."""
    last = known.lines[-1]
    is_asked_again = bisect_right(commands, last) != bisect_right(commands, index)
    return is_asked_again or index - last > _MOST_GAP or spoken.means.opens == "run"


def _stands_alone(line: str, match: re.Match[str]) -> bool:
    """Tell whether the words are all that the line tells; a sentence around them may tell more."""
    before = line[: match.start()].rstrip()
    return before[-1:] in _BEFORE_WORDS or not _FORMS.prose.search(line)


def _is_doubtful(line: str, match: re.Match[str]) -> bool:
    """Tell whether somebody asks about the words, or writes too much around them."""
    if match.start() == 0:
        return False
    end = _SENTENCE_END.search(line, match.end())
    return len(line) > _LONGEST_PROSE or (end is not None and end[0] == "?")


def _told(account: Account, context: Context, known: _Circumstances) -> Iterator[Reading]:
    own = account.program.program
    name = known.built_on.get(own, own)
    first = known.versions.setdefault(name, account.version) if account.version else None
    # Another version is another program: one of them may find what the other does not.
    viewer = name if account.version == first else f"{name} {account.version}"
    facts, is_private = account.facts(viewer)
    sandbox = known.sandboxes.get(name)
    if sandbox is not None and is_private and not context.where:
        context = msgspec.structs.replace(context, where="container")
        inside = System(virtualization=Virtualization(container=sandbox))
        facts = msgspec.structs.replace(facts, system=inside)
    lines, idle = tuple(account.taken), tuple(account.idle)
    yield Reading(lines=lines, facts=facts, idle=idle, private=is_private, context=context)
    for one in account.beside():
        is_own = (one.device_nodes, one.loaders) != (NOT_STATED, NOT_STATED)
        yield Reading(lines=(), facts=one, private=is_own, context=context)
