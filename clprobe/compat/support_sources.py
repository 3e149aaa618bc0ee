# SPDX-License-Identifier: MIT
"""Which sources of the tables bear on one cell of the support matrix."""

from collections.abc import Iterable

from clprobe.knowledge.table_types import Entry, Generation, Implementation
from clprobe.model.finding import Source

# Where a generation's sources tell of single drivers; Linux and the hardware concern all of them.
_TOLD_BY = {
    "compute-runtime": ("compute-runtime",),
    "compute-runtime-legacy1": ("compute-runtime",),
    "beignet": ("beignet",),
    "rusticl": ("mesa",),
}
_DRIVERS = frozenset(word for words in _TOLD_BY.values() for word in words)


def sources_of(entries: Iterable[Entry], implementation: Implementation) -> tuple[Source, ...]:
    """Return what the entries rest on, each address once, without what is about other drivers."""
    own = _TOLD_BY.get(implementation.implementation, ())
    found: dict[str, Source] = {}
    for entry in entries:
        for source in _told(entry, own):
            found.setdefault(source.url, source)
    return tuple(found.values())


def _told(entry: Entry, own: tuple[str, ...]) -> tuple[Source, ...]:
    if isinstance(entry, Implementation):
        return entry.sources[:1]  # its own site; the others are about single releases
    if not isinstance(entry, Generation):
        return entry.sources
    about = [one for one in entry.sources if _is_about(one.url, own)]
    return tuple(about or entry.sources)


def _is_about(url: str, own: tuple[str, ...]) -> bool:
    named = [word for word in _DRIVERS if word in url]
    return not named or any(word in own for word in named)
