# SPDX-License-Identifier: MIT
"""What readers get and give: a paste with the context of each line, and partial snapshots."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TypeAlias, TypeVar

import msgspec

from clprobe.knowledge.line_words import LineWords
from clprobe.model.snapshot import Snapshot
from clprobe.paste.text import fenced_lines

_LONGEST = 1000
_Found = TypeVar("_Found")


class Context(msgspec.Struct, frozen=True):
    """Under which circumstances a line was printed; "" is not said.

    `who` is root or user, `where` container or host, `when` before; `command` is the command line
    that printed it, without prompt and sudo.
    """

    who: str = ""
    where: str = ""
    when: str = ""
    command: str = ""

    @property
    def program(self) -> str:
        """The command's name without its path."""
        words = self.command.split(maxsplit=1)
        return words[0].rpartition("/")[2] if words else ""


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """Facts that some lines tell; `whole` names the lists that they give completely.

    `private` facts hold only for who ran the command: what programs saw, what could be opened.
    Of `idle` lines the reader knows that they belong to it, and tells nothing: others may.
    """

    lines: tuple[int, ...]
    facts: Snapshot
    whole: tuple[str, ...] = ()
    unread: tuple[int, ...] = ()
    idle: tuple[int, ...] = ()
    private: bool = False
    context: Context | None = None


class Paste:
    """Lines, their contexts, and which of them are still free: each is read only once."""

    def __init__(
        self,
        lines: Sequence[str],
        contexts: Sequence[Context],
        taken: set[int],
        words: LineWords | None = None,
    ) -> None:
        self.whole_lines = lines
        self.words = words if words is not None else LineWords(lines)
        self.lines = [line[:_LONGEST].expandtabs() for line in lines]
        """Cut, so that no expression meets a line that takes it long."""
        self.fenced = fenced_lines(lines)
        """Those between fences."""
        self.contexts = contexts
        self.idle: set[int] = set()
        """Those that a reader knows and that tell nothing, unless they are rows of keys."""
        self._taken = set(taken)
        told = ((index, line.strip()) for index, line in enumerate(self.lines))
        self._free = [(index, line) for index, line in told if line and index not in taken]
        self._stale = False

    def free(self) -> Iterator[tuple[int, str]]:
        """Give the lines that nobody has read and that are not empty, without outer blanks."""
        if self._stale:
            self._free = [one for one in self._free if one[0] not in self._taken]
            self._stale = False
        return iter(self._free)

    def may_hold(self, *forms: re.Pattern[str]) -> Collection[int]:
        """Return at least the lines in which one of the forms is found; of a short text, all."""
        return self.words.may_hold(*forms)

    def free_with(self, *forms: re.Pattern[str]) -> Iterator[tuple[int, str]]:
        """Give the free lines but those in which surely none of the forms is found."""
        likely = self.may_hold(*forms)
        return (one for one in self.free() if one[0] in likely)

    def is_free(self, index: int) -> bool:
        """Tell whether the line exists and nobody has read it."""
        return 0 <= index < len(self.lines) and index not in self._taken

    def take(self, indexes: Sequence[int] | frozenset[int]) -> None:
        """Mark lines as read."""
        self._taken.update(indexes)
        self._stale = self._stale or bool(indexes)

    def runs(
        self, find: Callable[[str, str], _Found | None], *, most_gap: int
    ) -> Iterator[tuple[list[int], list[_Found]]]:
        """Give the free lines in which something is found, and that, in runs that belong together.

        `find` gets a line and its command. The lines of a run have one context and lie no more
        than `most_gap` apart.
        """
        lines: list[int] = []
        told: list[_Found] = []
        for index, line in self.free():
            found = find(line, self.contexts[index].command)
            if found is None:
                continue
            is_far = lines and index - lines[-1] > most_gap
            if is_far or (lines and self.contexts[index] != self.contexts[lines[-1]]):
                yield lines, told
                lines, told = [], []
            lines.append(index)
            told.append(found)
        if lines:
            yield lines, told

    def left(self) -> list[int]:
        """Return the lines that nobody has read and that are not empty."""
        return [index for index, _ in self.free()]


Reader: TypeAlias = Callable[[Paste], Iterator[Reading]]
"""Finds its own kind of evidence among the free lines; it must not take them itself."""


def by_line(
    tell: Callable[[str, Context], Snapshot | None],
    *,
    private: bool = False,
    with_any: Callable[[], tuple[re.Pattern[str], ...]] | None = None,
) -> Reader:
    """Return a reader of lines of which each tells something by itself; None: it does not.

    `with_any` gives forms of which one is found in each line that tells something.
    """

    def read(paste: Paste) -> Iterator[Reading]:
        lines = paste.free() if with_any is None else paste.free_with(*with_any())
        for index, line in lines:
            facts = tell(line, paste.contexts[index])
            if facts is not None:
                yield Reading(lines=(index,), facts=facts, private=private)

    return read
