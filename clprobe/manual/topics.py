# SPDX-License-Identifier: MIT
"""The topics of `clprobe help`, plain texts that a terminal shows as they are.

A file of `topics/` has its title in the first line. Blocks are divided by empty lines: a line with
indented ones below it is an entry, indented lines alone are to be shown as they stand, and all else
is a paragraph.
"""

from pathlib import Path
from typing import Literal, NamedTuple

_FOLDER = Path(__file__).resolve().parent / "topics"


class Block(NamedTuple):
    """A part of a topic; of an entry, `tag` is what it is about."""

    kind: Literal["paragraph", "entry", "verbatim"]
    text: str
    tag: str = ""


class Topic(NamedTuple):
    """A topic: what it is called, its title, and its parts."""

    name: str
    title: str
    blocks: tuple[Block, ...]

    def entries(self, tags: tuple[str, ...]) -> tuple[Block, ...]:
        """Return the entries with these tags, in the topic's own order."""
        return tuple(one for one in self.blocks if one.kind == "entry" and one.tag in tags)


def topic_names() -> list[str]:
    """Return the names of all topics, by the names of their files."""
    return sorted(path.stem for path in _FOLDER.glob("*.txt"))


def topic_text(name: str) -> str:
    """Return the text of a topic that there is."""
    return (_FOLDER / f"{name}.txt").read_text("utf-8")


def topic(name: str) -> Topic:
    """Return a topic that there is, in its parts."""
    title, _, rest = topic_text(name).partition("\n")
    return Topic(name, title, tuple(_block(part) for part in rest.strip("\n").split("\n\n")))


def _block(part: str) -> Block:
    first, *more = part.split("\n")
    if first.startswith(" "):
        return Block("verbatim", "\n".join(line.strip() for line in (first, *more)))
    if more and all(line.startswith(" ") for line in more):
        return Block("entry", " ".join(line.strip() for line in more), tag=first)
    return Block("paragraph", " ".join((first, *more)))
