# SPDX-License-Identifier: MIT
"""Whose output a block is, by the sentence above it, by those before it, or by the title."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.reading import Paste
from clprobe.paste.statements.things import things_in
from clprobe.paste.text import FENCE

_FORMS = Forms("printers")
_CLAUSES = Forms("clauses")
_MOST_ABOVE = 8
_MOST_BLANK = 2


class Printers:
    """The programs that are said to print the blocks of a paste; each is sought once asked for."""

    def __init__(self, paste: Paste) -> None:
        self._paste = paste
        self._by_block: dict[int, str] = {}

    @cached_property
    def _blocks(self) -> dict[int, int]:
        """Of each line in a block, where it begins; a command tells itself what it prints."""
        blocks = _blocks(self._paste)
        told = (one for one in blocks if not any(self._paste.contexts[at].command for at in one))
        return {index: block[0] for block in told for index in block}

    def may_print(self, index: int) -> bool:
        """Tell whether a line, counted from 0, stands in a block."""
        return index in self._blocks

    def of(self, index: int) -> str:
        """Return the program of a line, counted from 0; "" if none is said to print it."""
        start = self._blocks.get(index)
        if start is None:
            return ""
        if start not in self._by_block:
            self._by_block[start] = _program_above(self._paste, start)
        return self._by_block[start]


def _blocks(paste: Paste) -> Iterator[list[int]]:
    block: list[int] = []
    above = ""
    for index, line in enumerate((*paste.lines, FENCE)):
        is_pasted = index in paste.fenced or _FORMS.pasted.match(line) is not None
        is_next = not block and index > 1 and not paste.lines[index - 1].strip()
        is_pasted = is_pasted or (is_next and _FORMS.announces.search(above) is not None)
        above = line if line.strip() else above
        if is_pasted and line.strip() and line != FENCE:
            block.append(index)
        elif block and (index not in paste.fenced or line == FENCE):
            yield block
            block = []


def _program_above(paste: Paste, index: int) -> str:
    """Return the program of the sentence above a block; one that says "it", by what is before."""
    sentences = _sentences_above(paste, index)
    if not sentences or _FORMS.no_program.search(sentences[-1]):
        return ""
    own = _program_in(sentences[-1])
    if own or not _FORMS.goes_on.search(sentences[-1]):
        return own
    before = (_program_in(one) for one in reversed(sentences[:-1]))
    return next((one for one in before if one), "") or _program_in(paste.lines[0])


def _sentences_above(paste: Paste, index: int) -> Sequence[str]:
    """Return the sentences of the paragraph above a block."""
    lines: list[str] = []
    blank = 0
    for at in range(index - 1, max(-1, index - 1 - _MOST_ABOVE), -1):
        text = paste.lines[at].strip()
        if at in paste.fenced or at == 0:
            break
        if text and text != FENCE:
            lines.append(text)
        elif lines:
            break
        else:
            blank += not text
            if blank > _MOST_BLANK:
                return ()
    paragraph = " ".join(reversed(lines))
    return [one for one in _CLAUSES.sentence_end.split(paragraph) if one.strip()]


def _program_in(sentence: str) -> str:
    """Return the one program that a sentence names, or that it says to be run or built."""
    names = {one.name for one in things_in(sentence) if one.sort == "program"}
    if len(names) == 1:
        return names.pop()
    run = _FORMS.run.search(sentence) if not names else None
    return run["name"] if run is not None else ""


def advised_in(paste: Paste) -> Iterator[tuple[int, str]]:
    """Yield the lines in which a command's program speaks to who runs it, and the program."""
    for index, context in enumerate(paste.contexts):
        if context.program and _FORMS.advises.match(paste.lines[index]):
            yield index, context.program


def by_sentence(one: Statement, said: Sequence[Statement]) -> str:
    """Return the program of the sentence in which an error is quoted; "" if it names none."""
    words = re.sub(r"\W+", " ", one.says)[:40].strip()
    if not words:
        return ""
    for other in said:
        is_outcome = other.line == one.line and other.what in ("fails", "shows") and other.subject
        if is_outcome and words in re.sub(r"\W+", " ", other.says):
            named = [thing for thing in things_in(other.subject) if thing.sort == "program"]
            return other.subject if named else ""
    return ""
