# SPDX-License-Identifier: MIT
"""What one cell of the support matrix rests on, and what else to know of it."""

from collections.abc import Iterable, Iterator, Sequence

from clprobe.knowledge.table_types import Entry, Generation, Implementation, Release
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


def notes_of(entry: Implementation, note: str | None, flaws: Sequence[Release]) -> Iterator[str]:
    """Yield the package's own note, the flaws, and the variables that it needs."""
    if note:
        yield note
    yield from (one.note for one in flaws)
    if entry.enable:
        variables = " ".join(f"{key}={value}" for key, value in entry.enable.items())
        yield f"It shows the GPU only with {variables} in the environment"


def needed_variables(entry: Implementation, flaws: Sequence[Release]) -> dict[str, str]:
    """Return the environment variables without which this version shows no GPU here."""
    needed = dict(entry.enable)
    for one in flaws:
        if one.breaks:
            needed |= one.environment
    return needed
