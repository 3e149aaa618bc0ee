# SPDX-License-Identifier: MIT
"""An entry of the lexicon, and how names are compared: by their words, spelt any way."""

import re
from collections.abc import Iterable

import msgspec

from clprobe.compat.offers import version_of
from clprobe.knowledge.table_types import Entry as TableEntry
from clprobe.knowledge.table_types import PackageVersion
from clprobe.model.finding import Source

_NOISE = frozenset({"intel", "r", "tm", "the", "graphics", "gpu", "linux", "driver", "for", "with"})
_SIGNS, _WORDS = re.compile(r"[^a-z0-9.]"), re.compile(r"[a-z0-9.]+")
Fact = tuple[str, str | Iterable[str] | None]
"""A label and what it says: a text, lines, or nothing."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """Everything known about one name: labelled facts, and where they come from."""

    kind: str
    title: str
    facts: tuple[tuple[str, str], ...]
    sources: tuple[Source, ...] = ()


def page(kind: str, title: str, facts: Iterable[Fact], sources: Iterable[Source]) -> Entry:
    """Return the entry with the facts that say something."""
    told = (
        (label, said if isinstance(said, str) else "\n".join(said or ())) for label, said in facts
    )
    stated = tuple((label, text) for label, text in told if text)
    return Entry(kind=kind, title=title, facts=stated, sources=tuple(sources))


def sources_of(entries: Iterable[TableEntry]) -> tuple[Source, ...]:
    """Return the sources of several table entries, each once."""
    return tuple({one.url: one for entry in entries for one in entry.sources}.values())


def doubt(entry: TableEntry) -> str:
    """Return what a line adds for an entry that nobody has confirmed."""
    return ", unverified" if entry.unverified else ""


def package_row(name: str, found: PackageVersion) -> str:
    """Return one line of a list of packages; `name` is the package's, or its release's."""
    return f"{name} {version_of(found)} ({found.pocket}{doubt(found)})"


def as_a_whole(entry: TableEntry) -> list[Fact]:
    """Return the fact that nobody has confirmed a whole entry, where that is so."""
    return [("unverified", "nobody has confirmed this entry as a whole")] * entry.unverified


def words(text: str) -> frozenset[str]:
    """Return the words of a name without those that tell nothing apart."""
    found = frozenset(_WORDS.findall(text.lower()))
    return found - _NOISE or found


def squeezed(text: str) -> str:
    """Return a name without case, spaces and signs: "HD 4600" and "hd-4600" are one."""
    return _SIGNS.sub("", text.lower())


def split_version(name: str) -> tuple[str, str | None]:
    """Return name and version of "compute-runtime 24.35" or "linux-6.8"; None without one."""
    match = re.fullmatch(r"(.*?[A-Za-z0-9)])[ =@_-]+v?(\d+(?:\.\d+)+\S*)", name.strip())
    return (match[1], match[2]) if match else (name.strip(), None)


def is_called(name: str, key: str, called: Iterable[str]) -> bool:
    """Whether the name is the key or one of the other names, spelt any way."""
    return squeezed(name) in map(squeezed, (key, *called))
