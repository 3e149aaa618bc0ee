# SPDX-License-Identifier: MIT
"""Command lines as they were typed, over several lines too, and what they start containers with."""

from collections.abc import Iterator, Sequence
from itertools import islice

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.commands import command_line
from clprobe.paste.reading import Paste

_FORMS = Forms("container_commands")
_COMMANDS = Forms("commands")
_MOST_LINES = 3000
_MOST_CONTINUED = 30
_MOST = 60
_LONGEST = 220


def typed_command(lines: Sequence[str], index: int) -> str:
    """Return the command of a line, with sudo and what goes on below, but without its prompt."""
    found = command_line(lines[index])
    typed = found.typed if found is not None else lines[index].strip().strip("`")
    return " ".join(text for _, text in _continued(typed, lines, index))


def enters_container(typed: str) -> bool:
    """Tell whether a command starts or enters a container, and so is not typed in that one."""
    sudo = _COMMANDS.sudo.match(typed)
    return _COMMANDS.container.match(sudo["rest"] if sudo is not None else typed) is not None


def _continued(typed: str, lines: Sequence[str], index: int) -> Iterator[tuple[int, str]]:
    """Yield the lines of a command that goes on where a line ends with a backslash."""
    for at in range(index, min(index + _MOST_CONTINUED, len(lines))):
        text = typed if at == index else lines[at]
        yield at, " ".join(text.strip().removesuffix("\\").split())
        if not text.rstrip().endswith("\\"):
            return


def containers_in(paste: Paste) -> Iterator[Statement]:
    """Yield the options that tell what containers may use, and the images that they are of."""
    lines = paste.lines
    given = 0
    for index, text in enumerate(islice(lines, _MOST_LINES)):
        if " run" not in text and " create" not in text:
            continue
        is_shown = index in paste.fenced or command_line(text) is not None
        start = (_FORMS.run if is_shown else _FORMS.run_alone).search(text)
        for one in _of_run(text[start.end() :], lines, index) if start is not None else ():
            given += 1
            if given <= _MOST:
                yield one


def _of_run(rest: str, lines: Sequence[str], index: int) -> Iterator[Statement]:
    words = [
        (at, word.strip("`"))
        for at, part in _continued(rest, lines, index)
        for word in _FORMS.ends.split(part, 1)[0].split()
    ]
    place = 0
    while place < len(words):
        at, word = words[place]
        place += 1
        if not word.startswith("-"):
            # Of a command in which something is left out nobody knows which word is the image.
            if _FORMS.image.match(word):
                yield _told(at, "field", "image", word)
            return
        name, is_joined, value = word.partition("=")
        is_flag = _FORMS.flag.match(name) is not None
        if not is_joined and not is_flag and place < len(words):
            value = words[place][1]
            place += 1
        if _FORMS.telling.match(name):
            yield _of_option(at, name, value.strip("\"'"))


def _of_option(index: int, name: str, value: str) -> Statement:
    pair = _FORMS.pair.match(value) if _FORMS.environment.match(name) else None
    if pair is not None:
        return _told(index, "sets", pair["name"], value)
    return _told(index, "sets", name, f"{name} {value}".strip())


def _told(index: int, what: str, subject: str, says: str) -> Statement:
    says = says[:_LONGEST]
    return Statement(line=index + 1, what=what, subject=subject, says=says, where="container")
