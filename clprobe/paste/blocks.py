# SPDX-License-Identifier: MIT
"""Says for each line of a paste which command printed it, as whom, where and when."""

import re
from collections.abc import Sequence
from itertools import takewhile

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.paste.commands import CommandLine, command_line
from clprobe.paste.reading import Context
from clprobe.paste.text import FENCE

_LONGEST_HEADING = 140
_LONGEST_TITLE = 70
_WRAPPED = 55
"""Who wraps lines at a width fills them at least so far."""
_MOST_ABOVE = 6
"""So many lines of a paragraph may stand ahead of the one that ends with a colon."""
_FORMS = Forms("headings")


def contexts_of(lines: Sequence[str]) -> tuple[list[Context], set[int]]:
    """Return each line's context, and the lines that did nothing but tell it.

    A heading holds until the next heading, or the end of the fence that follows it; a command
    until the next command, heading or end of its fence.
    """
    contexts: list[Context] = []
    told: set[int] = set()
    has_fences = FENCE in lines
    heading, current, in_fence = Context(), Context(), False
    for index, line in enumerate(lines):
        if line == FENCE:
            current = heading if not in_fence else Context()
            heading = heading if not in_fence else Context()
            in_fence = not in_fence
            told.add(index)
        elif (command := _command(line, in_fence or not has_fences)) is not None:
            current = _within(heading, command)
            told.add(index)
        elif _FORMS.python.match(line):
            current = _within(heading, CommandLine("python"))
            told.add(index)
        elif not in_fence and (opened := _opened(lines, index, heading)) is not None:
            before, heading, current = current, opened, opened
            if opened != Context() and _tells_alone(lines, index):
                told.add(index)
            elif opened.where:
                contexts.append(before)  # the sentence itself tells its place
                continue
        elif in_fence and _FORMS.comment_as.match(line):
            current = heading = Context(who="root")
            told.add(index)
        contexts.append(current)
    return contexts, told


def _continues(line: str, before: str) -> bool:
    """Tell whether a line goes on with the sentence of the line before, which is a full one."""
    is_full = len(before) >= _WRAPPED and before[-1:] not in ".!?:;"
    return is_full and line[:1].islower()


def _opened(lines: Sequence[str], index: int, heading: Context) -> Context | None:
    """Return what a line opens for those below it; None if it leaves the `heading` as it is."""
    place = _place_above(lines, index)
    if _continues(lines[index], lines[index - 1] if index else ""):
        # The rest of a sentence is no heading, though it may end with a colon.
        return Context(where=place) if place else None
    titled = _heading(lines[index], lines[index + 1 : index + 3])
    if titled is not None:
        return msgspec.structs.replace(titled, where=titled.where or place)
    is_section = _FORMS.section.match(lines[index]) is not None
    return Context() if is_section or _ends_place(lines, index, heading) else None


def _tells_alone(lines: Sequence[str], index: int) -> bool:
    """Tell whether a line tells its context by itself, and nothing else."""
    if _continues(lines[index], lines[index - 1] if index else ""):
        return False
    return _heading(lines[index], lines[index + 1 : index + 3]) not in (None, Context())


def _place_above(lines: Sequence[str], index: int) -> str:
    """Return the place that the sentences ahead of an output tell, of which a line is the last.

    "On the host clinfo prints a lot. There is a note in it:" says where it was printed.
    """
    if not lines[index].endswith(":") or _FORMS.heading_mark.match(lines[index]):
        return ""
    ahead = list(takewhile(_is_written, reversed(lines[max(0, index - _MOST_ABOVE) : index])))
    paragraph = " ".join([*reversed(ahead), lines[index]])
    found = {one.lastgroup or "" for one in _FORMS.place_of_sentence.finditer(paragraph)}
    place = found.pop() if len(found) == 1 else ""
    # "On the host it works. When I enter the container, it says:" is not of the host.
    other = {"host": _FORMS.any_container, "container": _FORMS.any_host}.get(place)
    return "" if other is not None and other.search(paragraph) else place


def _is_written(line: str) -> bool:
    return line.strip() not in ("", FENCE)


def _ends_place(lines: Sequence[str], index: int, heading: Context) -> bool:
    """Tell whether a new paragraph begins, to which the place that was told above says nothing."""
    is_new = index > 0 and not lines[index - 1]
    is_place = heading == Context(where=heading.where) != Context()
    return is_new and is_place and _FORMS.paragraph.match(lines[index]) is not None


def _command(line: str, may_be_root: bool) -> CommandLine | None:
    """Return the command on a line; `# clinfo` among Markdown is a heading, not root's prompt."""
    if line.startswith("# ") and not may_be_root:
        return None
    return command_line(line)


def _within(heading: Context, command: CommandLine) -> Context:
    return Context(
        who=command.who or heading.who,
        where=command.where or heading.where,
        when=heading.when,
        command=command.command,
    )


def _heading(line: str, following: Sequence[str]) -> Context | None:
    """Return what a heading says about the lines below it; None if the line is none."""
    text = line.strip()
    if not text or len(text) > _LONGEST_HEADING or _FORMS.statement.match(text):
        return None
    is_title = " " in text or bool(_FORMS.one_word.match(text))
    opens = (text.endswith(":") and is_title and text[0] not in "/-") or bool(
        _FORMS.heading_mark.match(text)
    )
    is_short = len(text) <= _LONGEST_TITLE and not text.endswith((".", "!", "?"))
    opens = opens or (is_short and any(near == FENCE for near in following))
    if not opens or (
        ":" in text[:-1] and not _FORMS.quoted.search(text) and not _FORMS.heading_mark.match(text)
    ):
        return None
    who = "user" if _FORMS.not_root.search(text) else "root" if _FORMS.root.search(text) else ""
    where = (
        "container" if _FORMS.container.search(text) else "host" if _FORMS.host.search(text) else ""
    )
    when = "before" if _FORMS.before.match(text) and not _FORMS.after.match(text) else ""
    named = _named_command(text)
    if named is not None:
        return Context(named.who or who, named.where or where, when, named.command)
    told = Context(who, where, when)
    # Programs, too, print titles; one that tells nothing and opens nothing is theirs.
    return told if told != Context() or FENCE in following else None


def _named_command(text: str) -> CommandLine | None:
    """Return the command that a heading quotes, or is."""
    for quoted in _FORMS.quoted.findall(text):
        part = next(part for part in quoted if part)
        found = command_line(part)
        if found is not None:
            return found
        if (
            part.startswith("/")
            and " " not in part
            and re.search(r"(?i)content|contain|cat\b", text)
        ):
            return CommandLine(f"cat {part}")
    if (told := _FORMS.says_below.search(text)) is not None:
        return command_line(told["told"] or told["named"])
    bare = re.sub(r"(?i)^\W*(the )?(output|result)s?( of| from)?( the)?:? ", "", text)
    return command_line(bare.strip("#*_:- `"))
